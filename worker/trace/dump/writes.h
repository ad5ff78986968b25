#ifndef WORKER_WRITES_H
#define WORKER_WRITES_H
/*
 * The writing system calls of a trace, out of the text that `rr dump` prints: each with the moment
 * at which it began, and how much it wrote. Those that rr kept in its buffer of system calls are
 * not among them; what goes to the recording's standard streams never is.
 */
#include <stdbool.h>
#include <stddef.h>
#include "worker/trace/dump/dump_lines.h"

#define WRITES_MAX 200000 /* further ones only set `cut` */

struct write_call {
	long long event, ticks; /* where it begins: at the instruction at pc, before it */
	unsigned long long pc;
	int tid, fd;
	bool vector;		   /* `buffer` is an array of `count` struct iovec */
	unsigned long long buffer; /* in the program's memory */
	unsigned long long count;
	size_t length; /* bytes that were written; 0: none, or it failed */
};

struct writes {
	struct write_call *list; /* in the order of events */
	size_t count;
	bool cut;
};

/* The parser, for dump_parser_feed and dump_parser_end. It fills `writes`, which must be zeroed and
 * outlive it. NULL when memory is out. */
struct dump_parser *writes_parser(struct writes *writes);

void writes_free(struct writes *writes);

/* The call that began at an event; NULL: none did. */
const struct write_call *writes_at(const struct writes *writes, long long event);

#endif
