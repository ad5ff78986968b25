#ifndef WORKER_DESCRIPTORS_H
#define WORKER_DESCRIPTORS_H
/*
 * What each descriptor of the recorded tasks refers to: it follows the calls that begin, copy and
 * close descriptors. What is not certain is said: each pipe, and each process, has a doubt from the
 * first call on that may have done to it what cannot be known.
 *
 * rr does not tell which two descriptors a call of pipe gave. They are taken as given, or else to
 * be the two lowest free ones. Nor does it tell which ones a message brought: only those are known
 * that are given.
 */
#include <stdbool.h>
#include <stddef.h>
#include "worker/trace/dump/inputs.h"

#define DESCRIPTORS_MAX 65536 /* of one process */

enum slot_kind {
	SLOT_UNSEEN,  /* not known whether there is one */
	SLOT_FREE,    /* there is none */
	SLOT_OUTSIDE, /* the recording began with it */
	SLOT_OTHER,   /* begun in the recording, but not as an end of a pipe */
	SLOT_END,     /* of a pipe */
};

struct slot {
	unsigned char kind, closes; /* closes: enum slot_closes, of descriptor_calls.h */
	unsigned char end;	    /* 0 or 1, as the call stored them: of a pipe, 0 is read from */
	bool socket;		    /* SLOT_OTHER: by a call that makes sockets */
	unsigned pipe;		    /* number of the pipe or socketpair */
	int outside;		    /* SLOT_OUTSIDE: the descriptor that a process began with */
	size_t file;		    /* number of what it refers to, from 1 on; 0: not known */
	const struct input_call *made; /* gave it its number; NULL: it was there before */
};

/* What descriptors refer to, however often it was copied. */
struct open_file {
	const struct input_call *call;		    /* that opened or received it */
	const struct input_call *bound, *connected; /* of a socket; NULL: none was seen */
	bool listens;
};

/* Why something cannot be said. `what` NULL: it can. */
struct doubt {
	const char *what;
	const struct input_call *call;
};

struct pipe {
	const struct input_call *call; /* of pipe, pipe2 or socketpair */
	bool socket;
	bool verified; /* its descriptors are given, not concluded */
	struct doubt doubt;
};

/* The descriptors that a call of pipe or socketpair gave, as its process read them. */
struct pipe_given {
	size_t call; /* its number */
	int fds[2];
};

/* A descriptor that a call of recvmsg brought, as its process read it. */
struct received {
	size_t call;
	int fd;
};

struct table;

struct task {
	struct task *next;
	int tid;
	struct table *table;
	const struct input_call *call; /* under way; NULL: none */
	struct slot slot;	       /* of its first argument, as the call began */
};

#define TASK_CHAINS 1024

struct descriptors {
	const struct inputs *inputs;
	const struct pipe_given *given;
	size_t given_count;
	const struct received *received;
	size_t received_count;
	struct task *tasks[TASK_CHAINS]; /* by tid */
	bool begun;			 /* there was a task */
	struct pipe *pipes;
	size_t pipe_count;
	struct open_file *files;
	size_t file_count;
	bool out_of_memory;
};

/* `descriptors` must be zeroed but for its inputs and what is given. */
void descriptors_task(struct descriptors *descriptors, const struct input_task *event);

/* A call begins, and ends. The task with its slot; NULL: out of memory. *began: its beginning was
 * seen. */
const struct task *descriptors_begin(
    struct descriptors *descriptors, const struct input_call *call);
const struct task *descriptors_end(
    struct descriptors *descriptors, const struct input_call *call, bool *began);

void descriptors_free(struct descriptors *descriptors);

/* Notes a doubt of a pipe if it is the first one. */
void descriptors_doubt(struct descriptors *descriptors, unsigned pipe,
    const struct input_call *call, const char *what);

/* The last pipe that the task's process began, or got from its parent, whose descriptors are only
 * concluded; -1: none. */
long descriptors_unverified(const struct task *task);

/* The task with that number; NULL: there is none. */
const struct task *descriptors_find(const struct descriptors *descriptors, int tid);

/* What a task has now. */
struct holding {
	const struct slot *slots; /* by descriptor; borrowed until the next call */
	size_t count;
	struct doubt doubt;
	size_t perhaps; /* of these an exec may have closed some: they are among the SLOT_UNSEEN */
};

struct holding descriptors_held(const struct task *task);

#endif
