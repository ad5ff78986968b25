/*
 * Must never count less than stops would: what the stops and the table do not agree on is lost, and
 * done again.
 */
#include "worker/investigate/values/history_tally.h"

#include <stdlib.h>
#include <string.h>
#include "worker/gdb/check.h"
#include "worker/gdb/must.h"
#include "worker/investigate/counting/tallied_writes.h"
#include "worker/moment/moment_parse.h"
#include "worker/moment/position.h"

#define STOPS_FIRST 100 /* of fewer changes, a second run costs more than their stops */

void history_tally_begin(struct history *history, struct replay *replay)
{
	struct history_tally *tally = &history->tally;

	if (tally->state != HISTORY_STOPS || !history->full || history->count < STOPS_FIRST ||
	    history->args->access != WATCH_WRITE || history->is_bit_field)
		return;
	tally->state = HISTORY_TALLIED;
	if (!tallied_writes_begin(replay, history->address, history->size, NULL, 0))
		return;
	silent_hits_stop_all(&history->hits, replay);
	tally->state = HISTORY_TALLIES;
	tally->begun = return_ticket_hold(replay);
	tally->marks_apart = TALLY_EVERY;
	tally->count = history->count;
	tally->writers = json_deep_copy(history->writers);
	memcpy(tally->last, history->last, sizeof(tally->last));
}

static const struct tally_row *find_row(
    const struct tally_table *table, unsigned long long pc, size_t *which)
{
	for (*which = 0; *which < table->count; ++*which)
		if (table->row[*which].pc == pc)
			return &table->row[*which];
	return NULL;
}

/* Counts under the code before replay_now, from the change with that key on. Returns the
 * writer's number, which may be HISTORY_WRITERS_MAX. */
static size_t count_here(
    struct history *history, struct replay *replay, uint64_t key, long long count)
{
	size_t writers = json_array_size(history->writers), which;
	json_auto_t *where = where_behind(replay, &history->where);

	which = history_count(history, replay, where, ACCESS_KIND_WRITE, count);
	if (which == writers && which < HISTORY_WRITERS_MAX)
		history->tally.keys[which].first = key;
	return which;
}

static void set_last(struct history *history, struct replay *replay, size_t which, uint64_t key)
{
	if (which == HISTORY_WRITERS_MAX || history->tally.keys[which].last > key)
		return;
	position_take_sum(replay);
	history->last[which] = *replay_now(replay);
	history->tally.keys[which].last = key;
	history->tally.keys[which].last_unknown = false;
}

/* A change that only its stop counts. */
static void count_stop(struct history *history, struct replay *replay, uint64_t key)
{
	history->count++;
	set_last(history, replay, count_here(history, replay, key, 1), key);
}

/* Every second one goes when there is no room. */
static void mark(struct history_tally *tally, struct replay *replay)
{
	if (tally->shown % tally->marks_apart != 0)
		return;
	if (tally->mark_count == HISTORY_MARKS_MAX) {
		for (size_t i = 0; i < HISTORY_MARKS_MAX / 2; i++)
			tally->marks[i] = tally->marks[2 * i + 1];
		tally->mark_count /= 2;
		tally->marks_apart *= 2;
		mark(tally, replay);
		return;
	}
	position_take_sum(replay);
	tally->marks[tally->mark_count++] =
	    (struct history_mark){*replay_now(replay), tally->shown};
}

/* A change that is in the table. */
static bool see_counted(struct history *history, struct replay *replay)
{
	struct history_tally *tally = &history->tally;
	unsigned long long pc = replay_now(replay)->pc;
	const uint64_t number = tally->shown, key = 2 * number;
	size_t which;
	const struct tally_row *row = find_row(&tally->table, pc, &which);

	if (!row || row->last != number)
		return false;
	mark(tally, replay);
	count_here(history, replay, key, 0);
	if (where_known(&history->where, pc))
		return true;
	if (row->count == 1)
		tallied_writes_stop_always(replay, pc);
	tally->stopped[which]++;
	count_stop(history, replay, key);
	return true;
}

static bool see(struct history *history, struct replay *replay, const struct hit *hit)
{
	struct history_tally *tally = &history->tally;
	bool by_program, by_rr;

	if (!tallied_writes_read(replay, &tally->table))
		return false;
	by_program = tally->table.shown != tally->shown;
	by_rr = tally->table.others != tally->others;
	tally->shown = tally->table.shown;
	tally->others += by_rr;
	if (!by_program && !by_rr)
		return true;
	if (by_program == by_rr || tally->others != tally->table.others || !hit->watched ||
	    hit->number != history->watch)
		return false;
	if (by_program)
		return see_counted(history, replay);
	count_stop(history, replay, 2 * tally->table.total + 1);
	return true;
}

