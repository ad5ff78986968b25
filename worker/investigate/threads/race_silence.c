/*
 * Accesses of a scan for races that do not stop: while the program runs on, the software counter
 * notes them by thread and instruction. The first ones stop, which the answer lists; and then those
 * by instructions that were not known, of threads that were not known, or of which each may mean
 * another thing. Between two stops no thread does anything that orders it, as far as is seen, so
 * all of them lie at the threads' present points.
 *
 * LIMIT: each call that orders threads stops still, and so does each atomic operation near the
 * accesses. Of a place that is used under a lock, the calls take the time.
 *
 * It must never guess: if what was counted does not fit what was seen, it is lost, and the scan
 * stops at each access.
 */
#include <string.h>
#include "worker/gdb/must.h"
#include "worker/investigate/counting/silent_accesses.h"
#include "worker/investigate/threads/race.h"
#include "worker/moment/position.h"
#include "worker/read/values/accessed.h"
#include "worker/read/code/preceding.h"
#include "worker/serve/ops.h"

void race_silence_begin(struct race *race)
{
	race->silence.on =
	    !race->by_stops && silent_accesses_begin(race->replay, race->address, race->size);
}

static bool lose(struct race *race)
{
	race->silence.on = false;
	race->silence.lost = true;
	silent_accesses_end(race->replay);
	return false;
}

/* ---- Instructions ---------------------------------------------------------------------------- */

static const struct race_code *code_of(const struct race *race, unsigned long long pc)
{
	for (size_t i = 0; i < race->silence.code_count; i++)
		if (race->silence.code[i].pc == pc)
			return &race->silence.code[i];
	return NULL;
}

/* Whether the instruction that ends there does the same each time, with one operand. */
static bool is_plain(struct replay *replay, unsigned long long end)
{
	const unsigned long long begin = preceding_begin(replay, end);
	struct instruction instruction;

	return begin && accessed_instruction(replay, begin, &instruction) &&
	       begin + instruction.length == end && instruction.count == 1 &&
	       instruction.operands[0].access.kind == ACCESS_PLAIN && !instruction.calls &&
	       !instruction.jumps && !instruction.returns && !accessed_can_mislead(&instruction);
}

void race_silence_hush(struct race *race)
{
	const struct race_entry *access = &race->accesses[race->count - 1];
	const unsigned long long pc = replay_now(race->replay)->pc;
	struct race_silence *silence = &race->silence;
	enum access_kind kind;

	if (!silence->on || race->count < (size_t)race->args->limit ||
	    silence->code_count == ACCESS_QUIET_MAX || code_of(race, pc) ||
	    !where_known(&race->where, pc) || !is_plain(race->replay, pc))
		return;
	kind = access_kind_here(race->replay, &race->code, false);
	if (kind == ACCESS_KIND_UNKNOWN)
		return;
	silence->code[silence->code_count++] = (struct race_code){.pc = pc,
	    .site = access->site,
	    .kind = kind,
	    .atomic = access->atomic,
	    .where = access->where};
	silent_accesses_hush(race->replay, pc);
}

/* ---- What was counted ------------------------------------------------------------------------ */

static bool is_code_of(
    const struct race *race, unsigned long long pc, const struct race_entry *access)
{
	const struct race_code *code = code_of(race, pc);

	return code && code->where == access->where && code->kind == access->kind;
}

/* Between the last stop and this one, or since then. */
static bool take_row(struct race *race, const struct access_row *row)
{
	struct race_silence *silence = &race->silence;
	const struct race_code *code = code_of(race, row->pc);
	const long long ahead = race->total - (long long)silence->seen - 1;
	struct race_entry *access;
	size_t thread, point;

	if (!code || row->thread >= silence->thread_count || row->count < 1)
		return lose(race);
	thread = silence->thread[row->thread];
	point = thread == ORDER_NONE ? ORDER_NONE : order_point(race->threading->order, thread);
	access = point == ORDER_NONE ? NULL : race_add(race);
	if (!access)
		return lose(race);
	race_keep_takings(race, point);
	*access = (struct race_entry){.thread = thread,
	    .point = point,
	    .site = code->site,
	    .life = race->life,
	    .kind = code->kind,
	    .atomic = code->atomic,
	    .where = json_incref(code->where),
	    .count = (long long)row->count};
	access->end[RACE_FIRST].index = ahead + (long long)row->first;
	access->end[RACE_FIRST].number = row->first;
	access->end[RACE_LAST].index = ahead + (long long)row->last;
	access->end[RACE_LAST].number = row->last;
	race->count++;
	return true;
}

