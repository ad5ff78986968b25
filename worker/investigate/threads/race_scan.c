/*
 * rr_race_scan: who accesses a place in memory, with which locks, and which accesses of two threads
 * nothing orders. It runs through the recording once, and stops at the accesses and at the
 * functions by which threads wait for each other. Where the counter is ours, most accesses do not
 * stop, see race_silence.c; then it runs through once more, to those that are shown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/breaks/places/absolute.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/investigate/threads/race.h"
#include "worker/read/values/accessed.h"
#include "worker/moment/excursion.h"
#include "worker/breaks/watchpoint.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/gdb/mi/says.h"
#include "worker/read/code/mappings.h"
#include "worker/moment/position.h"
#include "worker/read/names/ambiguous_statics.h"

#define NOTHING "<unreadable>" /* what gdb prints for memory that is not mapped */

/* ---- An access ------------------------------------------------------------------------------- */

static json_t *bounded(const char *text)
{
	return scrub_json_middle(text, strlen(text), RACE_VALUE_MAX, NULL);
}

json_t *race_values(const struct replay *replay, const struct hit *hit)
{
	const json_t *told = json_object_get(gdb_last_stop(replay_gdb(replay)), "value");
	const char *value = hit->new ? hit->new : mi_text(told, "value");

	if (!value || (hit->old && strcmp(hit->old, NOTHING) == 0) ||
	    (hit->new &&strcmp(hit->new, NOTHING) == 0))
		return NULL;
	if (!hit->old || !hit->new)
		return json_pack("{s:o}", "value", bounded(value));
	return json_pack("{s:o, s:o}", "old", bounded(hit->old), "new", bounded(hit->new));
}

/* The number of that place in the code. */
static unsigned site_of(struct race *race, json_t *where)
{
	for (size_t i = 0; i < race->site_count; i++)
		if (json_equal(race->sites[i], where))
			return (unsigned)i;
	if (race->site_count == RACE_SITES_MAX) {
		race->site_left = true;
		return RACE_SITES_MAX - 1;
	}
	race->sites[race->site_count] = json_incref(where);
	return (unsigned)race->site_count++;
}

struct race_entry *race_add(struct race *race)
{
	size_t room = race->room ? race->room * 2 : 64;
	struct race_entry *accesses;

	if (race->count == race->room) {
		accesses = reallocarray(race->accesses, room, sizeof(*accesses));
		if (!accesses)
			return NULL;
		race->accesses = accesses;
		race->room = room;
	}
	return &race->accesses[race->count];
}

void race_keep_takings(struct race *race, size_t point)
{
	size_t count;
	const struct order_held *held = order_point_held(race->threading->order, point, &count);

	for (size_t i = 0; i < count; i++)
		if (held[i].taking < race->threading->taking_count)
			race->threading->takings[held[i].taking].kept = true;
}

/* malloc keeps its own data in blocks that are free. */
static bool is_of_malloc(struct race *race)
{
	return race->allocator_known &&
	       allocator_accessor(race->replay, &race->allocator) == ACCESSOR_ALLOCATOR;
}

static bool take_access(struct race *race, const struct hit *hit)
{
	size_t thread = threading_here(race->threading), point;
	json_auto_t *values = race_values(race->replay, hit);
	json_t *where;
	struct race_entry *access = values ? race_add(race) : NULL;

	if (!access || thread == ORDER_NONE || is_of_malloc(race))
		return !values || access;
	own_locks_look(&race->own, race->threading, thread);
	point = order_point(race->threading->order, thread);
	if (point == ORDER_NONE)
		return false;
	race_keep_takings(race, point);
	where = where_behind(race->replay, &race->where);
	*access = (struct race_entry){.thread = thread,
	    .point = point,
	    .site = site_of(race, where),
	    .life = race->life,
	    .kind = access_kind_here(race->replay, &race->code, race_silence_changed(race, hit)),
	    .atomic = access_kind_is_atomic(race->replay, &race->code),
	    .where = where,
	    .count = 1};
	position_take_sum(race->replay);
	for (enum race_end end = RACE_FIRST; end < RACE_ENDS; end++) {
		access->end[end].index = race->total;
		access->end[end].number = race->silence.stale;
		access->end[end].moment = *replay_now(race->replay);
		access->end[end].values = race->silence.stale ? NULL : json_incref(values);
	}
	race->total++;
	race->count++;
	race_silence_hush(race);
	return true;
}

