#ifndef TESTS_E2E_HARNESS_H
#define TESTS_E2E_HARNESS_H
/*
 * Shared by the end-to-end tests, the demo and the benchmarks: an MCP client that starts the built
 * server as a host does and talks to it over real pipes, functions that read its answers, and a
 * census of the processes that a server leaves. Anything unexpected ends the calling process with a
 * message (abort), so that a test shows only its scenario. Nothing here knows the server's inside,
 * or trusts it.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "sandbox/cleanup.h"

/* Generous: no test may fail on a slow machine, and none may hang. */
#define HARNESS_TIMEOUT_S 180.0

void harness_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Seconds of a clock that only goes forward. */
double harness_now(void);

/* ---- A folder of one's own ---------------------------------------------------------------- */

/* Makes a folder under $TMPDIR or /tmp that any user may enter and `owner` may write (0: us). The
 * path is owned by the caller; harness_scratch_free removes the folder and frees it. */
char *harness_scratch(uid_t owner);
void harness_scratch_free(char *path);

#define cleanup_scratch __attribute__((cleanup(harness_scratch_cleanup)))
void harness_scratch_cleanup(char **path);

/* "a/b", to be freed. */
char *harness_path(const char *folder, const char *name);

/* The path of a built program of tests/programs, to be freed. */
char *harness_program(const char *name);

/* The number of the first line with `text` in tests/programs/NAME.c, or in NAME if it has an
 * ending. */
long long harness_line(const char *name, const char *text);

/* How often the text has that in it. */
size_t harness_count(const char *text, const char *what);

/* The whole file, NUL-terminated, to be freed. NULL when it cannot be read. */
char *harness_file(const char *path);
void harness_write_file(const char *path, const char *text);

/* The server under test: $RR_WARDEN, else build/bin/rr-warden. */
const char *harness_server(void);

/* Runs a shell command, which must succeed. */
void harness_shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A copy of the built tree that has this program of tests/programs as its worker: a folder of
 * harness_scratch. */
char *harness_tree(const char *worker);

/* ---- The client --------------------------------------------------------------------------- */

struct client;

struct client_options {
	const char *server;	 /* NULL: harness_server */
	const char *const *args; /* NULL-terminated, after the program's name; NULL: none */
	const char *const *env;	 /* "NAME=value" beside the few that SDKs pass; NULL: none */
	uid_t uid;	       /* run the server as this user and group; 0, or our own: as we are */
	const char *home;      /* HOME of the server; NULL: ours */
	const char *directory; /* where the server starts; NULL: where we are */
	bool raw;	       /* do not initialize */
	bool show_stderr;      /* let the server's stderr through; else see client_stderr */
};

/* Starts the server; unless raw, initialize has been answered. options may be NULL. */
struct client *client_start(const struct client_options *options);

/* Closes the server's stdin, waits for its end, checks that no process is left, frees. */
void client_end(struct client *client);
#define cleanup_client __attribute__((cleanup(client_cleanup)))
void client_cleanup(struct client **client);

/* Frees the client of a server that has ended or is to be killed outright. */
void client_abandon(struct client *client);

pid_t client_pid(const struct client *client);
void client_close_stdin(struct client *client);

/* Waits for the server's end and returns its wait status. */
int client_wait_exit(struct client *client, double timeout_s);

/* What the server wrote on stderr so far; owned by the client, valid until the next call. */
const char *client_stderr(struct client *client);

/* The result of initialize; borrowed. NULL when raw. */
const json_t *client_server_info(const struct client *client);

/* Sends a request or a notification; params is stolen and may be NULL. Returns the request's id. */
long long client_send(struct client *client, const char *method, json_t *params);
void client_notify(struct client *client, const char *method, json_t *params);
void client_send_bytes(struct client *client, const char *bytes, size_t length);

/* notifications/cancelled for a request in flight. */
void client_cancel(struct client *client, long long id);

/* Waits for the answer to `id`; other messages wait in a queue. NULL at the timeout or when the
 * server closed its stdout. The message is the caller's. */
json_t *client_wait(struct client *client, long long id, double timeout_s);

/* The oldest waiting notification of a method, or one that comes within the timeout. NULL: none. */
json_t *client_notification(struct client *client, const char *method, double timeout_s);

