/*
 * rr_verify_claims. A claim that cannot be checked does not count as held, and the answer says why
 * it could not be checked. Names are looked up in the program's own frame first.
 */
#include "worker/investigate/report/claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/scrub.h"
#include "worker/gdb/mi/mi.h"
#include "worker/serve/handlers.h"
#include "worker/moment/excursion.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"
#include "worker/moment/moment_parse.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/visit.h"
#include "worker/session/relatives.h"
#include "worker/read/values/values.h"
#include "worker/session/selection.h"

#define TEXT_MAX     TOOL_TEXT_MAX
#define FOUND_MAX    1000 /* bytes of a value shown */
#define WHY_MAX	     300
#define LOCALS_BYTES 2000
#define FRAMES_MAX   40
#define FRAMES_BYTES 10000

static const char *const keys[] = {"moment", "expression", "value", "note"};
enum { KEYS_NEEDED = 3, KEY_COUNT = 4 };

static bool is_known(const char *key)
{
	for (size_t i = 0; i < KEY_COUNT; i++)
		if (strcmp(keys[i], key) == 0)
			return true;
	return false;
}

/* A value may also be a number, which is printed into text[size]. NULL if it is neither. */
static const char *text_of(const json_t *claim, const char *key, char *text, size_t size)
{
	const json_t *value = json_object_get(claim, key);

	if (json_is_integer(value))
		snprintf(text, size, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		snprintf(text, size, "%.17g", json_real_value(value));
	else if (json_is_boolean(value))
		snprintf(text, size, "%s", json_is_true(value) ? "true" : "false");
	else
		return json_string_value(value);
	return text;
}

static bool is_sound(const json_t *claim, size_t number, struct failure *failure)
{
	static const char form[] = "a claim is {moment, expression, value, note?}";
	char room[64];
	const char *key, *text;
	json_t *value;

	json_object_foreach((json_t *)claim, key, value)
	{
		if (is_known(key))
			continue;
		failure_set(failure, ERROR_INVALID_ARGUMENT, form,
		    "claim %zu has an unknown member, %.40s", number, key);
		return false;
	}
	for (size_t i = 0; i < KEY_COUNT; i++) {
		text = text_of(claim, keys[i], room, sizeof(room));
		if (!text && (i < KEYS_NEEDED || json_object_get(claim, keys[i])))
			failure_set(failure, ERROR_INVALID_ARGUMENT, form,
			    "claim %zu needs the string %s", number, keys[i]);
		else if (text && strlen(text) > TEXT_MAX)
			failure_set(failure, ERROR_INVALID_ARGUMENT, NULL,
			    "%s of claim %zu is longer than %d bytes", keys[i], number, TEXT_MAX);
		else
			continue;
		return false;
	}
	return true;
}

bool claims_are_sound(const json_t *claims, struct failure *failure)
{
	const json_t *claim;
	size_t i;

	if (json_array_size(claims) == 0) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL, "give at least one claim");
		return false;
	}
	json_array_foreach(
	    (json_t *)claims, i, claim) if (!is_sound(claim, i + 1, failure)) return false;
	return true;
}

/* The text without the blanks around it. */
static json_t *trimmed(const char *text)
{
	static const char blanks[] = " \t\r\n";
	size_t length;

	text += strspn(text, blanks);
	length = strlen(text);
	while (length && strchr(blanks, text[length - 1]))
		length--;
	return json_stringn(text, length);
}

/* Accepts only what cannot be a name or a call, because gdb evaluates it in a comparison. */
static bool is_number(const char *text)
{
	char *end;

	text += *text == '-' || *text == '+';
	if (*text < '0' || *text > '9')
		return false;
	(void)strtod(text, &end);
	return *end == '\0';
}

/* Skips the type that gdb prints before a pointer in some answers: "(node *) 0x55 <list>". */
static const char *without_type(const char *value)
{
	const char *end = value[0] == '(' ? strstr(value, ") 0x") : NULL;

	return end && !memchr(value + 1, '(', (size_t)(end - value) - 1) ? end + 2 : value;
}

/* Whether gdb shows a number and then this text: 66 'B', or 0x55 "name". */
static bool is_text_of(const char *found, const char *plain)
{
	size_t number = strspn(found, "-0123456789abcdefx");

	return (plain[0] == '"' || plain[0] == '\'') && found[number] == ' ' &&
	       strcmp(found + number + 1, plain) == 0;
}

