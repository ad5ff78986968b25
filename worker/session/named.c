/*
 * Reads the names of moments. Must never take one moment for another: a malformed name is an error.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/tools.h"
#include "worker/gdb/mi.h"
#include "worker/session/bookmarks.h"
#include "worker/session/excursion.h"
#include "worker/session/named.h"
#include "worker/session/position.h"
#include "worker/session/seen.h"

/* The optional "@401136" or "@401136.9af1" after the ticks. */
static bool parse_pc(const char *colon, size_t *ticks_length, struct moment *moment)
{
	const char *at = strchr(colon, '@');
	unsigned long long sum;
	char *end, *dot;

	*ticks_length = at ? (size_t)(at - colon - 1) : strlen(colon + 1);
	if (!at)
		return true;
	moment->pc = strtoull(at + 1, &end, 16);
	if (end == at + 1 || !moment->pc)
		return false;
	if (*end != '.')
		return *end == '\0';
	dot = end;
	sum = strtoull(dot + 1, &end, 16);
	moment->sum = (unsigned)sum;
	return end != dot + 1 && *end == '\0' && sum <= UINT_MAX;
}

/* "start", "end", EVENT, EVENT:TICKS, EVENT:TICKS@PC or EVENT:TICKS@PC.SUM. */
static bool parse(const char *name, struct moment *moment, struct failure *failure)
{
	const char *wrong = NULL, *colon = strchr(name, ':');
	char event[24], ticks[24];
	size_t ticks_length = 1;

	*moment = (struct moment){0};
	if (strcmp(name, "start") == 0)
		return true;
	if (strcmp(name, "end") == 0) {
		moment->event = REPLAY_EVENT_FAR;
		return true;
	}
	if (colon && !parse_pc(colon, &ticks_length, moment))
		wrong = "pc";
	snprintf(event, sizeof(event), "%.*s", (int)(colon ? colon - name : 20), name);
	snprintf(ticks, sizeof(ticks), "%.*s", (int)ticks_length, colon ? colon + 1 : "0");
	if (!wrong)
		moment->event = strtonum(event, 0, TOOL_EVENT_MAX, &wrong);
	if (!wrong && colon)
		moment->ticks = strtonum(ticks, 0, TOOL_EVENT_MAX, &wrong);
	if (!wrong)
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "rr_when tells the session's moment; rr_bookmarks lists the names",
	    "moment must be start, end, an event number, event:ticks as in earlier answers, or a "
	    "bookmark, not %.60s",
	    name);
	return false;
}

/* Exactly as an answer named it. */
static void recall(const struct replay *replay, const char *name, struct moment *moment)
{
	const struct moment *seen = moment->sum ? NULL : seen_find(replay, moment);

	if (seen)
		*moment = *seen;
	moment->guessed = !moment->pc && strchr(name, ':');
}

bool named_moment(
    struct replay *replay, const char *name, struct moment *moment, struct failure *failure)
{
	if (bookmarks_is_name(name))
		return bookmarks_find(replay, name, moment, failure);
	if (!parse(name, moment, failure))
		return false;
	recall(replay, name, moment);
	return true;
}

/* Ticks count conditional branches, and a system call ends the event, so the instruction after
 * either has another name. */
static bool ends_moment(const char *bytes)
{
	unsigned long first = strtoul((char[]){bytes[0], bytes[1], 0}, NULL, 16);
	unsigned long second = strtoul((char[]){bytes[2], bytes[3], 0}, NULL, 16);

	if (first == 0x0f)
		return (second & 0xf0) == 0x80 || second == 0x05;
	return (first & 0xf0) == 0x70 || (first & 0xfc) == 0xe0;
}

/* Whether the first instruction with these event and ticks is the only one. */
static bool is_alone(struct replay *replay)
{
	json_t *results = NULL;
	const char *bytes;
	bool alone;

	gdb_command(replay->gdb, &results, "-data-read-memory-bytes 0x%llx 2", replay->moment.pc);
	bytes = mi_text(json_array_get(json_object_get(results, "memory"), 0), "contents");
	alone = bytes && strlen(bytes) == 4 && ends_moment(bytes);
	json_decref(results);
	return alone;
}

json_t *named_note(struct replay *replay, const struct moment *moment)
{
	if (!moment->guessed || replay->worker->broken || !replay->moment.pc || is_alone(replay))
		return NULL;
	return json_sprintf(
	    "several instructions share %lld:%lld, and this session does not know which one an "
	    "earlier answer meant: this is the first of them, %lld:%lld@%llx",
	    moment->event, moment->ticks, moment->event, moment->ticks, replay->moment.pc);
}

bool named_go(struct replay *replay, const char *name, json_t **note, struct failure *failure)
{
	struct moment moment;

	if (!named_moment(replay, name, &moment, failure) ||
	    position_is_beyond(replay, moment.event, failure) ||
	    !position_go_asked(replay, &moment, failure))
		return false;
	*note = named_note(replay, &moment);
	return true;
}

json_t *named_ask(struct replay *replay, const char *name, named_question *question,
    const void *args, struct failure *failure)
{
	json_t *answer = NULL, *note = NULL;

	if (!name)
		return question(replay, args, failure);
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	if (named_go(replay, name, &note, failure))
		answer = question(replay, args, failure);
	if (answer && note)
		json_object_set(answer, "note", note);
	json_decref(note);
	return excursion_answer(&excursion, answer, failure);
}
