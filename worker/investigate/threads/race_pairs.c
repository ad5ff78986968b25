/*
 * Compares each access with all later ones of other threads. The order of the recording is total,
 * so of two accesses only the later one can come after the other.
 */
#include <stdlib.h>
#include "worker/investigate/threads/race.h"

static bool writes(const struct race_entry *access)
{
	return access->kind == ACCESS_KIND_WRITE || access->kind == ACCESS_KIND_BOTH;
}

bool race_excluded(const struct race *race, size_t a, size_t b, size_t *common, bool *reading)
{
	const struct order *order = race->threading->order;
	size_t count, others;
	const struct order_held *held = order_point_held(order, race->accesses[a].point, &count);
	const struct order_held *other = order_point_held(order, race->accesses[b].point, &others);

	*common = ORDER_NONE;
	*reading = false;
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < others; j++) {
			if (held[i].object != other[j].object)
				continue;
			*common = held[i].object;
			*reading = held[i].shared && other[j].shared;
			if (!*reading)
				return true;
		}
	}
	return false;
}

/* How far the two are from each other, of those that come closest. */
static long long way_between(const struct race *race, size_t a, size_t b)
{
	return race->accesses[b].end[RACE_FIRST].index - race->accesses[a].end[RACE_LAST].index;
}

static void note_pair(
    struct race *race, size_t a, size_t b, enum order_known known, long long count)
{
	struct race_entry *first = &race->accesses[a], *second = &race->accesses[b];
	struct unordered_pair *pair = &race->pairs[first->site * race->site_count + second->site];

	bool perhaps = known == ORDER_PERHAPS || first->atomic || second->atomic;
	bool better = perhaps ? pair->perhaps == pair->count : true;

	/* One that is sure is the better example, then the one of the shortest way. */
	if (!pair->count || (!perhaps && pair->perhaps == pair->count) ||
	    (better && way_between(race, a, b) < way_between(race, pair->first, pair->second))) {
		pair->first = a;
		pair->second = b;
	}
	pair->count += count;
	pair->writes += writes(first) && writes(second) ? count : 0;
	pair->perhaps += perhaps ? count : 0;
	first->racing |= !perhaps;
	second->racing |= !perhaps;
	race->mixed |= first->atomic || second->atomic;
	pair->threads[first->thread / 8] |= (unsigned char)(1 << first->thread % 8);
	pair->threads[second->thread / 8] |= (unsigned char)(1 << second->thread % 8);
	first->unordered = second->unordered = true;
}

static void note_order(struct race *race, size_t a, size_t b, size_t object, long long count)
{
	enum threading_kind kind = race->threading->objects[object].kind;
	size_t common;
	bool reading;

	race->by[object] += count;
	if (kind == THREADING_MUTEX || kind == THREADING_RWLOCK || kind == THREADING_SPINLOCK)
		race->bare |= !race_excluded(race, a, b, &common, &reading);
}

static void compare(struct race *race, size_t a, size_t b)
{
	const struct race_entry *first = &race->accesses[a], *second = &race->accesses[b];
	const long long count = first->count * second->count;
	enum order_known known;
	size_t object;

	/* malloc orders what happens to a block after it was freed with what happened before. */
	if (first->thread == second->thread || first->life != second->life ||
	    (!writes(first) && !writes(second)) || (first->atomic && second->atomic))
		return;
	race->conflicts += count;
	known = order_between(race->threading->order, first->point, second->point, &object);
	if (known != ORDER_SURE)
		note_pair(race, a, b, known, count);
	else if (object != ORDER_NONE)
		note_order(race, a, b, object, count);
}

static long long index_of(const struct race *race, struct race_example at)
{
	return race->accesses[at.access].end[at.end].index;
}

/* The thread's last access before the first one of `at`; access ORDER_NONE: there is none in this
 * life. */
static struct race_example last_of(const struct race *race, size_t at)
{
	const struct race_entry *than = &race->accesses[at];
	struct race_example last = {.access = ORDER_NONE};

	for (size_t i = at; i-- > 0;) {
		/* Beyond those of another thread, all are before those that were found. */
		if (race->accesses[i].thread != than->thread) {
			if (last.access != ORDER_NONE)
				break;
			continue;
		}
		for (enum race_end end = RACE_FIRST; end < RACE_ENDS; end++) {
			const struct race_example one = {i, end};

			if (index_of(race, one) < than->end[RACE_FIRST].index &&
			    (last.access == ORDER_NONE ||
				index_of(race, one) > index_of(race, last)))
				last = one;
		}
	}
	if (last.access != ORDER_NONE && race->accesses[last.access].life != than->life)
		last.access = ORDER_NONE;
	return last;
}

/* A thread writes what it may have computed from a value that another one has changed since. Of
 * those that are alike, only the first one can: in between there are none of another thread. */
static void find_overtaken(struct race *race)
{
	for (size_t i = 0; i < race->count; i++) {
		struct race_example read;
		size_t other;

		if (race->accesses[i].kind != ACCESS_KIND_WRITE)
			continue;
		read = last_of(race, i);
		if (read.access == ORDER_NONE ||
		    race->accesses[read.access].kind != ACCESS_KIND_READ)
			continue;
		for (other = read.access + 1;
		     other < i && (race->accesses[other].thread == race->accesses[i].thread ||
				      !writes(&race->accesses[other]));
		     other++)
			;
		if (other == i)
			continue;
		race->overtaken_count++;
		if (race->has_overtaken)
			continue;
		race->has_overtaken = true;
		race->overtaken[0] = read;
		race->overtaken[1] = (struct race_example){other, RACE_FIRST};
		race->overtaken[2] = (struct race_example){i, RACE_FIRST};
	}
}

bool race_compare(struct race *race)
{
	size_t sites = race->site_count ? race->site_count : 1;
	size_t objects = race->threading->object_count ? race->threading->object_count : 1;

	race->pairs = calloc(sites * sites, sizeof(*race->pairs));
	race->by = calloc(objects, sizeof(*race->by));
	if (!race->pairs || !race->by)
		return false;
	for (size_t b = 0; b < race->count; b++)
		for (size_t a = 0; a < b; a++)
			compare(race, a, b);
	for (size_t i = 0; i < race->count; i++) {
		race->unordered += race->accesses[i].unordered ? race->accesses[i].count : 0;
		race->racing += race->accesses[i].racing ? race->accesses[i].count : 0;
	}
	find_overtaken(race);
	return true;
}