/* ---- Stops ----------------------------------------------------------------------------------- */

static int stop_in_block(struct race *race, unsigned long long function)
{
	char where[300];

	snprintf(where, sizeof(where),
	    "-c \"(unsigned long) $rdi > 4095 && (unsigned long) $rdi <= %lluUL && %lluUL - "
	    "(unsigned long) $rdi < (*(unsigned long *) ($rdi - 8) & ~7UL)\" *%llu",
	    race->address, race->address, function);
	return temporary_breakpoint_insert(race->replay, where);
}

/* Where malloc takes back a block with the address in it, its memory begins another life. */
static void set_lives(struct race *race)
{
	if (!race->heap || race->allocator_known || !allocator_find(race->replay, &race->allocator))
		return;
	race->allocator_known = true;
	race->freed = stop_in_block(race, race->allocator.take);
	race->resized = stop_in_block(race, race->allocator.resize);
}

static bool is_real(struct race *race, const struct hit *hit)
{
	return race_silence_changed(race, hit) ||
	       access_kind_touches(race->replay, &race->code, race->address, race->size);
}

static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct race *race = context;

	(void)replay;
	if (!race_silence_take(race, hit->watched && hit->number == race->watch))
		return SCAN_ENOUGH;
	if (hit->watched && hit->number == race->watch && !race->silence.no_access &&
	    is_real(race, hit) && !take_access(race, hit)) {
		failure_no_memory(failure);
		return SCAN_GIVE_UP;
	}
	if (hit->breakpoint && hit->breakpoint == race->threading->entry)
		set_lives(race);
	if (hit->breakpoint && (hit->breakpoint == race->freed || hit->breakpoint == race->resized))
		race->life++;
	else if (hit->breakpoint && !threading_take(race->threading, hit))
		own_locks_take(&race->own, race->threading, hit);
	return race->count < RACE_ACCESSES_MAX && !order_is_full(race->threading->order)
		   ? SCAN_ON
		   : SCAN_ENOUGH;
}

/* ---- The place in memory --------------------------------------------------------------------- */

/* Whether the C or C++ type is an atomic one. */
static bool is_atomic_type(struct replay *replay, const char *expression)
{
	const char *said = gdb_shown(replay_gdb(replay),
	    "it is not known whether its type is an atomic one", "whatis %s", expression);

	return said && (strstr(said, "_Atomic") || strstr(said, "std::atomic<") ||
			   strstr(said, "std::__atomic_base<"));
}

static void look_at_mapping(struct race *race)
{
	cleanup_mappings struct mappings *mappings = mappings_read(race->replay);
	const struct mapping *mapping = mappings_find(mappings, race->address);

	race->shared = mapping && mapping->rights[3] == 's';
	race->heap = mapping && (!mapping->file[0] || strcmp(mapping->file, "[heap]") == 0);
}

/* Sets the watchpoint where the names of the expression mean what the client means, and disables it
 * until the stretch begins. */
static bool set_watch(struct race *race, struct failure *failure)
{
	if (!ambiguous_statics_check(race->replay, race->args->expression, failure))
		return false;
	place_expression(race->watched, race->args->expression, race->args->length);
	race->watch =
	    watchpoint_insert(race->replay, race->watched, WATCH_ACCESS, true, NULL, failure);
	if (!race->watch && gdb_says(failure->message, SAYS_UNWATCHABLE))
		failure_set(failure, ERROR_UNSUPPORTED,
		    "ask for a part of it, one field for instance: the hardware can watch 4 places "
		    "of at most 8 bytes",
		    "%.200s is too large to watch", race->args->expression);
	if (!race->watch)
		return false;
	gdb_must(replay_gdb(race->replay), NULL, "-break-disable %d", race->watch);
	if (!place_find(race->replay, race->watched, &race->address, &race->size, failure))
		return false;
	race->unmapped = place_unmapped(race->replay, race->address, race->args->length);
	race->atomic_type = is_atomic_type(race->replay, race->watched);
	race->is_bit_field = absolute_is_bit_field(race->replay, race->watched);
	look_at_mapping(race);
	return true;
}

