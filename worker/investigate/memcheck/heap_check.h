#ifndef WORKER_HEAP_CHECK_H
#define WORKER_HEAP_CHECK_H
/*
 * The software counter's check of the heap, see scan/heapcheck.h there: which functions are the
 * allocator's, and what is found.
 */
#include "worker/session/replay.h"
#include "worker/x86/tallymark.h"

#define HEAP_CHECK_FUNCTIONS 32
#define HEAP_CHECK_CODE	     4
#define HEAP_CHECK_OTHERS    4
#define HEAP_CHECK_WRITING   4

struct heap_functions {
	struct {
		unsigned long long address;
		unsigned kind; /* enum heapcheck_function, with its flag */
	} list[HEAP_CHECK_FUNCTIONS];
	size_t count;
	struct {
		unsigned long long start, end;
	} code[HEAP_CHECK_CODE]; /* the C library's, whose functions read whole vectors */
	size_t codes;
	struct {
		unsigned long long start, end;
	} other[HEAP_CHECK_OTHERS]; /* the loader's, and rr's in the program */
	size_t others;
	unsigned long long writing[HEAP_CHECK_WRITING]; /* functions that write to a file; or 0 */
	unsigned long long own_start, own_end;		/* glibc's malloc itself */
	bool glibc;					/* its malloc is among them */
	bool replaced;					/* the program calls another one */
};

/* Finds them where the program stands. False if there are none (yet). */
bool heap_functions_find(struct replay *replay, struct heap_functions *functions);

/* At a stop, before the program runs on. whole: it has no block yet. False: this counter cannot. */
bool heap_check_begin(struct replay *replay, const struct heap_functions *functions, bool whole);

/* Right behind it: this function is one of a named allocator, see check_pool_gives and
 * check_pool_takes. */
void heap_check_pool(struct replay *replay, unsigned long long address, unsigned long long gives,
    unsigned long long takes);

/* Right behind it: no access is looked at. */
void heap_check_only_blocks(struct replay *replay);

/* Instead of accesses, what was never written is looked for. */
void heap_check_undefined(struct replay *replay, const struct heap_functions *functions);

/* Puts the blocks that are live, and were made by calls after `since`, into the table by the ways
 * to these calls: those from `first` on. kind: 0 the far ways, up to CHECK_WAYS. */
void heap_check_show_sites(
    struct replay *replay, unsigned long long since, unsigned kind, size_t first);

/* From here on these are only those that the program cannot reach any more. False: which they are
 * cannot be found out. */
bool heap_check_only_lost(struct replay *replay);

/* Findings are shown from here on. */
void heap_check_show(struct replay *replay);

/* Writes over return addresses are shown no more. */
void heap_check_no_returns(struct replay *replay);

/* That call of the allocator is shown, by its number. */
void heap_check_want(struct replay *replay, unsigned long long number);

/* False: it is not on any more. */
bool heap_check_read(struct replay *replay, struct check_table *table);

void heap_check_end(struct replay *replay);

#endif
