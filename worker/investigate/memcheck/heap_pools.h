#ifndef WORKER_HEAP_POOLS_H
#define WORKER_HEAP_POOLS_H
/*
 * The functions of allocators that the client has named, where they are in the program.
 */
#include "worker/investigate/memcheck/heap_check.h"
#include "worker/investigate/memcheck/pool_names.h"

enum {
	HEAP_POOLS_NAMES = 32,
	HEAP_POOLS_FUNCTIONS = 100, /* of these names */
	HEAP_POOLS_SAID = 600,
};

struct heap_pools {
	struct pool_name name[HEAP_POOLS_NAMES]; /* those that give blocks first */
	size_t names, giving;
	struct heap_pool {
		unsigned long long address, gives, takes; /* see check_pool_gives */
	} list[HEAP_POOLS_FUNCTIONS];
	size_t count;
	char unseen[HEAP_POOLS_SAID]; /* what of their calls is not seen, in words; or "" */
};

/* What the client gives; NULL, or an empty list: none. False with *failure filled. */
bool heap_pools_read(
    struct heap_pools *pools, const json_t *alloc, const json_t *freeing, struct failure *failure);

/* Finds them where the program stands. False with *failure filled: one of them is no function, or
 * its calls cannot be followed. */
bool heap_pools_find(struct replay *replay, struct heap_pools *pools,
    const struct heap_functions *functions, struct failure *failure);

/* Right behind heap_check_begin. */
void heap_pools_tell(struct replay *replay, const struct heap_pools *pools);

/* Whether one of the names before has the same function. */
bool heap_pools_is_named_before(const struct heap_pools *pools, size_t number);

/*
 * Whether the client has named all functions that give blocks, as far as the calls show: of those
 * that free, most were of blocks that are known. One that is not known may be the program's
 * mistake; many are not. What is found is wrong then: the blocks that others give count as outside.
 */
bool heap_pools_are_all(const struct check_table *table);

/* The function's name, of one of the table's numbers; NULL: it is none of these. */
const char *heap_pools_name(const struct heap_pools *pools, unsigned long long number);

#endif
