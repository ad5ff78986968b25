/*
 * Keeps the present value in a variable of gdb's own, which takes the place of the expression in
 * what is asked at each step. Must never go on without an end: values are counted, and a value that
 * was there before ends it.
 */
#include "worker/inspect/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/read/values/truth.h"
#include "worker/read/values/printers.h"
#include "worker/read/values/values.h"
#include "worker/serve/words.h"
#include "worker/session/selection.h"
#include "worker/serve/begins.h"

#define PRESENT	   "$rr_walk"
#define SHOW_MAX   10
#define VALUE_MAX  600	 /* bytes of one that is shown */
#define BUDGET	   20000 /* bytes of all */
#define TEXT_MAX   (2 * REPLAY_EXPRESSION_MAX)
#define ENDED_ZERO "the value is 0"

struct walk {
	struct replay *replay;
	const struct evaluate_args *args;
	json_t *steps, *seen; /* value: the number of its step */
	size_t bytes;
	char ended[300]; /* why; "": not yet */
};

/* Whether the name stands there by itself: not as a part of another one, or as a member. */
static bool stands_alone(const char *text, const char *at, size_t length)
{
	const char *before = at;

	if (is_name(at[length]) || (at > text && is_name(at[-1])))
		return false;
	while (before > text && before[-1] == ' ')
		before--;
	return !(
	    before > text && (before[-1] == '.' || before[-1] == ':' ||
				 (before[-1] == '>' && before > text + 1 && before[-2] == '-')));
}

/* The text with the present value in the place of the expression. False: it does not fit. */
static bool put_present(char to[TEXT_MAX], const char *text, const char *expression)
{
	size_t length = strlen(expression), used = 0;

	for (const char *at = text; *at;) {
		bool is = strncmp(at, expression, length) == 0 && stands_alone(text, at, length);
		const char *part = is ? PRESENT : at;
		size_t bytes = is ? strlen(PRESENT) : 1;

		if (used + bytes + 1 > TEXT_MAX)
			return false;
		memcpy(to + used, part, bytes);
		used += bytes;
		at += is ? length : 1;
	}
	to[used] = '\0';
	return true;
}

static bool read_now(struct walk *walk, const char *text, char **value, char *why, size_t size)
{
	char now[TEXT_MAX], *type = NULL;

	*value = NULL;
	if (!put_present(now, text, walk->args->expression)) {
		snprintf(why, size, "it is too long");
		return false;
	}
	if (values_show(walk->replay, now, value, &type, why, size) != 0)
		return false;
	/* of a list, each step would have the rest of the list */
	if (printers_know(type) && *value && strstr(*value, " = {"))
		*strstr(*value, " = {") = '\0';
	free(type);
	return true;
}

/* What gdb says, without who ran into it. */
static const char *reason(const struct replay *replay)
{
	const char *said = gdb_message(replay_gdb(replay));
	const char *why = behind_beginning(said, "Error occurred in Python: ");

	return why ? why : said;
}

/* Goes to the value of `text`, which the client wrote as `asked`; false with `ended` filled. */
static bool go_to(struct walk *walk, const char *text, const char *asked)
{
	char command[TEXT_MAX + 16];
	struct replay *replay = walk->replay;

	snprintf(command, sizeof(command), "rr-walk %s", text);
	if (selection_console_in(
		replay, replay_selected(replay)->number, replay_selected(replay)->frame, command))
		return true;
	snprintf(walk->ended, sizeof(walk->ended), "%.100s cannot be read: %.150s", asked,
	    reason(replay));
	return false;
}

static bool move_on(struct walk *walk)
{
	char next[TEXT_MAX];

	if (put_present(next, walk->args->next, walk->args->expression))
		return go_to(walk, next, walk->args->next);
	snprintf(walk->ended, sizeof(walk->ended), "next is too long");
	return false;
}

/* Whether `until` holds, or cannot be read. */
static bool is_over(struct walk *walk)
{
	const char *until = walk->args->until;
	char now[TEXT_MAX], *value = NULL, why[160] = "it is too long";
	enum truth truth = TRUTH_UNREAD;

	if (!until)
		return false;
	if (read_now(walk, until, &value, why, sizeof(why)) &&
	    put_present(now, until, walk->args->expression))
		truth = expression_truth(walk->replay, now, value, why, sizeof(why));
	free(value);
	if (truth == TRUTH_YES)
		snprintf(walk->ended, sizeof(walk->ended), "%.200s", until);
	else if (truth != TRUTH_NO)
		snprintf(
		    walk->ended, sizeof(walk->ended), "%.100s cannot be read: %.150s", until, why);
	return walk->ended[0];
}