enum scan_verdict history_tally_see(
    struct history *history, struct replay *replay, const struct hit *hit)
{
	history->tally.lost = !see(history, replay, hit);
	return history->tally.lost ? SCAN_ENOUGH : SCAN_ON;
}

/* ---- The end of the first run ---------------------------------------------------------------- */

/* Numbers of changes to go to, ascending. */
struct wanted {
	uint64_t numbers[TALLY_WANTED_MAX];
	size_t count, found;
};

static void want(struct wanted *wanted, uint64_t number)
{
	size_t at = wanted->count;

	while (at && wanted->numbers[at - 1] > number)
		at--;
	if (at && wanted->numbers[at - 1] == number)
		return;
	memmove(&wanted->numbers[at + 1], &wanted->numbers[at],
	    (wanted->count - at) * sizeof(*wanted->numbers));
	wanted->numbers[at] = number;
	wanted->count++;
}

/* Changes by code that gdb has named. */
static bool add_named(struct history *history, json_t *where, const struct tally_row *row)
{
	struct history_tally *tally = &history->tally;
	size_t writers = json_array_size(history->writers);
	size_t which = history_find_writer(history, where);

	history->count += (long long)row->count;
	if (which == writers)
		return writers == HISTORY_WRITERS_MAX;
	/* It exists, so that no moment is needed. */
	history_count(history, NULL, where, ACCESS_KIND_WRITE, (long long)row->count);
	if (2 * row->last > tally->keys[which].last) {
		tally->keys[which].last = 2 * row->last;
		tally->keys[which].last_unknown = true;
	}
	return true;
}

/* Code that never stopped: its first change led back to what rr had seen last. */
static bool is_unnamed(const struct history *history, size_t row)
{
	return history->tally.stopped[row] == 0 &&
	       !where_known(&history->where, history->tally.table.row[row].pc);
}

/* Adds what the table has counted. False: it does not agree with the stops. */
static bool add_table(struct history *history, struct wanted *wanted)
{
	struct history_tally *tally = &history->tally;
	bool ok = tally->table.shown == tally->shown && tally->table.others == tally->others;

	for (size_t i = 0; i < tally->table.count && ok; i++) {
		const struct tally_row *row = &tally->table.row[i];
		json_t *where = where_known(&history->where, row->pc);

		if (where) {
			ok = add_named(history, where, row);
		} else if (is_unnamed(history, i)) {
			history->count += (long long)row->count;
			want(wanted, row->first);
			want(wanted, row->last);
		} else {
			ok = tally->stopped[i] == row->count;
		}
	}
	for (size_t i = 0; i < HISTORY_WRITERS_MAX; i++)
		if (tally->keys[i].last_unknown)
			want(wanted, tally->keys[i].last / 2);
	return ok;
}

/* ---- The second run -------------------------------------------------------------------------- */

struct second {
	struct history *history;
	struct wanted *wanted;
	struct tally_table table;
	uint64_t begun; /* behind the change of this number */
	uint64_t shown; /* the last one of the whole */
	bool lost;
};

static void swap_writers(struct history *history, size_t a, size_t b)
{
	struct history_keys *keys = history->tally.keys, key = keys[a];
	json_t *writer = json_incref(json_array_get(history->writers, a));
	struct moment last = history->last[a];

	json_array_set(history->writers, a, json_array_get(history->writers, b));
	json_array_set_new(history->writers, b, writer);
	history->last[a] = history->last[b];
	history->last[b] = last;
	keys[a] = keys[b];
	keys[b] = key;
}

/* A writer that was named late goes where it would be if it had been named in time. */
static void put_in_order(struct history *history, size_t which)
{
	if (which == HISTORY_WRITERS_MAX)
		return;
	for (; which && history->tally.keys[which - 1].first > history->tally.keys[which].first;
	     which--)
		swap_writers(history, which - 1, which);
}

/* The change of this number. False: it is not by the code that made it in the first run, or that
 * is not the program's own and has to stop each time. */
static bool see_wanted(struct second *second, struct replay *replay, uint64_t number)
{
	const struct moment *now = replay_now(replay);
	struct history *history = second->history;
	bool unnamed;
	size_t which;
	const struct tally_row *row = find_row(&history->tally.table, now->pc, &which);

	if (!row || (row->first != number && row->last != number))
		return false;
	unnamed = is_unnamed(history, which);
	which = count_here(history, replay, 2 * number, unnamed ? (long long)row->count : 0);
	set_last(history, replay, which, 2 * number);
	if (unnamed)
		put_in_order(history, which);
	return where_known(&history->where, now->pc) != NULL;
}

