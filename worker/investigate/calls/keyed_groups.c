/*
 * Keeps what the return addresses mean, and the order of passes that were counted and passes that
 * were looked at. It must never name an address whose calls gdb could tell apart.
 */
#include "worker/investigate/calls/keyed_groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/breaks/passes.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/investigate/counting/counted.h"
#include "worker/investigate/search/location_hits.h"
#include "worker/moment/position.h"
#include "worker/read/frames/callers.h"
#include "worker/read/values/accessed.h"

#define STACK_WORDS 256

static void note_stop(struct keyed_groups *groups, unsigned long long counted)
{
	unsigned long long *more;

	if (groups->stop_count == groups->stop_room) {
		groups->stop_room = groups->stop_room ? 2 * groups->stop_room : 64;
		more = realloc(groups->stops, groups->stop_room * sizeof(*more));
		if (!more) {
			groups->lost = true;
			groups->stop_room = groups->stop_count;
			return;
		}
		groups->stops = more;
	}
	groups->stops[groups->stop_count++] = counted;
}

/* Whether values of the expression have no sign. It has one type, because there is one place. */
static bool has_no_sign(struct replay *replay, const char *value, bool *no_sign)
{
	char expression[2 * REPLAY_EXPRESSION_MAX + 32];
	unsigned long long is_less;

	if ((size_t)snprintf(expression, sizeof(expression), "((%s) - (%s)) - 1 < 0", value,
		value) >= sizeof(expression) ||
	    !accessed_number(replay, expression, &is_less))
		return false;
	*no_sign = !is_less;
	return true;
}

static bool begin(
    struct keyed_groups *groups, struct replay *replay, long long looked, const char *value)
{
	if (!passes_sum(replay, &groups->before) ||
	    (value && !has_no_sign(replay, value, &groups->unsigned_values)) ||
	    !keyed_passes_begin(replay))
		return false;
	for (long long i = 0; i < looked; i++)
		note_stop(groups, 0);
	position_take_sum(replay);
	groups->begun = *replay_now(replay);
	groups->looked_before = (unsigned long long)looked;
	groups->on = !groups->lost;
	return groups->on;
}

bool keyed_groups_begin(struct keyed_groups *groups, struct replay *replay, long long looked,
    const char *by, const char *value)
{
	if (by)
		snprintf(groups->key, sizeof(groups->key), "(long)(%s)", by);
	else if (!return_place(replay, replay_now(replay)->pc, groups->key))
		return false;
	return begin(groups, replay, looked, value);
}

bool keyed_groups_begin_sum(
    struct keyed_groups *groups, struct replay *replay, long long looked, const char *value)
{
	snprintf(groups->key, sizeof(groups->key), "0");
	if (!begin(groups, replay, looked, value))
		return false;
	groups->known[groups->count++].group = KEYED_GROUPS_MAX;
	keyed_passes_name(replay, 0);
	return true;
}

void keyed_groups_end(struct keyed_groups *groups)
{
	free(groups->stops);
	unwind_files_close(&groups->files);
	*groups = (struct keyed_groups){0};
}

static bool is_known(const struct keyed_groups *groups, unsigned long long key)
{
	for (size_t i = 0; i < groups->count; i++)
		if (groups->known[i].key == key)
			return true;
	return false;
}

/* The innermost part of the stack is read in one piece: each way out of it needs many words. */
struct stack_read {
	struct replay *replay;
	uint64_t start;
	uint64_t words[STACK_WORDS];
	bool read;
};

static bool read_word(void *context, uint64_t address, uint64_t *word)
{
	struct stack_read *stack = context;
	const uint64_t offset = address - stack->start;

	if (stack->read && offset <= sizeof(stack->words) - sizeof(*word)) {
		memcpy(word, (const uint8_t *)stack->words + offset, sizeof(*word));
		return true;
	}
	return accessed_whole(stack->replay, address, word, sizeof(*word));
}

