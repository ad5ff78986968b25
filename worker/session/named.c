/*
 * Reads the names of moments. It must never take one for another: a name that is none is an error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/tools.h"
#include "worker/session/bookmarks.h"
#include "worker/session/named.h"
#include "worker/session/position.h"

/* "@401136" behind the ticks, where there is one. */
static bool parse_pc(const char *colon, size_t *ticks_length, struct moment *moment)
{
	const char *at = strchr(colon, '@');
	char *end;

	*ticks_length = at ? (size_t)(at - colon - 1) : strlen(colon + 1);
	if (!at)
		return true;
	moment->pc = strtoull(at + 1, &end, 16);
	return end != at + 1 && *end == '\0' && moment->pc;
}

/* "start", "end", EVENT, EVENT:TICKS or EVENT:TICKS@PC. */
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
	failure_set(failure, ERROR_INVALID_ARGUMENT, NULL,
	    "moment must be start, end, an event number, event:ticks as in earlier answers, or a "
	    "bookmark, not %.60s",
	    name);
	return false;
}

/* As an answer named it, exactly. */
static void recall(const struct replay *replay, struct moment *moment)
{
	const struct moment *seen = moment->pc ? NULL : position_remembered(replay, moment);

	if (seen)
		*moment = *seen;
}

bool named_moment(
    struct replay *replay, const char *name, struct moment *moment, struct failure *failure)
{
	if (bookmarks_is_name(name))
		return bookmarks_find(replay, name, moment, failure);
	if (!parse(name, moment, failure))
		return false;
	recall(replay, moment);
	return true;
}

bool named_go(struct replay *replay, const char *name, struct failure *failure)
{
	struct moment moment;

	if (!named_moment(replay, name, &moment, failure))
		return false;
	return !position_is_beyond(replay, moment.event, failure) &&
	       position_go_asked(replay, &moment, failure);
}
