#ifndef WORKER_THREADING_MODEL_H
#define WORKER_THREADING_MODEL_H
/*
 * What is known of a program's threads and locks, and what is in doubt. Shared by the modules of
 * threading.h: threading_calls.c knows what each function does, threading_threads.c keeps the
 * threads, threading_names.c the words.
 */
#include "worker/investigate/threads/order.h"
#include "worker/read/names/brief_name.h"
#include "worker/session/replay.h"

#define THREADING_FUNCTIONS_MAX 48
#define THREADING_PLACES_MAX	512 /* that calls return to */
#define THREADING_WHERE_MAX	128
#define THREADING_REASONS_MAX	8

enum threading_kind {
	THREADING_MUTEX,
	THREADING_RWLOCK,
	THREADING_SPINLOCK,
	THREADING_SEMAPHORE,
	THREADING_CONDITION,
	THREADING_BARRIER,
	THREADING_ONCE,
	THREADING_STATIC, /* the guard of a static variable of C++ */
	THREADING_CREATION,
	THREADING_JOIN,
};

enum threading_act {
	THREADING_TAKE,
	THREADING_SHARE, /* takes it for reading */
	THREADING_GIVE,
	THREADING_SEND,
	THREADING_RECEIVE,
	THREADING_WAIT,
	THREADING_SIGNAL,
	THREADING_MEET,
	THREADING_RUN_ONCE,
	THREADING_CREATE,
	THREADING_AWAIT,
	THREADING_FUTEX,
};

struct threading_function {
	const char *name;
	enum threading_act act;
	enum threading_kind kind;
};

/* A call that a thread is in. */
struct threading_call {
	bool active;
	bool first; /* of pthread_once: it may run the routine; of pthread_create: the thread that
		       it makes was seen already */
	const struct threading_function *function;
	size_t object, mutex;	      /* mutex: that a condition's wait gives up meanwhile */
	unsigned depth;		      /* how often that was taken */
	unsigned long long argument;  /* the first one */
	unsigned long long back, top; /* where it returns to; the stack pointer then */
	json_t *where;		      /* words for the caller */
	struct moment moment;	      /* where it began */
};

struct threading_thread {
	int tid;
	unsigned long long self; /* its pthread_t */
	bool waited; /* it was in a wait where the search began, and nothing of it was seen */
	struct threading_call call, once;
};

struct threading_object {
	enum threading_kind kind;
	unsigned long long address;
	size_t owner;	/* the thread for which a condition's wake-ups are kept; or ORDER_NONE */
	size_t arrived; /* at a barrier, since it opened last */
	bool met;	/* it was a barrier that somebody came to */
	unsigned char waiting[ORDER_THREADS_MAX / 8];
};

/* Where and when a lock was taken. */
struct threading_taking {
	struct moment moment;
	json_t *where;
	bool kept;   /* an answer may name it */
	size_t next; /* of those that are free */
};

struct threading {
	struct replay *replay;
	struct order *order;
	int numbers[THREADING_FUNCTIONS_MAX]; /* gdb's, of the breakpoints at the functions */
	unsigned long long addresses[THREADING_FUNCTIONS_MAX];
	bool found;	 /* some of them are in memory */
	int entry;	 /* gdb's, of the one where the program's own code begins; 0: not set */
	bool begun;	 /* that code: before it, no lock is taken */
	bool from_start; /* followed since the program began */
	bool partly;	 /* a call was not followed to its end */
	struct {
		unsigned long long address;
		int number;
	} places[THREADING_PLACES_MAX];
	size_t place_count;
	struct threading_thread threads[ORDER_THREADS_MAX];
	size_t thread_count;
	struct threading_object *objects;
	size_t object_count, object_room;
	struct threading_taking *takings;
	size_t taking_count, taking_room, taking_free;
	struct {
		unsigned long long self;
		size_t object;
		bool claimed;
	} made[ORDER_THREADS_MAX]; /* by pthread_create */
	size_t made_count;
	struct {
		unsigned long long back;
		json_t *where;
	} known[THREADING_WHERE_MAX]; /* callers */
	size_t known_count;
	json_t *reasons; /* sentences: why an order may be there that it does not see */
	bool blind;	 /* so much is not seen that no two accesses are surely unordered */
};

/* ---- threading_model.c ----------------------------------------------------------------------- */

/* Adds a sentence to the reasons, once. Takes it over. */
void threading_doubt(struct threading *threading, json_t *sentence);
/* The same, and nothing can be sure any more. */
void threading_blind(struct threading *threading, json_t *sentence);

/* Numbers in the thread that stopped: `expressions` are cast to unsigned long, with commas. */
bool threading_read(struct threading *threading, const char *expressions,
    unsigned long long *numbers, size_t count);

/* The object at that address; ORDER_NONE if there are too many. */
size_t threading_object(struct threading *threading, enum threading_kind kind,
    unsigned long long address, size_t owner);

/* ---- threading_calls.c ----------------------------------------------------------------------- */

void threading_enter(struct threading *threading, const struct threading_function *function);
void threading_leave(struct threading *threading);

/* ---- threading_threads.c --------------------------------------------------------------------- */

/* The number of the thread that stopped; ORDER_NONE if there are too many. */
size_t threading_here(struct threading *threading);
/* Those that exist where it begins. */
void threading_list(struct threading *threading);

void threading_create(struct threading *threading, size_t thread, struct threading_call *call);
void threading_created(struct threading *threading, const struct threading_call *call);
/* pthread_join has returned without an error. */
void threading_joined(
    struct threading *threading, size_t thread, const struct threading_call *call);

/* ---- threading_names.c ----------------------------------------------------------------------- */

#define THREADING_ADDRESS_NAME_MAX (BRIEF_NAME_MAX + 24)

/* "left", "accounts + 48", or the address where no symbol covers it. `inside`: the address may be
 * anywhere in the object, so the offset says nothing. */
void threading_name_address(
    struct replay *replay, unsigned long long address, bool inside, char *name, size_t size);

#define THREADING_NAME_MAX (THREADING_ADDRESS_NAME_MAX + 20)

/* "config()::instance" of "guard variable for config()::instance": a symbol stands before it. */
const char *threading_without_guard(const char *name);

/* "mutex left", "pthread_create" */
void threading_name(
    const struct threading *threading, size_t object, char name[THREADING_NAME_MAX]);

/* {lock, since, where, reading?}: which lock, when it was taken, and by which code. */
json_t *threading_held_json(const struct threading *threading, const struct order_held *held);

/* Words for the code that called the function in which the program stands. */
json_t *threading_caller(struct threading *threading, unsigned long long back);

/* A number for the taking of a lock now. */
size_t threading_taking(struct threading *threading, json_t *where);
/* It is over; forgets it unless it is kept. */
void threading_taking_over(struct threading *threading, size_t taking);

#endif
