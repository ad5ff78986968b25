/*
 * See lock.h. The states are those of "Futexes Are Tricky" (Drepper), mutex 2.
 */
#include "worker/guardheap/lock.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include "worker/guardheap/calls.h"

enum { FREE, TAKEN, AWAITED };

static _Atomic int lock = FREE;

/* This thread is in fork, and has the lock. Handlers of libraries that began before this one run
 * meanwhile, and may allocate and free, as they may with the C library's malloc. */
static __thread bool forking __attribute__((tls_model("initial-exec")));

void lock_take(void)
{
	int seen = FREE;

	if (forking || atomic_compare_exchange_strong(&lock, &seen, TAKEN))
		return;
	while (atomic_exchange(&lock, AWAITED) != FREE)
		kernel_call(SYS_futex, (long)&lock, FUTEX_WAIT_PRIVATE, AWAITED, 0, 0, 0);
}

void lock_release(void)
{
	if (!forking && atomic_exchange(&lock, FREE) == AWAITED)
		kernel_call(SYS_futex, (long)&lock, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static void prepare(void)
{
	lock_take();
	forking = true;
}

static void release_in_parent(void)
{
	forking = false;
	lock_release();
}

/* The threads that waited are not in the child. */
static void release_in_child(void)
{
	forking = false;
	atomic_store(&lock, FREE);
}

__attribute__((constructor)) static void follow_forks(void)
{
	pthread_atfork(prepare, release_in_parent, release_in_child);
}
