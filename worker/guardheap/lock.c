/*
 * See lock.h. The states are those of "Futexes Are Tricky" (Drepper), mutex 2.
 */
#include "worker/guardheap/lock.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include "worker/guardheap/calls.h"

enum { FREE, TAKEN, AWAITED };

static _Atomic int lock = FREE;

void lock_take(void)
{
	int seen = FREE;

	if (atomic_compare_exchange_strong(&lock, &seen, TAKEN))
		return;
	while (atomic_exchange(&lock, AWAITED) != FREE)
		kernel_call(SYS_futex, (long)&lock, FUTEX_WAIT_PRIVATE, AWAITED, 0, 0, 0);
}

void lock_release(void)
{
	if (atomic_exchange(&lock, FREE) == AWAITED)
		kernel_call(SYS_futex, (long)&lock, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

/* The threads that waited are not in the child. */
static void release_in_child(void)
{
	atomic_store(&lock, FREE);
}

__attribute__((constructor)) static void follow_forks(void)
{
	pthread_atfork(lock_take, lock_release, release_in_child);
}
