/*
 * Must never leave the counter's check on.
 *
 * The first pass learns which memory orders threads, and which they share; the next ones find, as
 * long as there is more to learn; the last one goes to the accesses of the pairs. If the code there
 * says that one of them is an atomic load or store, threads are ordered by that memory, too, and
 * the pairs are looked for again.
 */
#include "worker/investigate/races/race_passes.h"

#include <string.h>
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/breaks/watchpoint.h"
#include "worker/gdb/gdb.h"
#include "worker/investigate/code/where.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/position.h"
#include "worker/serve/begins.h"

#define PASSES_MAX  6 /* in one round */
#define ROUNDS_MAX  3
#define CALLERS_MAX 3

static const struct moment start = {.event = 0};

/* In the first pass, the second thread has come: its libraries are in memory. */
static enum scan_verdict see_thread(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	const struct race_passes *passes = context;

	(void)failure;
	if (hit->number == passes->watch)
		race_check_tell_libraries(replay);
	return SCAN_ON;
}

static void drop_side(struct race_side *side)
{
	json_decref(side->moment);
	json_decref(side->frame);
	json_decref(side->callers);
}

static void drop_list(struct race_passes *passes)
{
	for (size_t i = 0; i < passes->count; i++) {
		drop_side(&passes->list[i].earlier);
		drop_side(&passes->list[i].later);
	}
	passes->count = 0;
}

static void unwatch(struct race_passes *passes)
{
	temporary_breakpoint_delete(passes->replay, passes->watch);
	passes->watch = 0;
}

void race_passes_free(struct race_passes *passes)
{
	drop_list(passes);
	unwatch(passes);
	race_check_end(passes->replay);
}

/* ---- Passes that find ------------------------------------------------------------------------ */

static bool begin(struct race_passes *passes, bool anew, struct failure *failure)
{
	if (race_check_begin(passes->replay, anew))
		return true;
	failure_set(failure, ERROR_UNSUPPORTED,
	    "start the server with --pmu=software, and ask again",
	    "only the software counter finds races of all memory, and this session counts with "
	    "%s: rr_race_scan looks at one expression",
	    replay_pmu(passes->replay));
	return false;
}

/* From the program's beginning on through what comes before the stretch. */
static enum search_end run_up(
    struct race_passes *passes, const struct moment *to, struct failure *failure)
{
	const struct moment before[2] = {start, *to};
	struct search search = {.replay = passes->replay};
	enum search_end end;

	if (!search_begin(&search, passes->replay, before, failure) ||
	    !begin(passes, false, failure))
		end = search_failed(&search, failure);
	else
		end = search_is_empty(&search) ? SEARCH_WHOLE
					       : search_run(&search, see_thread, passes, failure);
	passes->before = end == SEARCH_CUT;
	search_end(&search);
	return end;
}

/* The first pass learns, and goes through all; the others find what is in the stretch. */
static enum search_end pass(struct race_passes *passes, bool learns, const struct moment stretch[2],
    struct failure *failure)
{
	const struct moment whole[2] = {start, stretch[1]};
	const bool late = !learns && stretch[0].event != 0;
	struct search search = {.replay = passes->replay};
	enum search_end end = SEARCH_WHOLE;

	if (!search_begin(&search, passes->replay, late ? stretch : whole, failure))
		end = search_failed(&search, failure);
	else if (late)
		end = run_up(passes, &stretch[0], failure);
	else if (!begin(passes, learns, failure))
		end = SEARCH_FAILED;
	if (end == SEARCH_WHOLE && !search_is_empty(&search)) {
		search.over = false;
		if (learns)
			passes->watch =
			    watchpoint_insert_word(passes->replay, RACEMARK, WATCH_ACCESS);
		else
			race_check_show(passes->replay);
		end = search_run(&search, see_thread, passes, failure);
	}
	if (end != SEARCH_FAILED)
		race_check_read(passes->replay, &passes->table);
	unwatch(passes);
	search_end(&search);
	passes->search = search;
	return end;
}

