#ifndef WORKER_HEAP_PASS_H
#define WORKER_HEAP_PASS_H
/*
 * A pass through the recording from its beginning on in which the software counter follows the
 * calls of the allocator. Whoever makes one is in an excursion, and ends it with heap_pass_end.
 */
#include "worker/investigate/memcheck/heap_check.h"
#include "worker/investigate/search/search.h"

enum heap_pass_kind {
	HEAP_PASS_ACCESSES,  /* and every access to the heap */
	HEAP_PASS_UNDEFINED, /* and what was never written, on the stack, too */
	HEAP_PASS_BLOCKS,    /* no access */
};

struct heap_pools;

struct heap_pass {
	struct replay *replay;
	enum heap_pass_kind kind;
	struct heap_functions functions;
	const struct heap_pools *pools; /* allocators that are named, which are found; or NULL */
	struct check_table table;	/* as it was read last */
	unsigned long long found;
	int watch;     /* gdb's number of the watchpoint that news hit */
	size_t wanted; /* calls that were asked for and did not come yet */
	bool on;
};

/* Finds the allocator's functions, and goes to the first call of one if they are not there before.
 * SEARCH_WHOLE: no call of one is in the stretch. */
enum search_end heap_pass_find(
    struct heap_pass *pass, struct search *search, struct failure *failure);

/* What an answer says then of a whole recording. */
void heap_pass_without_malloc(struct failure *failure);

/* Goes back to where the program begins, and follows the heap from there on. SEARCH_WHOLE: it
 * stands there. */
enum search_end heap_pass_begin(
    struct heap_pass *pass, struct search *search, struct failure *failure);

/* The same, and on to a moment; SEARCH_WHOLE: the program stands there. */
enum search_end heap_pass_begin_to(
    struct heap_pass *pass, const struct moment *to, struct failure *failure);

/* Runs on through the search's stretch, with nobody to look. */
enum search_end heap_pass_run(struct search *search, struct failure *failure);

/* Whether this hit brings something new, which is in the table then. */
bool heap_pass_sees(struct heap_pass *pass, const struct hit *hit);

void heap_pass_end(struct heap_pass *pass);

/* The table's `made` is the number of the call that the program stands at. */
typedef void heap_pass_call(void *context, struct heap_pass *pass);

/* A further pass, to the calls with these numbers (0: none). pass->wanted are those that were not
 * reached, because the time was over. */
void heap_pass_visit(struct heap_pass *pass, const unsigned long long *numbers, size_t count,
    heap_pass_call *visit, void *context);

/* Whose calls are followed: "glibc's malloc and free". */
const char *heap_pass_allocator(const struct heap_pass *pass);

#endif
