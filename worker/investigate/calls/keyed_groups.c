/*
 * Keeps what the return addresses mean, and the order of passes that were counted and passes that
 * were looked at. It must never name an address whose calls gdb could tell apart.
 */
#include "worker/investigate/calls/keyed_groups.h"

#include <stdlib.h>
#include <string.h>
#include "worker/breaks/passes.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/investigate/counting/counted.h"
#include "worker/investigate/search/location_hits.h"
#include "worker/moment/position.h"
#include "worker/read/values/accessed.h"

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

bool keyed_groups_begin(struct keyed_groups *groups, struct replay *replay, long long looked)
{
	if (!passes_sum(replay, &groups->before) ||
	    !return_place(replay, replay_now(replay)->pc, groups->key) ||
	    !keyed_passes_begin(replay))
		return false;
	for (long long i = 0; i < looked; i++)
		note_stop(groups, 0);
	groups->on = !groups->lost;
	return groups->on;
}

void keyed_groups_end(struct keyed_groups *groups)
{
	free(groups->stops);
	*groups = (struct keyed_groups){0};
}

static bool is_known(const struct keyed_groups *groups, unsigned long long key)
{
	for (size_t i = 0; i < groups->count; i++)
		if (groups->known[i].key == key)
			return true;
	return false;
}

/*
 * A frame that gdb makes up, of an inlined function or of one that ended with a jump to this one,
 * does not stand at the return address. Which of the latter there are depends on nothing else:
 * where a call's target is in a register, gdb looks for none (call_site_find_chain_1 of its
 * dwarf2/loc.c, in 13 to 16, gives no frame).
 */
static void learn(
    struct keyed_groups *groups, struct replay *replay, size_t group, unsigned long long decides)
{
	unsigned long long key;

	if (!decides || groups->count == KEYS_MAX || !accessed_number(replay, groups->key, &key) ||
	    key != decides || is_known(groups, key))
		return;
	groups->known[groups->count].key = key;
	groups->known[groups->count++].group = group;
	keyed_passes_name(replay, key);
}

void keyed_groups_look(
    struct keyed_groups *groups, struct replay *replay, size_t group, unsigned long long decides)
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

static void take_row(const struct keyed_groups *groups, const struct key_row *row, size_t group,
    struct keyed_counts *counts)
{
	const unsigned long long counted = row->last - groups->before;

	if (row->count == 0)
		return;
	counts->count[group] += (long long)row->count;
	if (group == KEYED_GROUPS_MAX || counted <= groups->looked[group])
		return;
	if (number_of(groups, counted) > counts->last[group])
		counts->last[group] = number_of(groups, counted);
}

bool keyed_groups_count(struct keyed_groups *groups, struct replay *replay, unsigned long long sum,
    struct keyed_counts *counts)
{
	struct key_row rows[KEYS_MAX];
	unsigned long long total = 0;
	bool known = !groups->lost;
	size_t count;

	memset(counts, 0, sizeof(*counts));
	if (!known || !keyed_passes_read(replay, rows, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		take_row(groups, &rows[i], group_of(groups, rows[i].key, &known), counts);
		total += rows[i].count;
	}
	return known && total == sum - groups->before;
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

	if (search_again(search, &search->from, &cut)) {
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