static void take_pair(struct race_passes *passes, const struct race_pair *pair)
{
	passes->list[passes->count++] = (struct race_found){.earlier.access = pair->earlier,
	    .later.access = pair->later,
	    .count = pair->count,
	    .library = pair->library,
	    .low = pair->low,
	    .high = pair->high};
}

static void take_pairs(struct race_passes *passes)
{
	struct race_table table;

	passes->all = passes->table.pairs;
	while (passes->count < RACE_PASSES_PAIRS && passes->count < passes->all &&
	       race_check_read_pairs(passes->replay, passes->count, &table)) {
		for (size_t i = 0; i < RACE_PAIRS_PAGE && passes->count < RACE_PASSES_PAIRS &&
				   passes->count < passes->all;
		     i++)
			take_pair(passes, &table.pair[i]);
	}
}

/* Until nothing is left to be learned. */
static enum search_end find(
    struct race_passes *passes, const struct moment stretch[2], struct failure *failure)
{
	enum search_end end = SEARCH_WHOLE;

	for (int i = 0; i < PASSES_MAX && end == SEARCH_WHOLE; i++) {
		end = pass(passes, false, stretch, failure);
		passes->unsettled = (passes->table.state & RACE_AGAIN) != 0;
		if (!passes->unsettled)
			break;
	}
	if (end != SEARCH_FAILED)
		take_pairs(passes);
	return end;
}

/* ---- The pass that goes there ---------------------------------------------------------------- */

static void look(struct race_passes *passes, struct race_side *side)
{
	struct replay *replay = passes->replay;

	if (side->frame)
		return;
	position_take_sum(replay);
	side->tid = replay_now(replay)->tid;
	side->moment = moment_name(replay, replay_now(replay));
	side->frame = where_own(replay);
	side->callers = where_outer_callers(replay, CALLERS_MAX);
}

static enum scan_verdict see_access(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct race_passes *passes = context;
	unsigned long long shown;

	(void)failure;
	if (hit->number != passes->watch || !race_check_read(replay, &passes->table))
		return SCAN_ON;
	shown = passes->table.shown;
	for (size_t i = 0; i < passes->count; i++) {
		struct race_found *found = &passes->list[i];

		if (found->earlier.access.number == shown)
			look(passes, &found->earlier);
		if (found->later.access.number == shown)
			look(passes, &found->later);
	}
	passes->wanted -= passes->wanted > 0;
	return passes->wanted ? SCAN_ON : SCAN_ENOUGH;
}

/* Once, though it may be a side of several pairs. */
static void want(struct race_passes *passes, size_t at, unsigned long long number)
{
	for (size_t i = 0; i < at; i++)
		if (passes->list[i].earlier.access.number == number ||
		    passes->list[i].later.access.number == number)
			return;
	race_check_want(passes->replay, number);
	passes->wanted++;
}

