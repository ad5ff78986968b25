#ifndef WORKER_RACE_H
#define WORKER_RACE_H
/*
 * What rr_race_scan knows of the accesses to one place in memory. Shared by its modules:
 * race_scan.c collects the accesses, race_silence.c those that do not stop, race_pairs.c compares
 * them, race_answer.c tells.
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
#include "worker/x86/tallymark.h"

#define RACE_SITES_MAX	  64	/* places in the code */
#define RACE_ACCESSES_MAX 10000 /* of the list below */
#define RACE_VALUE_MAX	  80
#define RACE_PAIRS_SHOWN  8

enum race_end { RACE_FIRST, RACE_LAST, RACE_ENDS };

/*
 * Accesses that mean the same to the order: by one instruction of a thread, at one point of its
 * own, without one of another thread among them. The order of the list is that of their first ones.
 * One that has stopped stands alone.
 */
struct race_entry {
	size_t thread, point;
	unsigned site, life;
	enum access_kind kind;
	bool atomic;
	bool unordered; /* with others, as far as is known */
	bool racing;	/* surely */
	json_t *where;	/* as the site, but for those that share the last site */
	long long count;
	/* Of the first and the last of them, which is the same one if it stands alone. */
	struct {
		long long index;	   /* among all accesses, from 0 */
		unsigned long long number; /* the software counter's; 0: all is known of it */
		struct moment moment;	   /* tid 0: the program was not there */
		json_t *values;		   /* {old, new} or {value} */
	} end[RACE_ENDS];
};

/* One of them. */
struct race_example {
	size_t access;
	enum race_end end;
};

/* Accesses of one place in the code that nothing orders with those of another one. */
struct unordered_pair {
	long long count, writes; /* writes: both write */
	size_t first, second;	 /* those that come closest: the last of the first, and the first of
				    the second */
	unsigned char threads[ORDER_THREADS_MAX / 8];
	long long perhaps; /* how many of them something may order that is not known */
};

/* An instruction whose accesses need not stop. */
struct race_code {
	unsigned long long pc; /* behind it */
	unsigned site;
	enum access_kind kind;
	bool atomic;
	json_t *where;
};

/* What race_silence.c knows of accesses that the software counter counts without a stop. */
struct race_silence {
	bool on;
	bool lost; /* nothing can be made of what was counted */
	struct race_code code[ACCESS_QUIET_MAX];
	size_t code_count;
	size_t thread[ORDER_THREADS_MAX]; /* of those that it numbers */
	size_t thread_count;
	unsigned long long seen; /* accesses, up to the last stop */
	long long hidden;
	bool no_access;		  /* this stop is none of one, though a watchpoint says so */
	unsigned long long stale; /* the number of the access at this stop, if gdb does not know the
				     value before it; or 0 */
	unsigned long long old;	  /* its bytes then */
	bool unvisited;		  /* some of those that are shown were not gone to */
};

struct race {
	const struct race_scan_args *args;
	struct replay *replay;
	struct threading *threading;
	char watched[PLACE_EXPRESSION_MAX];
	unsigned long long address, size;
	json_t *unmapped;	   /* says that nothing is mapped there; NULL: something is */
	int watch, freed, resized; /* gdb's numbers */
	bool by_stops;		   /* each access has to stop, because others were lost */
	struct race_entry *accesses;
	size_t count, room;
	long long total; /* accesses: each may stand for several */
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
	struct unordered_pair
	    *pairs; /* site_count * site_count: the earlier one's site is the row */
	long long unordered, racing; /* accesses */
	long long conflicts;	     /* pairs that conflict */
	bool mixed;		     /* some unordered accesses are atomic, others not */
	long long *by;		     /* of each object: pairs that were ordered by it last */
	/* A read, a write of another thread, and the first one's write. */
	struct race_example overtaken[3];
	long long overtaken_count;
	bool has_overtaken;
	bool bare; /* a lock that two accesses do not both hold ordered them */
	struct race_silence silence;
};

/* Compares all accesses. False: out of memory. */
bool race_compare(struct race *race);

/* A new entry for one or more accesses; NULL: out of memory. */
struct race_entry *race_add(struct race *race);

/* The locks that the thread holds at that point have to be known to the end. */
void race_keep_takings(struct race *race, size_t point);

/* Whether the locks that both hold exclude one another; *common becomes one of them, or ORDER_NONE.
 * *reading: both hold that one only for reading. */
bool race_excluded(const struct race *race, size_t a, size_t b, size_t *common, bool *reading);

/* Stops no more but at the accesses. */
void race_stop_nowhere_else(struct race *race);

/* {old, new} or {value} at the hit of an access; NULL: it is none, because the memory was mapped or
 * unmapped. */
json_t *race_values(const struct replay *replay, const struct hit *hit);

/* ---- race_silence.c -------------------------------------------------------------------------- */

/* Where the stretch begins: nothing is silent yet. */
void race_silence_begin(struct race *race);

/* At each stop, before what happens there is taken note of: adds the accesses that did not stop.
 * `watched`: at an access. False: out of memory, or they are lost. */
bool race_silence_take(struct race *race, bool watched);

/* At the stop of an access: whether it has changed the value, as far as is known. */
bool race_silence_changed(const struct race *race, const struct hit *hit);

/* At the stop of an access that was added last: its instruction need not stop again, if one access
 * of it means what another one does. */
void race_silence_hush(struct race *race);

/* The run is over: takes what came behind the last stop. */
void race_silence_end(struct race *race, const struct search *search, enum search_end end);

/* Goes to those accesses that are shown and did not stop. */
void race_silence_visit(struct race *race, const struct moment stretch[2]);

/* ---- race_answer.c --------------------------------------------------------------------------- */

/* The pairs that are shown, the surest first: at most RACE_PAIRS_SHOWN. */
size_t race_shown(const struct race *race, const struct unordered_pair *shown[RACE_PAIRS_SHOWN]);

json_t *race_answer(struct race *race, const struct search *search, enum search_end end);

#endif
