#ifndef WORKER_OPEN_LIST_H
#define WORKER_OPEN_LIST_H
/*
 * The descriptors that a process has open at a moment, with the calls that opened them, out of the
 * calls of the whole trace.
 */
#include "worker/trace/dump/descriptors.h"
#include "worker/trace/dump/execs.h"

struct open_question {
	const struct inputs *inputs;
	const struct pipe_given *given;
	size_t given_count;
	const struct received *received;
	size_t received_count;
	const struct thread *threads; /* of all processes, but the first ones */
	size_t thread_count;
	int pid, tid;	    /* the process; and its thread, whose table is meant */
	long long from, at; /* events; what happens at `at` has not happened */
};

struct open_descriptor {
	int fd;
	struct slot slot;
	struct open_file file; /* without a call: the process began with it */
	int other;	/* the other end of its pipe, where this process has it open; or -1 */
	bool since;	/* it was not open at `from` */
	bool concluded; /* which number it has, of a pipe; see descriptors.h */
};

struct open_list {
	struct open_descriptor *list; /* by number */
	size_t count;
	size_t before, closed; /* open at `from`; and of these closed since */
	size_t perhaps;	       /* see struct holding */
	struct doubt doubt;
	bool known; /* the process was seen */
};

/* False: out of memory. Starts as {0}; open_list_free in either case. */
bool open_list_find(const struct open_question *question, struct open_list *list);
void open_list_free(struct open_list *list);

#endif