static enum scan_verdict visit_second(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct second *second = context;
	struct wanted *wanted = second->wanted;

	if (!position_update(replay, failure))
		return SCAN_GIVE_UP;
	second->lost = !tallied_writes_read(replay, &second->table);
	if (second->lost)
		return SCAN_ENOUGH;
	if (second->begun + second->table.shown == second->shown)
		return SCAN_ON;
	second->shown = second->begun + second->table.shown;
	if (second->shown < wanted->numbers[wanted->found])
		return SCAN_ON;
	second->lost = second->shown != wanted->numbers[wanted->found] || !hit->watched ||
		       !see_wanted(second, replay, second->shown);
	wanted->found++;
	return second->lost || wanted->found == wanted->count ? SCAN_ENOUGH : SCAN_ON;
}

/* The last mark before the change of this number. */
static struct history_mark mark_before(const struct history_tally *tally, uint64_t number)
{
	struct history_mark mark = {tally->begun.moment, 0};

	for (size_t i = 0; i < tally->mark_count && tally->marks[i].number < number; i++)
		mark = tally->marks[i];
	return mark;
}

static bool run_second(
    struct history *history, struct search *search, struct wanted *wanted, struct failure *failure)
{
	const struct history_mark mark = mark_before(&history->tally, wanted->numbers[0]);
	struct second second = {
	    .history = history, .wanted = wanted, .begun = mark.number, .shown = mark.number};
	uint64_t numbers[TALLY_WANTED_MAX];
	struct replay *replay = search->replay;
	bool ok;

	for (size_t i = 0; i < wanted->count; i++)
		numbers[i] = wanted->numbers[i] - mark.number;
	gdb_must(replay_gdb(replay), NULL, "-break-disable %d", history->watch);
	ok = mark.number ? moment_go_to(replay, &mark.at, failure)
			 : return_ticket_use(replay, &history->tally.begun, failure);
	gdb_must(replay_gdb(replay), NULL, "-break-enable %d", history->watch);
	ok =
	    ok &&
	    tallied_writes_begin(replay, history->address, history->size, numbers, wanted->count) &&
	    scan_run(replay, FORWARD, SEARCH_STOPS_MAX, visit_second, &second, failure) ==
		SCAN_FOUND;
	return ok && !second.lost && wanted->found == wanted->count;
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Takes back what was counted, and goes on with stops. */
static enum search_end do_again(struct history *history, struct search *search, enum search_end end,
    scan_visit *visit, struct failure *failure)
{
	struct history_tally *tally = &history->tally;
	struct replay *replay = search->replay;
	bool there;

	history->count = tally->count;
	json_decref(history->writers);
	history->writers = json_incref(tally->writers);
	memcpy(history->last, tally->last, sizeof(history->last));
	memset(tally->keys, 0, sizeof(tally->keys));
	if (end == SEARCH_CUT) {
		search->reached = tally->begun.moment;
		return end;
	}
	gdb_must(replay_gdb(replay), NULL, "-break-disable %d", history->watch);
	there = search_again(search, &tally->begun.moment, failure);
	gdb_must(replay_gdb(replay), NULL, "-break-enable %d", history->watch);
	if (!there)
		return SEARCH_FAILED;
	silent_hits_begin(&history->hits, replay, search->bounded ? search->to.event : 0);
	return search_run(search, visit, history, failure);
}

static enum search_end finish(struct history *history, struct search *search, enum search_end end,
    scan_visit *visit, struct failure *failure)
{
	struct history_tally *tally = &history->tally;
	struct replay *replay = search->replay;
	struct wanted wanted = {.count = 0};
	bool whole;

	whole = end != SEARCH_FAILED && !tally->lost &&
		tallied_writes_read(replay, &tally->table) && add_table(history, &wanted);
	if (whole && wanted.count && end == SEARCH_WHOLE) {
		whole = run_second(history, search, &wanted, failure);
		tally->late =
		    !whole && replay_worker(replay)->interrupt && !replay_worker(replay)->broken;
		replay_worker(replay)->half_read &= !tally->late;
		whole |= tally->late;
		if (!replay_worker(replay)->broken)
			failure_forget(failure);
	}
	tallied_writes_end(replay);
	if (whole || end == SEARCH_FAILED || replay_worker(replay)->broken)
		return replay_worker(replay)->broken ? SEARCH_FAILED : end;
	return do_again(history, search, end, visit, failure);
}

enum search_end history_tally_finish(struct history *history, struct search *search,
    enum search_end end, scan_visit *visit, struct failure *failure)
{
	if (history->tally.state != HISTORY_TALLIES)
		return end;
	history->tally.state = HISTORY_TALLIED;
	end = finish(history, search, end, visit, failure);
	return_ticket_release(search->replay, &history->tally.begun);
	return end;
}
