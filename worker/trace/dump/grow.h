#ifndef WORKER_GROW_H
#define WORKER_GROW_H
/*
 * Lists that grow by doubling, one element at a time.
 */
#include <stddef.h>
#include <stdlib.h>

/*
 * Makes room behind `count` elements of `size` bytes for one more. Returns the list, which may have
 * moved, or NULL without memory; the old list then stays as it is. It reallocates only where count
 * is 0 or a power of two, so every addition to the list must come through here.
 */
static inline void *grow_list(void *list, size_t count, size_t size)
{
	return count & (count - 1) ? list : reallocarray(list, count ? 2 * count : 1, size);
}

#endif
