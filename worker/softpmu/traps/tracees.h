/*
 * What we know about each task that rr traces. An entry appears when rr first resumes a task, opens
 * a counter for it or sets its debug registers. It goes when rr sees the task's end or detaches
 * from it, and at the latest when a new task gets its number.
 */
#ifndef RR_WARDEN_SOFTPMU_TRACEES_H
#define RR_WARDEN_SOFTPMU_TRACEES_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "worker/softpmu/base/memoryof.h"
#include "worker/softpmu/traps/debugregs.h"
#include "worker/softpmu/traps/signalframe.h"
#include "worker/x86/tallymark.h"

struct counter;
struct follow;
struct space;

/* What rr's resume request has become. */
enum resume_mode {
	RESUME_NATIVE, /* nothing is counted: passed on as it was */
	RESUME_STEP,   /* rr's own single step, counted */
	RESUME_RUN,    /* rr wants it to run: we run it in legs and count */
};

/* What the tracee is doing until its next stop, in RESUME_STEP and RESUME_RUN. */
enum leg {
	LEG_STEP,   /* one instruction */
	LEG_REGION, /* runs until a stop of the region */
	LEG_CACHE,  /* in the code cache */
	LEG_MASK,   /* in a system call that rr does not stop, with the program's own signal mask */
	LEG_SYSCALL, /* in or straight into a system call: no instruction of the program's runs */
};

/* Where a signal of the program's own waits. */
enum trap_queue { TRAP_QUEUE_THREAD, TRAP_QUEUE_PROCESS, TRAP_QUEUES };

/* A SIGTRAP that the program has sent, see heldtrap.h. */
struct held_trap {
	bool held; /* here, and not in the kernel */
	siginfo_t info;
};

/* Of a function of the allocator, see scan/heapcheck.h. */
struct check_call {
	uint8_t function;
	uint64_t back; /* where it returns to; 0: the thread is in none */
	uint64_t sp;   /* where that is on the stack */
	uint64_t argument[3];
	uint64_t number;
	struct check_ways_to ways;
};

enum { POOL_DEPTH = 32 };

/* Of a function of an allocator that the client has named, see scan/pools.h. */
struct pool_call {
	uint8_t function;
	bool reported;
	uint64_t back, sp; /* as check_call */
	uint64_t size, block, pool;
	uint64_t number;
};

struct tracee {
	struct tracee *next; /* in its hash chain */
	pid_t tid;
	const struct tracees *table;
	uint64_t memory;       /* the number of its memory, which no other one has ever had */
	struct counter *ticks; /* its ticks counter, or NULL */
	struct debug_registers debug;

	enum resume_mode mode;
	int request;	/* rr's request, in RESUME_RUN */
	int last_event; /* PTRACE_EVENT_* of the last stop, 0 for none */

	enum leg leg;
	struct user_regs_struct began; /* LEG_STEP, LEG_REGION: the registers then */
	uint8_t leg_counts;	       /* the first instruction is a conditional branch */
	bool in_call;	   /* LEG_STEP: it began in a system call, or with one that begins again */
	unsigned touches;  /* LEG_STEP, where debug registers do nothing: see watches.h */
	bool pushes_flags; /* LEG_STEP over pushf: the trap flag is on its stack */
	bool covers;	   /* an instruction is covered, see timestamp.h */
	uint64_t covered;  /* the word in which that is */
	uint64_t covered_word; /* what was there */
	struct region *region; /* LEG_REGION; pinned */

	struct space *space; /* of the code cache, or NULL */
	bool cache_refused;  /* not possible until the next exec */
	bool cache_pause;    /* the next leg does without */
	bool turn_due;	     /* it is rr's turn: legs are short, up to the next branch */
	uint64_t stopped_at; /* rr's breakpoint that it was stopped at; 0: none, or it has moved */
	unsigned questions;  /* asked in this leg, see PLACE_ASKS */

	bool trap_blocked; /* the program blocks SIGTRAP, and we do not while it runs */
	struct held_trap held[TRAP_QUEUES];
	bool overflowed;    /* the stop rr saw stands for a counter overflow */
	siginfo_t overflow; /* its siginfo */

	struct last_fault last_fault;
	pid_t borrower; /* it, or who made it, runs in the memory of another process, as vfork's
			   child does: its number; 0: it does not */
	struct delivery delivery;

	uint64_t tally;	   /* the tally for which the next is known, see tally.h */
	bool tally_member; /* of the process whose changes it counts */

	uint64_t check;	      /* the check of the heap for which the next is known */
	uint64_t check_arena; /* of the code cache in which that was found out */
	bool check_member;    /* of the process that it checks */
	bool check_found;     /* it has found something that rr is to see */
	uint64_t check_due;   /* the same behind the instruction there; 0: nothing */
	struct check_call check_call;
	struct pool_call pool_call[POOL_DEPTH]; /* those that are open, the outermost first */
	unsigned pool_depth;
	struct follow *check_follow; /* what is undefined in its registers; NULL: nothing is */

	uint64_t race; /* the same of the check of accesses that nothing orders */
	bool race_member;
	unsigned race_thread; /* its number there */
	unsigned race_parent; /* that of the one that made it, in the check of race_born */
	uint64_t race_born, race_cleared; /* cleared: the word that the kernel clears at its end */

	uint64_t lines;	   /* the count of passes for which the next is known, see linecount.h */
	bool lines_member; /* of the process in which they are counted */

	uint64_t access;	/* the same of the log of accesses, see accesslog.h */
	bool access_member;	/* of the process whose accesses it has */
	uint64_t access_thread; /* its number there; UINT64_MAX: it has none yet */

	bool refused;		 /* in a system call that the kernel skips, see newcalls.h */
	uint64_t refused_number; /* the call's */
};

struct tracees;

/* An empty table, or NULL when memory is short. */
struct tracees *tracees_new(void);

struct tracee *tracees_find(const struct tracees *tracees, pid_t tid);

/* Finds or adds. Ends rr with a message when memory is short: a lost tracee would miscount. */
struct tracee *tracees_get(struct tracees *tracees, pid_t tid);

/*
 * What a new child's `borrower` is, where its parent has stopped for making it. A replay makes a
 * thread as a process of its own, without CLONE_THREAD, and vfork's child without CLONE_VFORK (rr,
 * prepare_clone in replay_syscall.cc). LIMIT: a checkpoint that rr takes while such a child runs
 * makes it as a thread.
 */
pid_t tracees_borrower(const struct tracee *parent, pid_t child);

/* Calls visit for every entry; it must not add or drop any. */
void tracees_visit(
    struct tracees *tracees, void (*visit)(void *context, struct tracee *tracee), void *context);

/* Names the memory that a descriptor of rr's is for, if it has no name yet. */
void tracees_name_memory(struct memory_of *memory, int fd);

/* Whether the tracee runs in it. The process may have ended since this was asked first: in a
 * replay, where a thread is a process of its own, others of them run on. */
bool tracees_run_in(struct memory_of *memory, const struct tracee *tracee);

/* The tracee's memory is its parent's, which has just made it, if they share it. */
void tracees_note_child(const struct tracee *parent, struct tracee *child);
/* The tracee has a memory of its own: it has a new program. */
void tracees_begin_memory(struct tracee *tracee);

/* The task is gone: forget it. */
void tracees_drop(struct tracees *tracees, pid_t tid);

#endif