/* By default, a local's accesses are those of its own call. */
static bool choose_stretch(struct race *race, struct moment stretch[2], struct failure *failure)
{
	const struct race_scan_args *args = race->args;

	race->local_known = LIFETIME_NONE;
	if (!search_stretch(race->replay, args->from, args->to, stretch, failure))
		return false;
	if (args->from || args->to)
		return true;
	race->local_known = frame_lifetime_find(race->replay, race->address, &race->local, failure);
	if (race->local_known == LIFETIME_KNOWN)
		memcpy(stretch, race->local.stretch, sizeof(race->local.stretch));
	return race->local_known != LIFETIME_FAILED;
}

/* ---- The search ------------------------------------------------------------------------------ */

static bool follow_threads(struct race *race, bool from_start, struct failure *failure)
{
	race->threading = threading_begin(race->replay, from_start, failure);
	if (!race->threading)
		return false;
	set_lives(race);
	return true;
}

static enum search_end run(struct race *race, struct search *search, struct failure *failure)
{
	enum search_end end;

	race_silence_begin(race);
	end = search_run_many(search, see, race, failure);
	race_silence_end(race, search, end);
	return end;
}

static json_t *search_all(struct race *race, struct failure *failure)
{
	enum search_end end = SEARCH_FAILED;
	struct search search = {.replay = race->replay};
	struct moment stretch[2];

	if (choose_stretch(race, stretch, failure) &&
	    search_begin(&search, race->replay, stretch, failure) &&
	    follow_threads(race, stretch[0].event == 0, failure) &&
	    gdb_check(replay_gdb(race->replay),
		gdb_command(replay_gdb(race->replay), NULL, "-break-enable %d", race->watch),
		ERROR_GDB_FAILED, NULL, failure))
		end = run(race, &search, failure);
	search_end(&search);
	if (end == SEARCH_FAILED || race->silence.lost || !race_compare(race))
		return NULL;
	race->silence.unvisited = end == SEARCH_CUT && race->silence.hidden;
	if (end != SEARCH_CUT)
		race_silence_visit(race, stretch);
	return race->silence.lost ? NULL : race_answer(race, &search, end);
}

void race_stop_nowhere_else(struct race *race)
{
	temporary_breakpoint_delete(race->replay, race->freed);
	temporary_breakpoint_delete(race->replay, race->resized);
	race->freed = race->resized = 0;
	own_locks_clear(&race->own, race->replay);
	threading_clear(race->threading);
}

static void clear(struct race *race)
{
	temporary_breakpoint_delete(race->replay, race->watch);
	if (race->threading)
		race_stop_nowhere_else(race);
	threading_free(race->threading);
	for (size_t i = 0; i < race->count; i++) {
		for (enum race_end end = RACE_FIRST; end < RACE_ENDS; end++)
			json_decref(race->accesses[i].end[end].values);
		json_decref(race->accesses[i].where);
	}
	for (size_t i = 0; i < race->site_count; i++)
		json_decref(race->sites[i]);
	where_forget(&race->where);
	json_decref(race->unmapped);
	free(race->accesses);
	free(race->pairs);
	free(race->by);
	free(race);
}

/* NULL with *failure filled, or *lost: what was counted without a stop is of no use. */
static json_t *scan(struct replay *replay, const struct race_scan_args *args, bool by_stops,
    bool *lost, struct failure *failure)
{
	struct race *race = calloc(1, sizeof(*race));
	json_t *answer = NULL;

	if (!race)
		return failure_no_memory(failure);
	race->args = args;
	race->replay = replay;
	race->by_stops = by_stops;
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	if (set_watch(race, failure))
		answer = search_all(race, failure);
	*lost = !answer && race->silence.lost;
	clear(race);
	return excursion_answer(&excursion, answer, failure);
}

json_t *tool_race_scan(
    struct replay *replay, const struct race_scan_args *args, struct failure *failure)
{
	bool lost = false;
	json_t *answer = scan(replay, args, false, &lost, failure);

	if (!lost)
		return answer;
	answer = scan(replay, args, true, &lost, failure);
	if (answer)
		json_object_set_new(answer, "slow",
		    json_string("each access had to stop: of those that did not, some may have "
				"been missed"));
	return answer;
}
