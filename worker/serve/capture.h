#ifndef WORKER_CAPTURE_H
#define WORKER_CAPTURE_H
/*
 * Runs a short tool (rr ps, rr traceinfo) to its end, and keeps what it printed.
 */
#include <stdbool.h>
#include <stddef.h>
#include "worker/serve/tool.h"

#define CAPTURE_OUTPUT_MAX (4u << 20) /* of stdout; the rest is read and dropped */
#define CAPTURE_ERRORS_MAX (8u << 10)

/* Takes the next bytes of stdout. */
typedef void capture_sink(void *owner, const char *bytes, size_t length);

struct capture {
	char *output; /* NUL-terminated, owned */
	size_t output_length;
	bool cut; /* stdout was longer than CAPTURE_OUTPUT_MAX */
	char errors[CAPTURE_ERRORS_MAX];
	size_t errors_length;
	struct tool tool; /* ended; for its status */
	capture_sink *sink;
	void *owner;
};

/*
 * Runs it. False, with *failure filled, when it did not start, did not end in time, or the
 * operation was interrupted; how it ended is the caller's to judge. capture_free in every case.
 */
bool capture_run(struct worker *worker, const struct tool_spec *spec, int timeout_ms,
    struct capture *capture, struct failure *failure);

/* The same with stdout, however long it is, passed on to `sink` as it comes. */
bool capture_stream(struct worker *worker, const struct tool_spec *spec, int timeout_ms,
    capture_sink *sink, void *owner, struct capture *capture, struct failure *failure);

/* The same with a tool that runs already, which it takes over; `name` is for messages. */
bool capture_started(struct worker *worker, const struct tool *tool, const char *name,
    int timeout_ms, capture_sink *sink, void *owner, struct capture *capture,
    struct failure *failure);

void capture_free(struct capture *capture);

/* True when it exited with status 0. */
bool capture_succeeded(const struct capture *capture);

#endif