static void visit(struct race_passes *passes, const struct moment stretch[2])
{
	const struct moment whole[2] = {start, stretch[1]};
	struct search search = {.replay = passes->replay};
	cleanup_failure struct failure ignored = {0};

	passes->wanted = 0;
	if (search_begin(&search, passes->replay, whole, &ignored) &&
	    race_check_begin(passes->replay, false)) {
		passes->watch = watchpoint_insert_word(passes->replay, RACEMARK, WATCH_ACCESS);
		for (size_t i = 0; i < passes->count; i++) {
			want(passes, i, passes->list[i].earlier.access.number);
			want(passes, i, passes->list[i].later.access.number);
		}
		passes->unfinished =
		    search_run(&search, see_access, passes, &ignored) == SEARCH_CUT;
	}
	unwatch(passes);
	search_end(&search);
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Whether the program asked the C library to touch the bytes. The others of its functions have
 * their own memory, or a lock's, which they know how to share. */
static bool is_on_demand(const struct race_side *side)
{
	static const char *const names[] = {
	    "mem", "str", "stp", "wmem", "wcs", "bcopy", "bzero", "GI_mem", "GI_str"};
	const char *in = json_string_value(json_object_get(side->frame, "in"));

	in += in ? strspn(in, "_") : 0;
	for (size_t i = 0; in && i < sizeof(names) / sizeof(*names); i++)
		if (begins(in, names[i]))
			return true;
	return false;
}

/* Leaves out what is the C library's own affair. */
static void leave_out(struct race_passes *passes)
{
	size_t kept = 0;

	for (size_t i = 0; i < passes->count; i++) {
		struct race_found *found = &passes->list[i];

		if (!found->library || is_on_demand(&found->earlier) ||
		    is_on_demand(&found->later)) {
			passes->list[kept++] = *found;
			continue;
		}
		drop_side(&found->earlier);
		drop_side(&found->later);
		passes->all--;
	}
	passes->count = kept;
}

static bool same_line(const struct race_side *one, const struct race_side *other)
{
	const json_t *at = json_object_get(one->frame, "at");

	return at && json_equal(at, json_object_get(other->frame, "at")) &&
	       one->access.kind == other->access.kind;
}

static unsigned long long end_of(const struct race_found *found)
{
	return found->high + found->later.access.size;
}

/* Whether they are of one statement, which copies a structure without a name. */
static bool are_one(const struct race_found *one, const struct race_found *other)
{
	return same_line(&one->earlier, &other->earlier) && same_line(&one->later, &other->later) &&
	       !one->place.named && !other->place.named && one->low <= end_of(other) &&
	       other->low <= end_of(one);
}

/* The other is a part of the first from here on. */
static void join(struct race_found *found, struct race_found *other)
{
	found->count = found->count > other->count ? found->count : other->count;
	found->low = found->low < other->low ? found->low : other->low;
	found->high = found->high > other->high ? found->high : other->high;
	drop_side(&other->earlier);
	drop_side(&other->later);
}

static void join_all(struct race_passes *passes)
{
	size_t kept = 0;

	for (size_t i = 0; i < passes->count; i++) {
		struct race_found *found = &passes->list[i];
		size_t one = 0;

		while (one < kept && !are_one(&passes->list[one], found))
			one++;
		if (one < kept)
			join(&passes->list[one], found);
		else
			passes->list[kept++] = *found;
	}
	passes->all -= passes->count - kept;
	passes->count = kept;
}

/* Names the places. True if some are atomic: threads are ordered by them. */
static bool learn(struct race_passes *passes)
{
	bool learned = false;

	for (size_t i = 0; i < passes->count; i++) {
		struct race_found *found = &passes->list[i];
		const unsigned long long pcs[2] = {
		    found->earlier.access.pc, found->later.access.pc};

		found->place = race_place_find(passes->replay, found->later.access.start, pcs);
		if (!found->place.atomic)
			continue;
		race_check_order(passes->replay, found->later.access.start);
		learned = true;
	}
	return learned;
}

bool race_passes_find(
    struct race_passes *passes, const struct moment stretch[2], struct failure *failure)
{
	passes->end = pass(passes, true, stretch, failure);
	passes->before = passes->end == SEARCH_CUT;
	for (int i = 0; i < ROUNDS_MAX && passes->end == SEARCH_WHOLE; i++) {
		drop_list(passes);
		passes->end = find(passes, stretch, failure);
		if (passes->count == 0 || passes->end == SEARCH_FAILED)
			break;
		visit(passes, stretch);
		leave_out(passes);
		if (!learn(passes) || passes->unfinished)
			break;
	}
	join_all(passes);
	for (; passes->count > passes->most; passes->count--) {
		drop_side(&passes->list[passes->count - 1].earlier);
		drop_side(&passes->list[passes->count - 1].later);
	}
	return passes->end != SEARCH_FAILED;
}
