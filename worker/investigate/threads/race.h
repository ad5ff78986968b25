#ifndef WORKER_RACE_H
#define WORKER_RACE_H
/*
 * What rr_race_scan knows of the accesses to one place in memory. Shared by its modules:
 * race_scan.c collects the accesses, race_pairs.c compares them, race_answer.c tells.
 */
#include "worker/investigate/code/allocator.h"
#include "worker/investigate/code/access_kind.h"
#include "worker/investigate/calls/frame_lifetime.h"
#include "worker/investigate/threads/own_locks.h"
#include "worker/investigate/search/search.h"
#include "worker/investigate/threads/threading.h"
#include "worker/investigate/code/where.h"
#include "worker/serve/handlers.h"
#include "worker/read/values/place.h"

#define RACE_SITES_MAX	  64 /* places in the code */
#define RACE_ACCESSES_MAX 10000
#define RACE_VALUE_MAX	  80

struct race_access {
	struct moment moment;
	size_t thread, point;
	unsigned site, life;
	enum access_kind kind;
	bool atomic;
	bool unordered; /* with another one, as far as is known */
	bool racing;	/* surely */
	json_t *values; /* {old, new} or {value} */
	json_t *where;	/* as the site, but for those that share the last site */
};

/* Accesses of one place in the code that nothing orders with those of another one. */
struct race_pair {
	long long count, writes; /* writes: both write */
	size_t first, second;	 /* those that come closest to each other */
	unsigned char threads[ORDER_THREADS_MAX / 8];
	long long perhaps; /* how many of them something may order that is not known */
};

struct race {
	const struct race_scan_args *args;
	struct replay *replay;
	struct threading *threading;
	char watched[PLACE_EXPRESSION_MAX];
	unsigned long long address, size;
	json_t *unmapped;	   /* says that nothing is mapped there; NULL: something is */
	int watch, freed, resized; /* gdb's numbers */
	struct race_access *accesses;
	size_t count, room;
	json_t *sites[RACE_SITES_MAX];
	size_t site_count;
	bool site_left; /* there were more places in the code: the last site stands for all of them
			 */
	bool atomic_type, is_bit_field, heap, shared;
	unsigned life; /* counts the blocks that malloc had there */
	struct allocator allocator;
	bool allocator_known;
	struct access_kinds code;
	struct where_code where;
	struct own_locks own;
	struct frame_lifetime local;
	enum lifetime_known local_known;
	/* What race_pairs found. */
	struct race_pair *pairs; /* site_count * site_count: the earlier one's site is the row */
	long long unordered, racing; /* accesses */
	long long conflicts;	     /* pairs that conflict */
	bool mixed;		     /* some unordered accesses are atomic, others not */
	long long *by;		     /* of each object: pairs that were ordered by it last */
	size_t overtaken[3]; /* a read, a write of another thread, and the first one's write */
	long long overtaken_count;
	bool has_overtaken;
	bool bare; /* a lock that two accesses do not both hold ordered them */
};

/* Compares all accesses. False: out of memory. */
bool race_compare(struct race *race);

/* Whether the locks that both hold exclude one another; *common becomes one of them, or ORDER_NONE.
 * *reading: both hold that one only for reading. */
bool race_excluded(const struct race *race, size_t a, size_t b, size_t *common, bool *reading);

json_t *race_answer(struct race *race, const struct search *search, enum search_end end);

#endif
