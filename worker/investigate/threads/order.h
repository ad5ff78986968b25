#ifndef WORKER_ORDER_H
#define WORKER_ORDER_H
/*
 * What orders the steps of several threads: vector clocks, and the locks that each thread holds.
 * Pure: it learns what the threads did, in the order of the recording, and never looks at a
 * program.
 *
 * rr runs one thread at a time, so for the recorded run the answer is exact, as far as it is told
 * everything.
 */
#include <stdbool.h>
#include <stddef.h>

#define ORDER_THREADS_MAX 256
#define ORDER_OBJECTS_MAX 20000
#define ORDER_HELD_MAX	  16 /* locks that one thread holds at once */
#define ORDER_NONE	  ((size_t)-1)

struct order;

/* NULL: out of memory. */
struct order *order_new(void);
void order_free(struct order *order);

/* Whether something did not fit, or memory was short: nothing that follows can be trusted. */
bool order_is_full(const struct order *order);

/* A new thread; ORDER_NONE if there are too many. */
size_t order_add_thread(struct order *order);

/* A new object through which threads are ordered: a lock, a semaphore, the creation of threads. */
size_t order_add_object(struct order *order);

/* ---- What threads do ------------------------------------------------------------------------- */

/* What the thread did up to now comes before what others do after they receive from the object. A
 * release by a reader orders only what comes after a receipt with `from_readers`. */
void order_send(struct order *order, size_t thread, size_t object, bool as_reader);
void order_receive(struct order *order, size_t thread, size_t object, bool from_readers);
/* Forgets what was sent to the object. */
void order_clear(struct order *order, size_t object);
/* What `from` did up to now comes before what `to` does from now on, by way of the object. */
void order_pass(struct order *order, size_t from, size_t to, size_t object);

/* The thread does something that may order it with all that others did so: an atomic operation. */
void order_perhaps(struct order *order, size_t thread);
/* It may come after all that the others did up to now. */
void order_perhaps_after_all(struct order *order, size_t thread);

/* The thread holds the object now, shared or alone; `taking` is a number of the caller's. Taken
 * again, it stays with its first taking and has to be given up as often. */
void order_hold(struct order *order, size_t thread, size_t object, bool shared, size_t taking);

struct order_held {
	size_t object, taking;
	unsigned depth;
	bool shared;
};

/* Gives it up once; with `whole`, however often it was taken. False if the thread does not hold it.
 * *held (may be NULL) becomes what it was before. */
bool order_drop(
    struct order *order, size_t thread, size_t object, bool whole, struct order_held *held);

/* Who holds the object: one of them if it is shared; ORDER_NONE: nobody. */
size_t order_holder(const struct order *order, size_t object);
/* The locks that the thread holds now; borrowed until the thread does something. */
const struct order_held *order_held(const struct order *order, size_t thread, size_t *count);

/* ---- Points ---------------------------------------------------------------------------------- */

/* The thread's present point: between two of its steps above it is the same one. ORDER_NONE: out of
 * memory. */
size_t order_point(struct order *order, size_t thread);

const struct order_held *order_point_held(const struct order *order, size_t point, size_t *count);

enum order_known {
	ORDER_NOTHING, /* nothing orders them */
	ORDER_PERHAPS, /* something may that is not known */
	ORDER_SURE
};

/* Whether what happened at the earlier point comes before the later one. If it surely does, *object
 * is what the order came by last; ORDER_NONE for two points of one thread. */
enum order_known order_between(
    const struct order *order, size_t earlier, size_t later, size_t *object);

/* The thread has held the object since before its first point: adds it to its points from `first`
 * on, unless it took it since. */
void order_held_before(
    struct order *order, size_t thread, size_t object, bool shared, size_t taking);

#endif