/* `stopped`: accesses that were counted, and have stopped since. */
static bool take_rows(struct race *race, struct access_table *table, unsigned long long stopped)
{
	struct race_silence *silence = &race->silence;
	const unsigned long long rows = table->rows;
	const long long hidden = (long long)(table->total - silence->seen - stopped);
	long long sum = 0;

	for (size_t i = 0; i < rows; i++) {
		const struct access_row *row = &table->row[i % ACCESS_ROWS_PAGE];

		if (i > 0 && i % ACCESS_ROWS_PAGE == 0 &&
		    !silent_accesses_read_rows(race->replay, i, table))
			return lose(race);
		if (!take_row(race, row))
			return false;
		sum += (long long)row->count;
	}
	if (sum != hidden)
		return lose(race);
	race->total += hidden;
	silence->hidden += hidden;
	silence->seen = table->total;
	if (rows)
		silent_accesses_forget(race->replay);
	return true;
}

/* Whose accesses those with that number are. */
static bool meet_thread(struct race *race, unsigned long long number)
{
	struct race_silence *silence = &race->silence;
	const size_t here = threading_here(race->threading);

	if (number < silence->thread_count)
		return silence->thread[number] == here;
	if (number != silence->thread_count || number == ORDER_THREADS_MAX)
		return false;
	silence->thread[silence->thread_count++] = here;
	return true;
}

bool race_silence_take(struct race *race, bool watched)
{
	struct race_silence *silence = &race->silence;
	const unsigned long long pc = replay_now(race->replay)->pc;
	struct access_table table;
	bool stopped;

	silence->stale = 0;
	silence->no_access = false;
	if (!silence->on || (!watched && !silence->code_count))
		return !silence->lost;
	if (!silent_accesses_read(race->replay, &table))
		return lose(race);
	stopped = watched && table.shown == table.total && table.total > silence->seen;
	silence->no_access =
	    watched && !stopped && table.step_total == table.total && table.step_pc == pc;
	/* rr stops at its own writes, too, which are not counted; and it may go back and run on in
	 * another process, where nothing is. What was hidden would come again. */
	if (watched && silence->code_count && !silence->no_access && (!stopped || table.pc != pc))
		return lose(race);
	silence->stale = stopped && table.stale ? table.shown : 0;
	silence->old = table.old;
	return take_rows(race, &table, stopped) &&
	       (!stopped || meet_thread(race, table.thread) || lose(race));
}

bool race_silence_changed(const struct race *race, const struct hit *hit)
{
	unsigned long long now = 0;

	if (!race->silence.stale)
		return hit->old && hit->new;
	return !accessed_whole(race->replay, race->address, &now, race->size) ||
	       now != race->silence.old;
}

void race_silence_end(struct race *race, const struct search *search, enum search_end end)
{
	struct access_table table;

	if (!race->silence.on)
		return;
	/* What was counted behind the end cannot be told from the rest. */
	if (race->silence.code_count && search_stayed_inside(search, end)) {
		if (!silent_accesses_read(race->replay, &table) || !take_rows(race, &table, 0))
			lose(race);
	} else if (race->silence.code_count && end == SEARCH_WHOLE) {
		lose(race);
	}
	silent_accesses_end(race->replay);
}

/* ---- Those that are shown -------------------------------------------------------------------- */

#define WANTED_MAX (2 * RACE_PAIRS_SHOWN + 3)

struct visit {
	struct race *race;
	struct race_example wanted[WANTED_MAX];
	size_t count, left;
};

static unsigned long long number_of(const struct race *race, struct race_example at)
{
	return race->accesses[at.access].end[at.end].number;
}