/* Equal as text, or as a number as gdb compares it: 'a' is 97, RED is 0, (int *) 0x10 is 0x10. */
static bool is_same(
    struct replay *replay, const char *expression, const char *claimed, const char *found)
{
	char comparison[2 * TEXT_MAX + 16], why[WHY_MAX];
	cleanup_free char *value = NULL;
	json_auto_t *text = trimmed(claimed);
	const char *plain = json_string_value(text);
	bool same;

	plain = plain ? without_type(plain) : "";
	if (strcmp(plain, "NULL") == 0 || strcmp(plain, "nullptr") == 0)
		plain = "0";
	same = strcmp(plain, without_type(found)) == 0 || is_text_of(without_type(found), plain);
	if (same || !is_number(plain))
		return same;
	snprintf(comparison, sizeof(comparison), "(%s) == %s", expression, plain);
	value = values_text(replay, comparison, why, sizeof(why));
	return value && (strcmp(value, "1") == 0 || strcmp(value, "true") == 0);
}

/* "settle:48", or as much of it as is known. */
static json_t *place_name(const json_t *frame)
{
	const char *function = mi_text(frame, "function"), *at = mi_text(frame, "at");
	const char *file = at ? strrchr(at, '/') : NULL, *line = at ? strrchr(at, ':') : NULL;

	if (!function)
		return json_string(file ? file + 1 : at ? at : "??");
	return json_sprintf("%s%s", function, line && line[1] >= '0' && line[1] <= '9' ? line : "");
}

/* Adds what claims.h promises for in_full. */
static void add_view(struct replay *replay, json_t *checked, const json_t *own, json_t *frames)
{
	const struct selection *selected = replay_selected(replay);
	const struct moment *now = replay_now(replay);
	json_int_t level = json_integer_value(json_object_get(own, "level"));

	json_object_set_new(checked, "source", frame_source(replay, own));
	json_object_set_new(checked, "stood",
	    json_pack("{s:o,s:I,s:I,s:s,s:o}", "moment", moment_name(replay, now), "event",
		(json_int_t)now->event, "ticks", (json_int_t)now->ticks, "thread", selected->name,
		"place", place_name(own)));
	if (own && frame_is_own(replay, own))
		json_object_set_new(checked, "locals",
		    values_lines(replay, selected->number, (int)level, LOCALS_BYTES));
	frames_finish(replay, frames);
	json_object_set(checked, "frames", frames);
}

static void add_place(struct replay *replay, json_t *checked, const json_t *frame)
{
	const char *function = mi_text(frame, "function"), *at = mi_text(frame, "at");

	json_object_set_new(checked, "tid", json_integer(replay_selected(replay)->tid));
	json_object_set_new(checked, "where",
	    json_sprintf("%s%s%s%s", function ? function : "??", at ? " (" : "", at ? at : "",
		at ? ")" : ""));
}

/* The value in the selected frame. Returns 0, and *found is the caller's, or -1 with the reason. */
static int read_value(struct replay *replay, const char *expression, char **found, char *why)
{
	cleanup_free char *type = NULL;

	return values_show(replay, expression, found, &type, why, WHY_MAX);
}

/* Selects the frame that a claim is about. Registers are those of the innermost frame. */
static bool select_own(struct replay *replay, const char *expression, const json_t *own)
{
	json_int_t level = json_integer_value(json_object_get(own, "level"));

	return level > 0 && !strchr(expression, '$') && selection_set_frame(replay, (int)level);
}

/*
 * Reads in the first frame of the program's own code, or else in the innermost frame. The order
 * matters, because a library may use the same name for something else.
 */
static int read_somewhere(struct replay *replay, const char *expression, bool in_full,
    json_t *checked, char **found, char *why)
{
	struct worker *worker = replay_worker(replay);
	json_auto_t *frames = frames_near(replay, FRAMES_MAX, FRAMES_BYTES);
	json_t *own = frames_first_own(replay, frames);
	char other_why[WHY_MAX];
	bool inside;
	int result;

	add_place(replay, checked, own);
	inside = !select_own(replay, expression, own);
	result = read_value(replay, expression, found, why);
	if (result != 0 && !inside && !worker->broken && selection_set_frame(replay, 0))
		result = read_value(replay, expression, found, other_why);
	if (in_full && !worker->broken)
		add_view(replay, checked, own, frames);
	return result;
}

