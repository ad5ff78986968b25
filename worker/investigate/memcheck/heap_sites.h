#ifndef WORKER_HEAP_SITES_H
#define WORKER_HEAP_SITES_H
/*
 * The live blocks of the heap at a moment, by the code that allocated them.
 */
#include "worker/investigate/memcheck/heap_pass.h"

#define HEAP_SITES_MAX	200 /* ways that are looked at: those with the most bytes */
#define HEAP_SIZE_WORDS 80

struct heap_site {
	struct check_site way;
	json_t *allocated; /* in words; NULL: it was not looked at, or is one with another */
	json_t *first;	   /* the moment of the first call */
};

struct heap_sites {
	struct heap_pass pass;
	unsigned long long since, calls; /* of the allocator: until `from`, and in all */
	struct moment reached;
	struct {
		unsigned long long blocks, bytes;
	} all, chosen; /* those that are live; of these, those that are asked for */
	struct heap_site list[HEAP_SITES_MAX]; /* those that are known first, by their bytes */
	size_t count;
	unsigned kind; /* of the ways: 0 the far ones */
	bool lost;     /* only those are asked for that the program cannot reach any more */
	bool unknown;  /* that cannot be found out */
	bool before; /* the time was over before `from`, or before the first call: nothing is known
		      */
	enum search_end end;
};

/* Where the blocks of one answer stand. Starts as {0}. In an excursion of the caller's. from: only
 * what was made since then is asked for; event 0: all. False with *failure filled; call
 * heap_sites_free in either case. */
bool heap_sites_find(struct heap_sites *sites, struct replay *replay, const struct moment *from,
    const struct moment *to, bool lost, struct failure *failure);

void heap_sites_free(struct heap_sites *sites);

/* [{allocated, blocks, bytes, first}], at most so many; *others (to be released) in words: what the
 * list leaves out, or NULL. */
json_t *heap_sites_list(const struct heap_sites *sites, size_t limit, json_t **others);

/* "3 blocks of 120 bytes" */
void heap_sites_size(
    char text[HEAP_SIZE_WORDS], unsigned long long count, unsigned long long bytes);

#endif
