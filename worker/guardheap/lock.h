#ifndef WORKER_GUARDHEAP_LOCK_H
#define WORKER_GUARDHEAP_LOCK_H
/*
 * One lock for the whole heap. It waits in the kernel and never spins, because rr runs one thread
 * at a time. fork takes it, so that the child gets a heap that is whole.
 */

void lock_take(void);
void lock_release(void);

#endif
