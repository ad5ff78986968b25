#ifndef SANDBOX_CLEANUP_H
#define SANDBOX_CLEANUP_H
/*
 * Cleanup attributes: a scope releases what it acquired on every way out. `steal_fd` and
 * `steal_pointer` pass ownership on.
 */
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_free_pointer(void *pointer)
{
	free(*(void **)pointer);
}

static inline int steal_fd(int *fd)
{
	int stolen = *fd;
	*fd = -1;
	return stolen;
}

static inline void *steal_pointer_from(void *pointer)
{
	void **from = pointer;
	void *stolen = *from;
	*from = NULL;
	return stolen;
}

#define steal_pointer(p) ((__typeof__(*(p)))steal_pointer_from(p))
#define cleanup_fd	 __attribute__((cleanup(cleanup_close)))
#define cleanup_free	 __attribute__((cleanup(cleanup_free_pointer)))

#endif