static void judge(struct replay *replay, json_t *checked, const char *expression,
    const char *claimed, bool in_full)
{
	char *found = NULL, why[WHY_MAX] = "";

	if (read_somewhere(replay, expression, in_full, checked, &found, why) == 0) {
		json_object_set_new(checked, "verdict",
		    json_string(is_same(replay, expression, claimed, found) ? "held" : "not held"));
		json_object_set_new(
		    checked, "found", scrub_json_middle(found, strlen(found), FOUND_MAX, NULL));
	} else {
		json_object_set_new(checked, "error", scrub_json(why, strlen(why), WHY_MAX, NULL));
	}
	free(found);
}

/* Checks one claim and adds its verdict; *failure is what kept it from being checked. */
static json_t *check(
    struct replay *replay, const json_t *claim, bool in_full, struct failure *failure)
{
	json_t *checked = json_object();
	char room[KEY_COUNT][64];
	const char *text[KEY_COUNT];

	for (size_t i = 0; i < KEY_COUNT; i++) {
		text[i] = text_of(claim, keys[i], room[i], sizeof(room[i]));
		json_object_set_new(checked, keys[i], json_string(text[i]));
	}
	json_object_set_new(checked, "verdict", json_string("not checked"));
	if (moment_visit(replay, text[0], failure) && position_update(replay, failure))
		judge(replay, checked, text[1], text[2], in_full);
	else
		json_object_set_new(checked, "error", json_string(failure->message));
	if (relatives_is_away(replay))
		json_object_set_new(checked, "pid", json_integer(replay_pid(replay)));
	return checked;
}

json_t *claims_check(
    struct replay *replay, const json_t *claims, bool in_full, struct failure *failure)
{
	struct worker *worker = replay_worker(replay);
	json_t *list = json_array(), *claim;
	size_t i, count = json_array_size(claims);

	json_array_foreach((json_t *)claims, i, claim)
	{
		struct failure unchecked = {0};

		worker_progress(worker, (double)i, (double)count, "checking claims");
		json_array_append_new(list, check(replay, claim, in_full, &unchecked));
		json_decref(unchecked.details);
		unchecked.details = NULL;
		if (worker_goes_on(worker))
			continue;
		if (unchecked.code == ERROR_LIMIT)
			*failure = unchecked;
		else if (worker->broken)
			gdb_check(replay_gdb(replay), GDB_LOST, ERROR_GDB_FAILED, NULL, failure);
		else
			worker_fail_interrupted(worker, failure);
		json_decref(list);
		return NULL;
	}
	return list;
}

bool claims_has_held(const json_t *checked)
{
	return strcmp(mi_text(checked, "verdict"), "held") == 0;
}

size_t claims_held(const json_t *checked)
{
	size_t held = 0, i;
	json_t *claim;

	json_array_foreach((json_t *)checked, i, claim) held += claims_has_held(claim);
	return held;
}

json_t *claims_conclusion(const json_t *checked)
{
	size_t i, length, count = json_array_size(checked), held = claims_held(checked);
	char others[8 * CLAIMS_MAX] = "";
	json_t *claim;

	json_array_foreach((json_t *)checked, i, claim)
	{
		length = strlen(others);
		if (!claims_has_held(claim))
			snprintf(others + length, sizeof(others) - length, "%s %zu",
			    length ? "," : "; not:", i + 1);
	}
	return json_sprintf(
	    "%zu of %zu claim%s held%s", held, count, count == 1 ? "" : "s", others);
}

json_t *tool_verify_claims(
    struct replay *replay, const struct verify_claims_args *args, struct failure *failure)
{
	json_t *checked, *json = NULL;

	if (!claims_are_sound(args->claims, failure))
		return NULL;
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	checked = claims_check(replay, args->claims, false, failure);
	visit_end(replay);
	if (checked)
		json = json_pack(
		    "{s:o,s:o}", "conclusion", claims_conclusion(checked), "claims", checked);
	return excursion_answer(&excursion, json, failure);
}