/* Of a pointer as gdb prints it: "0x0", "(node *) 0x0". */
static bool is_null(const char *value)
{
	const char *number = values_behind_type(value);

	return strncmp(number, "0x", 2) == 0 && strtoull(number, NULL, 16) == 0;
}

/* Whether the value ends the walk before it is a step. */
static bool ends_at(struct walk *walk, const char *value)
{
	const json_t *before = json_object_get(walk->seen, value);

	if (before)
		snprintf(walk->ended, sizeof(walk->ended),
		    "a cycle: the next value is that of step %d again",
		    (int)json_integer_value(before));
	else if (is_null(value))
		snprintf(walk->ended, sizeof(walk->ended), ENDED_ZERO);
	return walk->ended[0];
}

static void add_step(struct walk *walk, const char *value)
{
	json_t *step = json_pack("{s:s}", "value", value), *entry, *shown = json_object();
	size_t i;

	json_array_foreach(walk->args->show, i, entry)
	{
		const char *text = json_string_value(entry);
		char *read = NULL, why[200];

		if (read_now(walk, text, &read, why, sizeof(why)))
			json_object_set_new(shown, text, json_sprintf("%.*s", VALUE_MAX, read));
		else
			json_object_set_new(shown, text, json_sprintf("<%s>", why));
		free(read);
	}
	if (json_object_size(shown))
		json_object_set(step, "show", shown);
	json_decref(shown);
	walk->bytes += json_dumpb(step, NULL, 0, JSON_COMPACT) + 1;
	json_array_append_new(walk->steps, step);
	json_object_set_new(
	    walk->seen, value, json_integer((json_int_t)json_array_size(walk->steps)));
}

static void follow(struct walk *walk)
{
	char *value = NULL, why[200] = "";

	while (!walk->ended[0] && worker_goes_on(replay_worker(walk->replay))) {
		free(value);
		value = NULL;
		if (is_over(walk))
			break;
		if (!read_now(walk, PRESENT, &value, why, sizeof(why))) {
			snprintf(
			    walk->ended, sizeof(walk->ended), "a value cannot be read: %s", why);
			break;
		}
		if (ends_at(walk, value))
			break;
		add_step(walk, value);
		if ((long long)json_array_size(walk->steps) >= walk->args->max_elements ||
		    walk->bytes > BUDGET)
			snprintf(walk->ended, sizeof(walk->ended),
			    "the limit of the answer; max_elements raises that of steps");
		else if (!move_on(walk))
			break;
	}
	free(value);
}

static bool is_possible(const struct evaluate_args *args, struct failure *failure)
{
	if (args->expression && args->next && json_array_size(args->expressions) == 0 &&
	    json_array_size(args->show) <= SHOW_MAX)
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "expression: \"n\", next: \"n->parent\", show: [\"n->box\"], until: \"n == 0\"",
	    "a walk has one expression to begin with, next, and at most %d to show", SHOW_MAX);
	return false;
}

json_t *walk_chain(struct replay *replay, const struct evaluate_args *args, struct failure *failure)
{
	struct worker *worker = replay_worker(replay);
	struct walk walk = {.replay = replay, .args = args};
	json_t *answer = NULL;

	if (!is_possible(args, failure))
		return NULL;
	printers_load(replay);
	walk.steps = json_array();
	walk.seen = json_object();
	if (!go_to(&walk, args->expression, args->expression))
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "rr_locals shows the names in this frame", "%s", walk.ended);
	else
		follow(&walk);
	if (worker->interrupt)
		worker_fail_interrupted(worker, failure);
	else if (!failure->message[0])
		answer = json_pack("{s:i, s:s, s:O}", "count", (int)json_array_size(walk.steps),
		    "ended", walk.ended, "steps", walk.steps);
	json_decref(walk.steps);
	json_decref(walk.seen);
	return answer;
}
