#ifndef WORKER_MI_H
#define WORKER_MI_H
/*
 * GDB/MI output, one line at a time: bytes in, tree out. Pure: no I/O, no state.
 *
 * The tree is JSON: a constant becomes a string (scrubbed to valid UTF-8), a tuple an object, a
 * list an array; in a list of results (`[frame={},frame={}]`) the names are dropped. Of a name that
 * a tuple repeats, the last one stands.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define MI_LINE_MAX  (4 * 1024 * 1024) /* bytes of one line; gdb writes a record in one */
#define MI_DEPTH_MAX 32
#define MI_NODES_MAX 200000
#define MI_NAME_MAX  48

enum mi_kind {
	MI_RESULT,  /* ^done, ^running, ^connected, ^error, ^exit */
	MI_EXEC,    /* *stopped, *running */
	MI_STATUS,  /* +download */
	MI_NOTIFY,  /* =breakpoint-modified, ... */
	MI_CONSOLE, /* ~"text" */
	MI_TARGET,  /* @"text" */
	MI_LOG,	    /* &"text" */
	MI_PROMPT,  /* (gdb) */
};

struct mi_record {
	enum mi_kind kind;
	long long token; /* -1: none */
	char name[MI_NAME_MAX];
	json_t *results; /* an object; of a stream record its text, a string; of a prompt NULL */
};

/* Parses one line (without its newline). Returns 0, the record's results owned by the caller; or -1
 * with *why (static text). Leaves nothing to free on failure. */
int mi_parse(const char *line, size_t length, struct mi_record *record, const char **why);

/*
 * Writes `text` as one MI C string, with its quotes, to `to`. Returns the length, or -1 when it
 * does not fit, is longer than `size`, or has a control character (newline, NUL, escape: what could
 * end the command or hide what it is).
 */
int mi_quote(char *to, size_t size, const char *text);

/* Text at a path of names, e.g. mi_text(record.results, "frame", "func"); NULL when absent. */
const char *mi_text(const json_t *tree, const char *name);

/* The rows in an answer to -break-list, borrowed; NULL when absent. */
const json_t *mi_breakpoints(const json_t *results);
/* The one with that number, borrowed; NULL if there is none. */
const json_t *mi_breakpoint_row(const json_t *rows, long long number);
/* Its place with that index, borrowed; one with a single place is that itself. NULL behind the
 * last. */
const json_t *mi_breakpoint_place(const json_t *row, size_t index);
/* Whether a breakpoint or a place of one is enabled. */
bool mi_is_enabled(const json_t *row);

/* The decimal number that the text at `name` begins with; `absent` when there is no text there. */
int mi_number(const json_t *tree, const char *name, int absent);

/* The address that the text at `name` is, with or without 0x; 0 when there is none, as for
 * "<PENDING>". */
unsigned long long mi_address(const json_t *tree, const char *name);

/* The system's number of a thread, out of its "target-id" ("Thread 12.13": 13); 0 when it has none.
 */
int mi_tid(const json_t *thread);

#endif
