/*
 * Reads the names of moments. Must never take one moment for another: a malformed name is an error.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/tools.h"
#include "worker/moment/ambiguous.h"
#include "worker/moment/bookmarks.h"
#include "worker/moment/excursion.h"
#include "worker/moment/moment_parse.h"
#include "worker/moment/position.h"
#include "worker/moment/visit.h"
#include "worker/session/relatives.h"

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
	    "moment must be start, end, an event number, event:ticks@pc.sum as in earlier "
	    "answers, or a bookmark, not %.60s",
	    name);
	return false;
}

bool moment_parse(
    struct replay *replay, const char *name, struct moment *moment, struct failure *failure)
{
	if (bookmarks_is_name(name))
		return bookmarks_find(replay, name, moment, failure);
	if (!parse(name, moment, failure))
		return false;
	moment->guessed = strchr(name, ':') && !moment->sum;
	return true;
}

bool moment_go_to(struct replay *replay, const struct moment *to, struct failure *failure)
{
	if (to->ticks || to->pc || to->guessed)
		return position_go(replay, to, failure) &&
		       (!to->guessed || ambiguous_settle(replay, to, failure));
	return position_go_event(replay, to->event, failure) &&
	       !position_is_beyond(replay, to->event, failure);
}

bool moment_go_near(
    struct replay *replay, const struct moment *to, bool *beside, struct failure *failure)
{
	*beside = false;
	if (!to->guessed || to->pc)
		return moment_go_to(replay, to, failure);
	if (position_go(replay, to, failure))
		return ambiguous_settle(replay, to, failure);
	if (failure->code != ERROR_INVALID_ARGUMENT ||
	    position_is_beyond(replay, to->event, failure))
		return false;
	*failure = (struct failure){0};
	*beside = true;
	return position_go_event(replay, to->event, failure) &&
	       (position_order(replay_now(replay), to) > 0 ||
		   position_go_event(replay, to->event + 1, failure));
}

bool moment_go(struct replay *replay, const char *name, struct failure *failure)
{
	struct moment moment;

	return moment_parse(replay, name, &moment, failure) &&
	       !position_is_beyond(replay, moment.event, failure) &&
	       moment_go_to(replay, &moment, failure);
}

static bool go_in_this_process(
    struct replay *replay, const struct moment *to, bool *beside, struct failure *failure)
{
	return !position_is_beyond(replay, to->event, failure) &&
	       (beside ? moment_go_near(replay, to, beside, failure)
		       : moment_go_to(replay, to, failure));
}

/* Only an exact moment cannot be taken for one of another process. */
static bool may_be_elsewhere(
    const struct replay *replay, const struct moment *to, const struct failure *failure)
{
	return to->sum && failure->code == ERROR_INVALID_ARGUMENT && !replay_worker(replay)->broken;
}

bool moment_visit_to(
    struct replay *replay, const struct moment *to, bool *beside, struct failure *failure)
{
	long long pid;

	if (visit_story(replay, to->event, failure) &&
	    go_in_this_process(replay, to, beside, failure))
		return true;
	for (size_t i = 0; may_be_elsewhere(replay, to, failure); i++) {
		struct failure there = {0};

		if (!(pid = visit_came_from(replay, i)))
			return false;
		if (visit_process(replay, pid, to->event, &there) &&
		    go_in_this_process(replay, to, beside, &there)) {
			json_decref(failure->details);
			*failure = (struct failure){0};
			return true;
		}
		json_decref(there.details);
	}
	return false;
}

bool moment_visit(struct replay *replay, const char *name, struct failure *failure)
{
	struct moment moment;

	return moment_parse(replay, name, &moment, failure) &&
	       moment_visit_to(replay, &moment, NULL, failure);
}

json_t *moment_ask(struct replay *replay, const char *name, moment_question *question,
    const void *args, struct failure *failure)
{
	json_t *answer = NULL;

	if (!name)
		return question(replay, args, failure);
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	if (moment_visit(replay, name, failure))
		answer = question(replay, args, failure);
	if (answer && relatives_is_away(replay))
		json_object_set_new(answer, "pid", json_integer(replay_pid(replay)));
	visit_end(replay);
	return excursion_answer(&excursion, answer, failure);
}
