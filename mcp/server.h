#ifndef MCP_SERVER_H
#define MCP_SERVER_H
/*
 * One MCP connection: bytes in, bytes out, requests to a handler between them. Knows the protocol
 * (its revisions up to 2025-11-25, and 2026-07-28) and nothing of rr; does no I/O of its own, so
 * that the same core serves the supervisor, the unit tests, the fuzzers and the conformance build.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MCP_STRING_MAX	  16384 /* bytes of a string argument without a bound of its own */
#define MCP_ELEMENTS_MAX  1024
#define MCP_IN_FLIGHT_MAX 64	/* requests the owner holds at once; more are refused */
#define MCP_PAGE_DEFAULT  200	/* items a page of a list */
#define MCP_TASK_AFTER_MS 25000 /* a call that takes longer becomes a task; a host pays a turn */

#define MCP_TASK_NEVER (INT64_MAX / 2)

struct mcp_server;
struct mcp_request; /* one call in flight; owned by the server until answered */

enum mcp_type { /* an argument's type; all but objects are accepted as strings as well */
	MCP_STRING,
	MCP_INTEGER,
	MCP_NUMBER,
	MCP_BOOLEAN,
	MCP_STRING_ARRAY,
	MCP_STRING_MAP, /* object of strings (env) */
	MCP_OBJECT_ARRAY,
};

struct mcp_param {
	const char *name; /* NULL ends a table */
	enum mcp_type type;
	bool required;
	const char *description;
	/* integers: both 0 means no bound; strings: max bytes, 0 means MCP_STRING_MAX; arrays and
	 * maps: max elements, 0 means MCP_ELEMENTS_MAX; arrays of strings: with min, one string
	 * stands for an array of it */
	long long min, max;
	const char *const *choices; /* NULL-terminated, or NULL */
};

enum mcp_annotation {
	MCP_READ_ONLY = 1,
	MCP_DESTRUCTIVE = 2,
	MCP_IDEMPOTENT = 4,
	MCP_OPEN_WORLD = 8
};

struct mcp_tool {
	const char *name, *title, *description;
	const struct mcp_param *params;
	const struct mcp_param *results; /* top-level fields of structuredContent, for outputSchema;
					    MCP_STRING_MAP stands for any object */
	unsigned annotations;
	/* For hosts that show their models no tool before a search: words to find it by, which its
	 * description does not have (NULL: none), and whether it is shown from the start. */
	const char *search_words;
	bool always_shown;
	const char *app; /* URI of the app that shows its results, or NULL */
};

/* A page that hosts with MCP Apps show their users, in a frame without rights. It gets the result
 * of its tool from the host. */
struct mcp_app {
	const char *uri; /* ui://... */
	const char *html;
};

/* Whether tools/list has a tool. By name each can be called. */
enum mcp_listing {
	MCP_LISTED,
	MCP_LISTED_WHEN_NAMED, /* from the first answer on that names it */
	MCP_UNLISTED
};

struct mcp_resource {
	const char *uri, *name, *title, *description, *mime_type;
};
/* templates: uri holds {variable}s. A prompt's arguments reuse mcp_param (strings only). */
struct mcp_prompt {
	const char *name, *title, *description;
	const struct mcp_param *params;
};

/* A skill of one file; its frontmatter has a name and a description and nothing else. */
struct mcp_skill {
	const char *uri, *name, *description;
	const char *text;   /* the file, byte for byte */
	const char *digest; /* "sha256:" and 64 digits */
	size_t size;	    /* of the text, in bytes */
};

/* What the server asks of its owner. Pointers stay valid as long as the server does. */
struct mcp_handler {
	const char *name, *title, *version, *instructions;
	const struct mcp_tool *tools;
	size_t tool_count;
	const enum mcp_listing *listing; /* one for each tool; NULL: all are listed. The list
					     of some has neither titles nor outputSchema */
	const struct mcp_resource *resources, *templates;
	size_t resource_count, template_count;
	const struct mcp_prompt *prompts;
	size_t prompt_count;
	const struct mcp_skill *skills; /* in resources/list as well */
	size_t skill_count;
	const struct mcp_app *apps; /* in no list: tools name them */
	size_t app_count;
	bool text_only;	       /* tools have no outputSchema, and results no structuredContent */
	size_t page_size;      /* 0: MCP_PAGE_DEFAULT */
	int64_t task_after_ms; /* 0: MCP_TASK_AFTER_MS; MCP_TASK_NEVER */
	/* The owner's codes of the failures that mcp/ itself reports. Where no tool was called, a
	 * failure with one of the first two becomes the fitting protocol error. */
	struct {
		const char *invalid_argument, *not_found, *limit, *cancelled;
	} codes;
	/* Arguments are validated, coerced to their types and borrowed until the answer. Must lead
	 * to exactly one mcp_request_answer_text or mcp_request_fail, now or later, but after
	 * cancel none is needed. Absent and null arguments are not in the object. */
	void (*call_tool)(void *owner, struct mcp_request *request, size_t tool, json_t *arguments);
	/* The client cancelled, or mcp_server_free: the request is freed on return; nothing more is
	 * sent for it. */
	void (*cancel)(void *owner, struct mcp_request *request);
	/* A tool call has ended after so many ms. `failure` is its code and `why` its message; both
	 * are NULL for an answer, `why` also where the client cancelled. May be NULL. */
	void (*ended)(void *owner, size_t tool, const char *failure, const char *why, int64_t ms);
	/* Reads a resource / gets a prompt: like call_tool, answered with mcp_request_contents
	 * ({"text": ...}) or mcp_request_fail (not found: codes.not_found). */
	void (*read_resource)(void *owner, struct mcp_request *request, const char *uri);
	void (*get_prompt)(
	    void *owner, struct mcp_request *request, size_t prompt, json_t *arguments);
	/* Completes an argument: up to 100 values as an array, or NULL. Synchronous, so the owner
	 * answers from what it knows already. */
	json_t *(*complete)(
	    void *owner, const char *reference, const char *argument, const char *value);
	void *owner;
};

