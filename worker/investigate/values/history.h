#ifndef WORKER_HISTORY_H
#define WORKER_HISTORY_H
/*
 * What rr_value_history gathers: the rows that it shows, and how many accesses each place in the
 * code has made.
 */
#include <jansson.h>
#include "worker/serve/handlers.h"
#include "worker/investigate/calls/frame_lifetime.h"
#include "worker/investigate/code/access_kind.h"
#include "worker/investigate/search/search.h"
#include "worker/investigate/counting/silent_hits.h"
#include "worker/investigate/code/where.h"
#include "worker/moment/return_ticket.h"
#include "worker/read/values/place.h"
#include "worker/x86/tallymark.h"

#define HISTORY_WRITERS_MAX 40
#define HISTORY_MARKS_MAX   64 /* an even number */

/* See history_tally.h. */
struct history_tally {
	enum { HISTORY_STOPS, HISTORY_TALLIES, HISTORY_TALLIED } state;
	bool lost; /* a change may be missing: it has to be done again, with stops */
	struct return_ticket begun; /* where it began to count, and what was known then: */
	long long count;
	json_t *writers;
	struct moment last[HISTORY_WRITERS_MAX];

	struct tally_table table;
	uint64_t shown, others;	      /* those that were visited */
	uint64_t stopped[TALLY_ROWS]; /* changes of a row that were counted by the stop */
	/* Of each writer: numbers in the order of the program, 2 * that of a change, and 1 more for
	 * one of rr's own behind it. */
	struct history_keys {
		uint64_t first, last;
		bool last_unknown; /* the time was over before its moment was looked up */
	} keys[HISTORY_WRITERS_MAX];
	bool late; /* so it was, of any of them */
	/* Moments right behind changes, from which the second run can begin. */
	struct history_mark {
		struct moment at;
		uint64_t number;
	} marks[HISTORY_MARKS_MAX];
	size_t mark_count;
	uint64_t marks_apart; /* in changes */
};

struct history {
	const struct value_history_args *args;
	char watched[PLACE_EXPRESSION_MAX]; /* the expression that gdb watches */
	unsigned long long address, size;
	json_t *unmapped; /* says that nothing is mapped there; NULL: something is */
	int watch;	  /* gdb's number */
	json_t *changes, *writers;
	struct moment last[HISTORY_WRITERS_MAX]; /* of each writer */
	size_t bytes;
	long long count;
	struct silent_hits hits;
	struct access_kinds code;
	struct where_code where;
	/* Its neighbours lie at the same address: only gdb tells them apart. */
	bool is_bit_field;
	bool full; /* there are as many rows as the call asked for */
	struct frame_lifetime life;
	enum lifetime_known known; /* LIFETIME_KNOWN: the stretch is the life of a local's frame */
	struct history_tally tally;
};

/* The number of that writer, or that of the next one. */
size_t history_find_writer(const struct history *history, const json_t *where);

/* Counts that many accesses of a writer, which begins at replay_now if it is a new one. Returns
 * its number; HISTORY_WRITERS_MAX: there are too many. */
size_t history_count(struct history *history, struct replay *replay, json_t *where,
    enum access_kind kind, long long count);

#endif