static void teach_rule(struct keyed_groups *groups, struct replay *replay, unsigned long long pc,
    const struct stack_rule *rule)
{
	for (size_t i = 0; i < groups->taught_count; i++)
		if (groups->taught[i] == pc)
			return;
	if (groups->taught_count == STACK_RULES_MAX)
		return;
	groups->taught[groups->taught_count++] = pc;
	keyed_passes_rule(replay, pc, rule);
}

/* Teaches the counter the way to the outermost of these return addresses. False: the rules lead
 * elsewhere than gdb. */
static bool teach(struct keyed_groups *groups, struct replay *replay, const struct decides *decides)
{
	unsigned long long from = replay_now(replay)->pc, sp, rbp;
	struct stack_rule rule[KEY_DEPTH_MAX];
	struct stack_read stack = {.replay = replay};
	struct stack_place place;

	if (!accessed_number(replay, "(unsigned long)$sp", &sp) ||
	    !accessed_number(replay, "(unsigned long)$rbp", &rbp))
		return false;
	place = (struct stack_place){from, sp, rbp};
	stack.start = sp;
	stack.read = accessed_whole(replay, sp, stack.words, sizeof(stack.words));
	for (size_t i = 0; i < decides->depth; i++)
		if (!unwind_rule_find(&groups->files, replay, place.pc, i > 0, &rule[i]) ||
		    !stack_step_out(&rule[i], &place, read_word, &stack) ||
		    place.pc != decides->at[i])
			return false;
	for (size_t i = 0; i < decides->depth; i++) {
		teach_rule(groups, replay, from, &rule[i]);
		from = decides->at[i];
	}
	return true;
}

/*
 * A frame that gdb makes up, of an inlined function, does not stand at a return address; one of a
 * function that ended with a jump to this one ends what decides, see collect of caller.c.
 */
static void learn(
    struct keyed_groups *groups, struct replay *replay, size_t group, const struct decides *decides)
{
	unsigned long long key;

	if (!decides->depth || groups->count == KEYS_MAX ||
	    !accessed_number(replay, groups->key, &key) || key != decides->at[0])
		return;
	for (size_t i = 1; i < decides->depth; i++)
		key = key_of_callers(key, decides->at[i]);
	if (is_known(groups, key) ||
	    (decides->no_lines && !groups->no_lines && !callers_have_no_lines(replay)) ||
	    (decides->depth > 1 && !teach(groups, replay, decides)))
		return;
	groups->no_lines |= decides->no_lines;
	groups->known[groups->count].key = key;
	groups->known[groups->count++].group = group;
	keyed_passes_name(replay, key);
}

void keyed_groups_look(
    struct keyed_groups *groups, struct replay *replay, size_t group, const struct decides *decides)
{
	unsigned long long sum;

	if (!groups->on)
		return;
	if (!passes_sum(replay, &sum) || sum < groups->before) {
		groups->lost = true;
		return;
	}
	note_stop(groups, sum - groups->before);
	if (group < KEYED_GROUPS_MAX)
		groups->looked[group] = sum - groups->before;
	learn(groups, replay, group, decides);
}

/* Of a counted pass, its number among all passes. */
static unsigned long long number_of(const struct keyed_groups *groups, unsigned long long counted)
{
	size_t low = 0, high = groups->stop_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (groups->stops[middle] < counted)
			low = middle + 1;
		else
			high = middle;
	}
	return counted + low;
}

static size_t group_of(const struct keyed_groups *groups, unsigned long long key, bool *known)
{
	for (size_t i = 0; i < groups->count; i++)
		if (groups->known[i].key == key)
			return groups->known[i].group;
	*known = false;
	return KEYED_GROUPS_MAX;
}

static void take_row(struct keyed_groups *groups, const struct key_row *row, size_t group,
    struct keyed_counts *counts)
{
	const unsigned long long counted = row->last - groups->before;
	unsigned long long number;

	if (row->count == 0)
		return;
	counts->count[group] += (long long)row->count;
	groups->lost |= __builtin_add_overflow(counts->sum[group], row->sum, &counts->sum[group]);
	if (group == KEYED_GROUPS_MAX || counted <= groups->looked[group])
		return;
	number = number_of(groups, counted) - groups->looked_before;
	if (number > counts->last[group])
		counts->last[group] = number;
}