/* The oldest waiting message of any kind, or the next one. NULL: none came. */
json_t *client_message(struct client *client, double timeout_s);

/* ---- Tools -------------------------------------------------------------------------------- */

/* tools/call without waiting. args is stolen; NULL: none. */
long long client_tool_send(struct client *client, const char *tool, json_t *args);

/* The same with a progress token. */
long long client_tool_send_progress(
    struct client *client, const char *tool, json_t *args, const char *token);

/* The structuredContent of an answer, which must be a result that is no error; checks that the text
 * says the same. To be released by the caller. */
json_t *client_tool_result(struct client *client, long long id, double timeout_s);

/* The structuredContent of an answer, which must be isError with this code (NULL: any), a message,
 * and the message in the text. To be released by the caller. */
json_t *client_tool_failure(
    struct client *client, long long id, const char *code, double timeout_s);

/* Calls and waits: arguments as for json_pack ("{s:s}", ...), format NULL: none. */
json_t *client_tool(struct client *client, const char *tool, const char *format, ...);
json_t *client_tool_fails(
    struct client *client, const char *tool, const char *code, const char *format, ...);

/* Like client_tool, for callers that do not need the answer. */
void client_tool_done(struct client *client, const char *tool, const char *format, ...);

/* Like client_tool_fails, for callers that need no more of the failure than its code. */
void client_tool_refused(
    struct client *client, const char *tool, const char *code, const char *format, ...);

/* Records a program of tests/programs into `trace_dir`; arguments after the name, NULL ends.
 * Returns rr_record's answer. */
json_t *client_record(
    struct client *client, const char *trace_dir, const char *program, const char *argument);

/* Starts a replay of the trace's first process and returns the session's name, to be freed. */
char *client_replay(struct client *client, const char *trace_dir);

/* ---- Reading answers ---------------------------------------------------------------------- */

/* The value at a dotted path ("frame.function", "results.0.value"); NULL when there is none. */
json_t *answer_at(const json_t *answer, const char *path);

/* The same for a value that must exist and have that type. Numbers may be strings of digits. */
const char *answer_text(const json_t *answer, const char *path);
long long answer_number(const json_t *answer, const char *path);
/* The line of the frame at `path`; event and ticks of the moment there. */
long long answer_line(const json_t *answer, const char *path);
long long answer_event(const json_t *answer, const char *path);
long long answer_ticks(const json_t *answer, const char *path);
bool answer_true(const json_t *answer, const char *path);
size_t answer_count(const json_t *answer, const char *path);

/* The answer as one line, to be freed: for messages. */
char *answer_show(const json_t *answer);

/* ---- Census ------------------------------------------------------------------------------- */

#define CENSUS_MAX 1024

struct census_process {
	pid_t pid, parent;
	char state;    /* as /proc says: R S D T t Z */
	char name[32]; /* comm */
};

struct census {
	struct census_process processes[CENSUS_MAX];
	size_t count;
};

/* All processes below `root`, itself not included, zombies included. The harness is a subreaper
 * from the first client on, so what a dead server leaves shows up below ourselves. */
void census_take(pid_t root, struct census *census);

/* The nth (0: first) descendant of `root` with that comm; 0: none. */
pid_t census_find(pid_t root, const char *name, size_t nth);

/* The first child of a process; 0: it has none. */
pid_t census_child(pid_t parent);

/* Waits until a descendant with that comm exists, and returns it. */
pid_t census_await(pid_t root, const char *name);

/* Whether a thread waits in the kernel. One that rr holds does not. */
bool census_sleeps(pid_t thread);

/* Kills a process, and waits until its parent has noticed that. */
void census_kill(pid_t pid);

/* Kills the only session's rr, and waits until its worker is gone as well: a call that came between
 * would be told of the death, and not be served by a new one. */
void census_end_session(pid_t root);

/* Waits until no process is left below `root` (or below us, if it is our own pid). Returns the
 * seconds that this took; after timeout_s prints the survivors and returns -1. */
double census_await_none(pid_t root, double timeout_s);

/* Processor time, in clock ticks, and resident memory, in KiB, of one process. -1: gone. */
long long census_cpu_ticks(pid_t pid);
long long census_resident_kib(pid_t pid);

#endif
