/*
 * Remembers what the names of moments mean. A name is given only once: after its meaning was
 * forgotten, later moments are named in full, so that none gets a name that another had.
 */
#include "worker/session/seen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/session/instant.h"

#define ENTRY_MAX 120 /* bytes of one saved name */

static size_t count_of(const struct replay *replay)
{
	return replay->seen_next < REPLAY_SEEN_MAX ? replay->seen_next : REPLAY_SEEN_MAX;
}

/* The newest is 1. */
static const struct seen *newest(const struct replay *replay, size_t number)
{
	return &replay->seen[(replay->seen_next - number) % REPLAY_SEEN_MAX];
}

const struct moment *seen_find(const struct replay *replay, const struct moment *moment)
{
	for (size_t i = 1; i <= count_of(replay); i++) {
		const struct seen *seen = newest(replay, i);

		if (seen->moment.event == moment->event && seen->moment.ticks == moment->ticks &&
		    (moment->pc ? seen->moment.pc == moment->pc : seen->bare))
			return &seen->moment;
	}
	return NULL;
}

static void add(struct replay *replay, const struct moment *moment, bool bare)
{
	if (replay->seen_next >= REPLAY_SEEN_MAX)
		replay->seen_forgot = true;
	replay->seen[replay->seen_next++ % REPLAY_SEEN_MAX] = (struct seen){*moment, bare};
}

/* Whether two passes of one instruction are known to be different. */
static bool is_other_pass(const struct moment *a, const struct moment *b)
{
	return a->sum && b->sum && a->sum != b->sum;
}

static void take_sum(struct replay *replay, struct moment *moment)
{
	struct moment *now = &replay->moment;

	if (moment->sum || !moment->pc || now->event != moment->event ||
	    now->ticks != moment->ticks || now->pc != moment->pc || now->tid != moment->tid)
		return;
	if (!now->sum)
		now->sum = instant_sum(replay);
	moment->sum = now->sum;
}

static json_t *name_in_full(const struct moment *moment)
{
	return json_sprintf(
	    "%lld:%lld@%llx.%x", moment->event, moment->ticks, moment->pc, moment->sum);
}

json_t *seen_name(struct replay *replay, const struct moment *moment)
{
	struct moment any = {.event = moment->event, .ticks = moment->ticks}, exact = *moment;
	const struct moment *bare = seen_find(replay, &any), *same;
	bool give_bare;

	take_sum(replay, &exact);
	same = exact.pc ? seen_find(replay, &exact) : bare;
	give_bare = same ? same == bare : !bare && !(replay->seen_forgot && exact.pc);
	if (same ? is_other_pass(same, &exact) : replay->seen_forgot && exact.sum)
		return name_in_full(&exact);
	if (!same)
		add(replay, &exact, give_bare);
	if (give_bare)
		return json_sprintf("%lld:%lld", exact.event, exact.ticks);
	return json_sprintf("%lld:%lld@%llx", exact.event, exact.ticks, exact.pc);
}

/* ---- The saved session ----------------------------------------------------------------------- */

#define FORGOT "+" /* comes first if names are missing */

static int write_entry(char entry[ENTRY_MAX], const struct seen *seen)
{
	const struct moment *moment = &seen->moment;

	return snprintf(entry, ENTRY_MAX, " %llx:%llx:%x:%llx:%x%s",
	    (unsigned long long)moment->event, (unsigned long long)moment->ticks,
	    (unsigned)moment->tid, moment->pc, moment->sum, seen->bare ? "!" : "");
}

json_t *seen_save(const struct replay *replay)
{
	char text[SEEN_SAVED_MAX + 1] = FORGOT;
	size_t length = sizeof(FORGOT) - 1, count = count_of(replay), i;
	bool forgot = replay->seen_forgot;

	for (i = 1; i <= count; i++) {
		char entry[ENTRY_MAX];
		int written = write_entry(entry, newest(replay, i));

		if (length + (size_t)written > SEEN_SAVED_MAX)
			break;
		memcpy(text + length, entry, (size_t)written + 1);
		length += (size_t)written;
	}
	return json_string(forgot || i <= count ? text : text + sizeof(FORGOT) - 1);
}

#define PARTS 5

/* Reads the entry that begins there, after its space; false if it is malformed. */
static bool read_entry(const char *text, struct seen *seen)
{
	unsigned long long parts[PARTS];
	char *end = NULL;

	for (size_t i = 0; i < PARTS; i++) {
		parts[i] = strtoull(text, &end, 16);
		if (end == text || (i + 1 < PARTS && *end != ':'))
			return false;
		text = end + 1;
	}
	*seen = (struct seen){
	    .moment = {.event = (long long)parts[0],
		.ticks = (long long)parts[1],
		.tid = (int)parts[2],
		.pc = parts[3],
		.sum = (unsigned)parts[4]},
	    .bare = *end == '!',
	};
	return seen->moment.event >= 0 && seen->moment.ticks >= 0;
}

void seen_restore(struct replay *replay, const json_t *saved)
{
	const char *text = json_is_string(saved) ? json_string_value(saved) : "", *at;
	size_t count = 0;
	struct seen seen;

	replay->seen_forgot = strncmp(text, FORGOT, sizeof(FORGOT) - 1) == 0;
	for (at = strchr(text, ' '); at && count < REPLAY_SEEN_MAX; at = strchr(at + 1, ' '))
		count++;
	replay->seen_next = count;
	/* They come newest first. */
	for (at = strchr(text, ' '); at && count > 0; at = strchr(at + 1, ' '))
		if (read_entry(at + 1, &seen))
			replay->seen[--count] = seen;
}