bool keyed_groups_count(struct keyed_groups *groups, struct replay *replay, unsigned long long sum,
    struct keyed_counts *counts)
{
	struct key_row rows[KEYS_MAX];
	unsigned long long total = 0;
	bool known = !groups->lost, negative;
	size_t count;

	*counts = (struct keyed_counts){.begun = groups->begun};
	if (!known || (groups->no_lines && !callers_have_no_lines(replay)) ||
	    !keyed_passes_read(replay, rows, &count, &negative) ||
	    (negative && groups->unsigned_values))
		return false;
	for (size_t i = 0; i < count; i++) {
		take_row(groups, &rows[i], group_of(groups, rows[i].key, &known), counts);
		total += rows[i].count;
	}
	return known && !groups->lost && total == sum - groups->before;
}

/* ---- The last one of each group -------------------------------------------------------------- */

struct lasts {
	struct keyed_counts *counts;
	struct moment *moments;
	const char *condition;
	int number;		   /* gdb's */
	unsigned long long before; /* the sum at the beginning */
	unsigned long long stops;  /* since then */
	size_t next; /* the group whose last pass is the next one; or KEYED_GROUPS_MAX */
	bool fits;
};

static void choose_next(struct lasts *lasts, struct replay *replay)
{
	const unsigned long long *number = lasts->counts->last;

	lasts->next = KEYED_GROUPS_MAX;
	for (size_t i = 0; i < KEYED_GROUPS_MAX; i++)
		if (number[i] &&
		    (lasts->next == KEYED_GROUPS_MAX || number[i] < number[lasts->next]))
			lasts->next = i;
	if (lasts->next < KEYED_GROUPS_MAX)
		keyed_passes_next(replay, lasts->before + number[lasts->next] - 1 - lasts->stops);
}

/* Also where gdb has to judge a pass, which is not counted then. */
static enum scan_verdict see_last(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct lasts *lasts = context;
	struct hits_unread unread = {0};
	unsigned long long sum, wanted = lasts->counts->last[lasts->next];

	if (hit->breakpoint != lasts->number ||
	    location_hits_judge(replay, lasts->condition, &unread, failure) != HIT_MEANT)
		return SCAN_ON;
	lasts->fits = passes_sum(replay, &sum) && sum - lasts->before + lasts->stops < wanted;
	lasts->stops++;
	if (lasts->fits && sum - lasts->before + lasts->stops == wanted) {
		position_take_sum(replay);
		lasts->moments[lasts->next] = *replay_now(replay);
		lasts->counts->last[lasts->next] = 0;
	}
	choose_next(lasts, replay);
	return lasts->fits && lasts->next < KEYED_GROUPS_MAX ? SCAN_ON : SCAN_ENOUGH;
}

bool keyed_groups_find_last(struct keyed_counts *counts, struct search *search,
    const char *location, const char *condition, struct moment last[KEYED_GROUPS_MAX])
{
	struct replay *replay = search->replay;
	struct lasts lasts = {
	    .counts = counts, .moments = last, .condition = condition, .fits = true};
	const struct counted counted = {.location = location,
	    .condition = condition,
	    .stops_at_next = true,
	    .end = search->bounded ? &search->bound : NULL};
	struct failure cut = {0};
	enum search_end end = SEARCH_CUT;

	if (search_again(search, &counts->begun, &cut)) {
		lasts.number = counted_begin(replay, &counted, &search->guard, &lasts.before);
		search->guarded = counted.end && !search->guard;
		choose_next(&lasts, replay);
		if (lasts.number && lasts.next < KEYED_GROUPS_MAX)
			end = search_run(search, see_last, &lasts, &cut);
		search->guarded = false;
		temporary_breakpoint_delete(replay, lasts.number);
	}
	json_decref(cut.details);
	return lasts.fits && end != SEARCH_WHOLE && end != SEARCH_FAILED;
}