/* In their order, each once, and only those that did not stop. */
static void want(struct visit *visit, size_t access, enum race_end end)
{
	const struct race_example at = {access, end};
	const unsigned long long number = number_of(visit->race, at);
	size_t i = visit->count;

	for (size_t j = 0; j < visit->count; j++)
		if (number_of(visit->race, visit->wanted[j]) == number)
			return;
	if (!number)
		return;
	for (; i > 0 && number_of(visit->race, visit->wanted[i - 1]) > number; i--)
		visit->wanted[i] = visit->wanted[i - 1];
	visit->wanted[i] = at;
	visit->count++;
}

/* The only one of its entry is its first and its last. */
static void keep(
    struct race_entry *access, enum race_end end, const struct race *race, json_t *values)
{
	for (enum race_end i = RACE_FIRST; i < RACE_ENDS; i++) {
		if (i != end && access->count > 1)
			continue;
		access->end[i].moment = *replay_now(race->replay);
		access->end[i].values = json_incref(values);
	}
}

/* Whether the program stands behind that access, as far as the run before tells. */
static bool is_here(const struct race *race, const struct race_entry *access, enum race_end end)
{
	const struct moment *now = replay_now(race->replay), *then = &access->end[end].moment;

	return now->tid == race->threading->threads[access->thread].tid &&
	       (then->tid ? now->pc == then->pc : is_code_of(race, now->pc, access));
}

static enum scan_verdict see_wanted(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct visit *visit = context;
	struct race *race = visit->race;
	struct access_table table;

	(void)failure;
	if (!hit->watched || hit->number != race->watch || !silent_accesses_read(replay, &table) ||
	    table.shown != table.total)
		return SCAN_ON;
	for (size_t i = 0; i < visit->count; i++) {
		struct race_entry *access = &race->accesses[visit->wanted[i].access];
		json_auto_t *values = NULL;

		if (number_of(race, visit->wanted[i]) != table.shown ||
		    access->end[visit->wanted[i].end].values)
			continue;
		values = race_values(replay, hit);
		if (values && is_here(race, access, visit->wanted[i].end)) {
			position_take_sum(replay);
			keep(access, visit->wanted[i].end, race, values);
			visit->left--;
		} else {
			race->silence.lost = true;
		}
	}
	return visit->left && !race->silence.lost ? SCAN_ON : SCAN_ENOUGH;
}

static void choose(struct visit *visit)
{
	const struct race *race = visit->race;
	const struct unordered_pair *shown[RACE_PAIRS_SHOWN];
	const size_t count = race_shown(race, shown);

	for (size_t i = 0; i < count; i++) {
		want(visit, shown[i]->first, RACE_LAST);
		want(visit, shown[i]->second, RACE_FIRST);
	}
	for (size_t i = 0; race->has_overtaken && i < 3; i++)
		want(visit, race->overtaken[i].access, race->overtaken[i].end);
	visit->left = visit->count;
}

/* From where the stretch begins, where the counter begins again. */
static enum search_end go_there(struct visit *visit, const struct moment stretch[2])
{
	struct race *race = visit->race;
	struct search search = {.replay = race->replay};
	cleanup_failure struct failure ignored = {0};
	enum search_end end = SEARCH_FAILED;

	gdb_must(replay_gdb(race->replay), NULL, "-break-disable %d", race->watch);
	if (search_begin(&search, race->replay, stretch, &ignored) &&
	    silent_accesses_begin(race->replay, race->address, race->size)) {
		gdb_must(replay_gdb(race->replay), NULL, "-break-enable %d", race->watch);
		for (size_t i = 0; i < race->silence.code_count; i++)
			silent_accesses_hush(race->replay, race->silence.code[i].pc);
		for (size_t i = 0; i < visit->count; i++)
			silent_accesses_want(race->replay, number_of(race, visit->wanted[i]));
		end = search_run(&search, see_wanted, visit, &ignored);
	}
	silent_accesses_end(race->replay);
	search_end(&search);
	return end;
}

void race_silence_visit(struct race *race, const struct moment stretch[2])
{
	struct visit visit = {.race = race};

	choose(&visit);
	if (!visit.count)
		return;
	race_stop_nowhere_else(race);
	switch (go_there(&visit, stretch)) {
	case SEARCH_CUT:
		race->silence.unvisited = true;
		break;
	case SEARCH_WHOLE:
	case SEARCH_FAILED:
	case SEARCH_ENOUGH:
		/* A run that does not agree with the one before. */
		race->silence.lost |= visit.left > 0;
	}
}