/* NULL without memory. Takes jansson's hash seed here (it opens /dev/urandom): create the server
 * before a sandbox forbids open. */
struct mcp_server *mcp_server_new(const struct mcp_handler *handler);
/* Calls cancel for what is in flight; sends nothing. NULL is fine. */
void mcp_server_free(struct mcp_server *server);

/* Feeds bytes from the client, any cut; length 0 only asks. Returns false when the connection must
 * end (a client that does not read while answers pile up, or no memory). Requests wait inside
 * while more than a mebibyte of output does, so that 50 bytes of input cannot pile up 40 KB
 * answers without end: handlers are called from here and from mcp_server_sent. */
bool mcp_server_feed(struct mcp_server *server, const char *bytes, size_t length);

/* Requests that the owner has not answered yet. */
size_t mcp_server_in_flight(const struct mcp_server *server);

/*
 * Where the client takes tasks, a call that has run for task_after_ms is answered with one: for
 * the owner nothing changes. Times are milliseconds of CLOCK_MONOTONIC. The first names when the
 * next call is due, INT64_MAX for never; the second turns those that are due by now.
 */
int64_t mcp_server_next_task(const struct mcp_server *server);
void mcp_server_make_tasks(struct mcp_server *server, int64_t now);

/* False while too much output waits: stop reading stdin then (backpressure). */
bool mcp_server_wants_input(const struct mcp_server *server);

/* Bytes waiting for the client; valid until the next call. mcp_server_sent consumes them. Ask once
 * a turn of the loop, after its events: progress reported since the last time goes out here,
 * unless the answer came first (clients stumble over a tick right before its answer). */
size_t mcp_server_output(struct mcp_server *server, const char **bytes);
void mcp_server_sent(struct mcp_server *server, size_t length);

/* The owner's pointer on a request. */
void mcp_request_set_data(struct mcp_request *request, void *data);
void *mcp_request_data(const struct mcp_request *request);

/* Whether its client shows the app of the tool that it calls. */
bool mcp_request_shows_app(const struct mcp_request *request);
/* What only the app is to get: `value`, which is stolen, goes into the _meta of the answer, where
 * no model reads it. */
void mcp_request_attach(struct mcp_request *request, const char *name, json_t *value);

/* Strictly rising values only; others are dropped, as are ticks that a newer one overtakes before
 * mcp_server_output. total < 0: unknown. message may be NULL. */
void mcp_request_progress(
    struct mcp_request *request, double progress, double total, const char *message);

/* Each answers and frees the request. `structured` is an object and is stolen; the owner keeps it
 * under its limit. The text content is `text`, which says the same, or with NULL the same JSON. */
void mcp_request_answer_text(struct mcp_request *request, json_t *structured, const char *text);
/* isError result with structured {code, message, hint, ...extra (stolen, may be NULL)} and a text
 * that carries all of it for a person: the extra as `text`, or with NULL as lines "key: value". */
void mcp_request_fail_text(struct mcp_request *request, const char *code, const char *message,
    const char *hint, json_t *extra, const char *text);
void mcp_request_fail(struct mcp_request *request, const char *code, const char *message,
    const char *hint, json_t *extra);
/*
 * Has the client's user choose the value of the string argument; the client then makes the call
 * again with that value. `choices` is stolen: an array of {const, title}. Returns false, and the
 * request is not answered, if the client cannot ask or its user refused: then fail it as usual.
 */
bool mcp_request_ask(
    struct mcp_request *request, const char *argument, const char *message, json_t *choices);
void mcp_request_contents(struct mcp_request *request, const char *mime_type, const char *text);
/* The whole result (stolen), as the specification describes it. The revision's own fields are
 * added: */
void mcp_request_answer_result(struct mcp_request *request, json_t *result);

#endif
