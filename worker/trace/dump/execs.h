#ifndef WORKER_EXECS_H
#define WORKER_EXECS_H
/*
 * The successful execs of a trace and how its processes ended, out of the text that `rr dump -e -p`
 * prints. The text is read as it comes, because it is a kilobyte for each event of the trace.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "worker/serve/ops.h"
#include "worker/trace/dump/dump_lines.h"
#include "worker/trace/dump/outside.h"
#include "worker/trace/dump/work.h"

#define EXECS_MAX      20000 /* further ones only set `cut` */
#define EXECS_READ_MS  10000 /* for reading a trace's, while somebody waits */
#define EXECS_FILE_MAX 4096  /* bytes of a file's name; a longer one is unknown */

/* A call of exec or fork where it begins: of exec, that is the last instruction of the old image.
 * event 0: not known. */
struct exec_call {
	int tid;
	long long event, ticks;
	unsigned long long pc;
};

struct exec {
	int pid;
	long long event; /* at which the exec has succeeded: the new image begins behind it */
	char *file;	 /* the new image; NULL: rr does not say */
	bool by_thread;	 /* a thread that was not the leader called it */
	struct exec_call call;
};

/* How a process began: by fork, or its like. */
struct forking {
	int pid, parent; /* processes */
	long long event; /* of the parent's; the child's come behind it */
	struct exec_call call;
};

struct ending {
	int tid, pid; /* of a thread, and the process it belonged to; equal for the first thread */
	int status;   /* as from waitpid */
	long long event;
};

struct thread {
	int tid, pid;
};

/* Whether a process sent itself the signal that ended it; maybe: it sent that one to a process that
 * the trace does not name there. */
enum execs_sent { SENT_NOT, SENT_MAYBE, SENT_ITSELF };

/* Where the signal came from that a process got last, or that ended it. */
struct signal_cause {
	int pid, number; /* 0: not known */
	enum execs_sent sent;
	bool by_instruction; /* it is the failure of one */
	bool failed_before;  /* the one before was: a handler may have sent it again */
	bool by_write;	     /* for a write of its own, to what nobody reads or behind a limit */
};

#define SENDINGS_MAX 64 /* not delivered yet; of more the oldest are forgotten */
#define CAUSES_MAX   64 /* likewise, of as many processes */

/* A call that sends a signal, whose delivery is not seen yet.
 * LIMIT: one that the program ignores is never delivered, and the next of its number is taken for
 * it. */
struct sending {
	int tid; /* of the thread that called; 0: none */
	int signal;
	enum {
		TO_PROCESS,
		TO_GROUPS, /* of processes; kill's numbers from 0 down */
		TO_THREAD,
		TO_DESCRIPTOR, /* of a process, which the trace does not name there */
	} to;
	long long target;
};

/* The process that a task belongs to, by the threads of all processes but the first ones. */
int threads_process(const struct thread *threads, size_t count, int tid);

struct execs {
	struct exec *list;	/* in the order of events */
	struct ending *endings; /* likewise */
	struct thread *threads; /* but the first ones of processes */
	struct forking *forks;	/* in the order of events */
	size_t count, ending_count, thread_count, fork_count;
	uint64_t handled, unhandled; /* signals, bit N-1: they ran a handler, or did without */
	int first_pid;		     /* the first process of the trace; 0: there was no event */
	long long last;		     /* the last event that was seen */
	struct work work;	     /* of all processes */
	struct outside outside;
	struct sending sendings[SENDINGS_MAX]; /* rings */
	struct signal_cause causes[CAUSES_MAX];
	size_t next_sending, next_cause;
	bool open; /* the last event is not the end of a task, as it is where rr closes a trace */
	bool cut;  /* not everything was read, or there was more than the bounds allow */
};

/* The parser, for dump_parser_feed and dump_parser_end. It fills `execs`, which must be zeroed and
 * outlive it. NULL when memory is out. */
struct dump_parser *execs_parser(struct execs *execs);

void execs_free(struct execs *execs);

/* How a process ended, as from waitpid; -1: unknown. */
int execs_status(const struct execs *execs, int pid);

/* How that process began; NULL: it is the first, or that is not known. */
const struct forking *execs_fork(const struct execs *execs, int pid);

/* The event of the exec whose program a process ran at an event: its own, or one of those that it
 * descends from. 0: not known. */
long long execs_program(const struct execs *execs, int pid, long long event);

/* The process that the trace is about: where the first one only passed on how another ended
 * (timeout ./a, sh -c "./a; true"), that one. */
int execs_worst_pid(const struct execs *execs);

/* The last event before the threads that a process ended with began to end; 0: it had one. */
long long execs_together(const struct execs *execs, int pid);

/* Of the signal that ended a process; number 0: none did, or nothing is known. */
struct signal_cause execs_cause(const struct execs *execs, int pid);

/* Whether a process had more than one thread at any time; true, too, where that is not known. */
bool execs_had_threads(const struct execs *execs, int pid);

/*
 * Reads the trace at an absolute path, which was judged before, for at most limit_ms: what was read
 * until then stays, with `cut` set. rr dump cannot see the directory `hidden`; NULL: none. False
 * with *failure filled when rr dump does not start or the operation was interrupted; execs_free in
 * every case.
 */
bool execs_read(struct worker *worker, const char *path, const char *hidden, int limit_ms,
    struct execs *execs, struct failure *failure);

#endif
