/*
 * Expressions that a client evaluates, with or without calls into the program, and the raw gdb
 * command.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/mi/says.h"
#include "worker/gdb/settings.h"
#include "worker/serve/handlers.h"
#include "worker/serve/arguments/harmless.h"
#include "worker/inspect/evaluate.h"
#include "worker/inspect/walk.h"
#include "worker/moment/excursion.h"
#include "worker/moment/moment_parse.h"
#include "worker/moment/position.h"
#include "worker/read/frames/frames.h"
#include "worker/read/names/scope.h"
#include "worker/read/names/ambiguous_statics.h"
#include "worker/read/values/values.h"
#include "worker/session/selection.h"
#include "worker/serve/sentence.h"

#define OPTIMIZED_OUT	"<optimized out>" /* as gdb prints it */
#define EXPRESSIONS_MAX 50
#define VALUE_MAX	8000 /* bytes of a value that is asked for alone */
#define BESIDE_BUDGET	8000 /* bytes of the values beside a stop */

/* Of gdb's output command; 0: its own choice. */
static const char format_letters[] = {[FORMAT_NATURAL] = 0,
    [FORMAT_HEX] = 'x',
    [FORMAT_DECIMAL] = 'd',
    [FORMAT_OCTAL] = 'o',
    [FORMAT_BINARY] = 't'};

static int read_formatted(struct replay *replay, char letter, const char *expression, char **value,
    char **type, char *why, size_t why_size)
{
	const struct selection *selected = replay_selected(replay);
	struct gdb *gdb = replay_gdb(replay);
	char command[REPLAY_EXPRESSION_MAX + 32];

	if (!letter)
		return values_show(replay, expression, value, type, why, why_size);
	if (values_read(replay, expression, value, type, why, why_size) != 0)
		return -1;
	snprintf(command, sizeof(command), "output/%c (%s)", letter, expression);
	if (!selection_console_in(replay, selected->number, selected->frame, command)) {
		snprintf(why, why_size, "%s", gdb_message(gdb));
		return -1;
	}
	free(*value);
	*value = strdup(gdb_console_text(gdb));
	return 0;
}

/* How a list is read. */
struct reading {
	char letter; /* of format_letters */
	size_t max;  /* bytes of each value */
	bool may_change;
};

/* One by one, because a bad one must not hide the others. */
static bool may_read(struct replay *replay, const char *expression, const struct reading *reading,
    struct failure *strange)
{
	if (strlen(expression) > REPLAY_EXPRESSION_MAX) {
		failure_set(strange, ERROR_INVALID_ARGUMENT, NULL,
		    "an expression is longer than %d bytes", REPLAY_EXPRESSION_MAX);
		return false;
	}
	return harmless_expression(expression, reading->may_change, strange) &&
	       ambiguous_statics_check(replay, expression, strange);
}

static json_t *evaluate_one(
    struct replay *replay, const char *expression, const struct reading *reading)
{
	char *value = NULL, *type = NULL, why[512];
	struct failure strange = {0};
	json_t *json = json_object();
	size_t cut = 0;

	json_object_set_new(json, "expression", json_string(expression));
	if (!may_read(replay, expression, reading, &strange)) {
		json_object_set_new(json, "error", json_string(strange.message));
	} else if (read_formatted(
		       replay, reading->letter, expression, &value, &type, why, sizeof(why)) == 0) {
		json_object_set_new(
		    json, "value", scrub_json_middle(value, strlen(value), reading->max, &cut));
		json_object_set_new(json, "type", scrub_json(type, strlen(type), 400, NULL));
	} else {
		json_object_set_new(json, "error", json_string(why));
	}
	if (value && strcmp(value, OPTIMIZED_OUT) == 0)
		json_object_set_new(
		    json, "error", json_sprintf("%.200s is optimized out here", expression));
	if (cut)
		json_object_set_new(json, "truncated", json_integer((json_int_t)cut));
	free(value);
	free(type);
	return json;
}

static bool are_few(const json_t *expressions, struct failure *failure)
{
	if (json_array_size(expressions) <= EXPRESSIONS_MAX)
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT, NULL,
	    "one call can read at most %d expressions", EXPRESSIONS_MAX);
	return false;
}

bool evaluate_may(const json_t *expressions, struct failure *failure)
{
	const json_t *entry;
	size_t i;

	if (!are_few(expressions, failure))
		return false;
	json_array_foreach(expressions, i, entry)
	{
		if (strlen(json_string_value(entry)) <= REPLAY_EXPRESSION_MAX)
			continue;
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL,
		    "an expression is longer than %d bytes", REPLAY_EXPRESSION_MAX);
		return false;
	}
	return true;
}

json_t *evaluate_beside(struct replay *replay, json_t *stop, const json_t *expressions)
{
	size_t i, count = json_array_size(expressions);
	json_t *values, *entry;
	int frame = replay_selected(replay)->frame;

	if (!stop || !count)
		return stop;
	values = json_object();
	json_array_foreach((json_t *)expressions, i, entry)
	{
		const char *expression = json_string_value(entry), *error;

		/* registers are those of the innermost frame */
		selection_read_from(replay, strchr(expression, '$') ? 0 : frame);
		json_auto_t *read = evaluate_one(
		    replay, expression, &(struct reading){.max = BESIDE_BUDGET / count});
		error = mi_text(read, "error");
		if (error)
			json_object_set_new(values, expression, json_sprintf("<%s>", error));
		else
			json_object_set(values, expression, json_object_get(read, "value"));
	}
	selection_read_from(replay, frame);
	json_object_set_new(stop, "evaluated", values);
	return stop;
}

/* expression or expressions[]: one list; NULL with *failure filled. */
static json_t *wanted(const struct evaluate_args *args, struct failure *failure)
{
	json_t *list = json_array();

	if (args->expression)
		json_array_append_new(list, json_string(args->expression));
	json_array_extend(list, args->expressions);
	if (json_array_size(list) == 0)
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL,
		    "give expression, or up to %d expressions", EXPRESSIONS_MAX);
	else if (json_array_size(list) > 1 ? are_few(list, failure) : evaluate_may(list, failure))
		return list;
	json_decref(list);
	return NULL;
}

static bool calls_are_allowed(
    const struct worker *worker, bool wanted_calls, struct failure *failure)
{
	if (!wanted_calls || worker->config.allow_calls)
		return true;
	failure_set(failure, ERROR_NOT_ALLOWED,
	    "use an expression that does not call functions of the program",
	    "the administrator's settings do not allow calls of the program's functions");
	return false;
}

static void fail_evaluation(struct replay *replay, const char *why, struct failure *failure)
{
	static const struct {
		enum gdb_saying said;
		enum error_code code;
		const char *hint;
	} cases[] = {
	    {SAYS_CALLS_ARE_OFF, ERROR_NOT_ALLOWED,
		"only read values, or set allow_calls to call functions, if the settings allow "
		"that"},
	    {SAYS_WRITES_ARE_OFF, ERROR_NOT_ALLOWED,
		"only read values, or set allow_calls to call functions, if the settings allow "
		"that"},
	    {SAYS_UNREADABLE, ERROR_INVALID_ARGUMENT,
		"nothing is mapped there at this moment; rr_last_change on the pointer finds its "
		"last write"},
	    {SAYS_OPTIMIZED_OUT, ERROR_INVALID_ARGUMENT,
		"the program no longer keeps this value here: go back with reverse in rr_step or "
		"rr_finish to where it still does"},
	    {SAYS_INLINED, ERROR_INVALID_ARGUMENT,
		"the program has no such function of its own, because the compiler inlined it: "
		"rr_expand shows a container's elements, and a member reads what it would return"},
	    {SAYS_NO_OPERATOR, ERROR_INVALID_ARGUMENT,
		"the program has no such function of its own, because the compiler inlined it: "
		"rr_expand shows a container's elements, and a vector's member reads one: "
		"v._M_impl._M_start[0]"},
	    {SAYS_TOO_LARGE, ERROR_LIMIT, "ask for a part of it: expression[0]@200"},
	    {SAYS_AMBIGUOUS, ERROR_INVALID_ARGUMENT,
		"'FILE'::NAME is that file's; rr_locals shows the names in this frame"},
	    {SAYS_ANYTHING, ERROR_INVALID_ARGUMENT,
		"rr_locals shows the names in this frame; rr_select_frame selects another frame"},
	};
	size_t at = 0;

	while (!gdb_says(why, cases[at].said))
		at++;
	failure_set(failure, cases[at].code, cases[at].hint, "%.400s", why);
	scope_explain(replay, failure);
}

static json_t *evaluate_all(
    struct replay *replay, const json_t *list, struct reading reading, struct failure *failure)
{
	struct worker *worker = replay_worker(replay);
	size_t i, count = json_array_size(list), max = VALUES_BUDGET / count;
	json_t *results = json_array(), *result = NULL, *entry, *only;

	reading.max = (max < VALUE_MAX ? max : VALUE_MAX) - 100;
	json_array_foreach(list, i, entry)
	{
		if (!worker_goes_on(worker))
			break;
		json_array_append_new(
		    results, evaluate_one(replay, json_string_value(entry), &reading));
	}
	only = json_array_get(results, 0);
	if (worker->broken) {
		gdb_check(replay_gdb(replay), GDB_LOST, ERROR_GDB_FAILED, NULL, failure);
	} else if (worker->interrupt) {
		worker_fail_interrupted(worker, failure);
	} else if (count == 1 && json_object_get(only, "error")) {
		fail_evaluation(replay, mi_text(only, "error"), failure);
	} else {
		result = count == 1 ? json_copy(only) : json_pack("{s:O}", "results", results);
		if (count == 1)
			json_object_del(result, "expression");
	}
	json_decref(results);
	return result;
}

static json_t *evaluate_calling(
    struct replay *replay, const json_t *list, struct reading reading, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	cleanup_setting struct gdb_setting calls =
	    gdb_setting_begin(gdb, "may-call-functions", "on");
	cleanup_setting struct gdb_setting writes =
	    gdb_setting_begin(gdb, "may-write-memory", "on");

	return evaluate_all(replay, list, reading, failure);
}

/*
 * Evaluates with calls into the program, which rr runs in a copy. gdb sees that copy until the
 * program goes on, so we go back to where we are, which ends it.
 */
static json_t *evaluate_with_calls(
    struct replay *replay, const json_t *list, struct reading reading, struct failure *failure)
{
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	struct failure late = {0};
	json_t *result;

	result = evaluate_calling(replay, list, reading, failure);
	if (replay_worker(replay)->broken)
		return result;
	if (excursion.from.at_end) /* gdb would think that it is there already, so leave first */
		position_go_event(replay, excursion.from.moment.event - 1, &late);
	return excursion_answer(&excursion, result, failure);
}

struct expressions {
	const json_t *list;
	const struct evaluate_args *args;
};

static bool is_walk(const struct evaluate_args *args)
{
	return args->next || args->until || json_array_size(args->show);
}

static json_t *evaluate_here(
    struct replay *replay, const struct expressions *expressions, struct failure *failure)
{
	const struct evaluate_args *args = expressions->args;
	struct reading reading = {
	    .letter = format_letters[args->format], .may_change = args->allow_calls};
	cleanup_setting struct gdb_setting elements =
	    gdb_setting_begin(replay_gdb(replay), "print elements", "%lld", args->max_elements);

	if (is_walk(args))
		return walk_chain(replay, args, failure);
	return args->allow_calls ? evaluate_with_calls(replay, expressions->list, reading, failure)
				 : evaluate_all(replay, expressions->list, reading, failure);
}

/* The session's own frame stays selected. */
static json_t *evaluate_in(struct replay *replay, const struct expressions *expressions,
    long long frame, struct failure *failure)
{
	const int selected = replay_selected(replay)->frame;
	json_t *result;

	if (!selection_choose_frame(replay, frame, failure))
		return NULL;
	result = evaluate_here(replay, expressions, failure);
	/* After calls into the program the session stands there anew, with frame 0 selected. */
	if (!replay_worker(replay)->broken && !selection_set_frame(replay, selected))
		selection_set_frame(replay, 0);
	return result;
}

static bool names_register(const json_t *texts)
{
	json_t *text;
	size_t i;

	json_array_foreach((json_t *)texts, i, text)
	{
		if (strchr(json_string_value(text), '$'))
			return true;
	}
	return false;
}

/* Registers are those of where the program stands, and calls begin there. */
static bool is_bound_to_innermost(const struct expressions *expressions)
{
	const struct evaluate_args *args = expressions->args;
	const char *const texts[] = {args->expression, args->next, args->until};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i] && strchr(texts[i], '$'))
			return true;
	return args->allow_calls || names_register(expressions->list) || names_register(args->show);
}

/* Where the program stands in a library and no frame was chosen, names are meant as the program's
 * own code has them. A name that only the library has is one of the library. */
static json_t *evaluate_in_own(
    struct replay *replay, const struct expressions *expressions, struct failure *failure)
{
	struct failure unknown = {0};
	json_t *result = NULL;
	int level = 0;

	if (replay_selected(replay)->frame == 0 && !is_bound_to_innermost(expressions))
		level = frames_own_level(replay);
	if (level > 0)
		result = evaluate_in(replay, expressions, level, &unknown);
	if (level > 0 && !result && !worker_goes_on(replay_worker(replay))) {
		*failure = unknown;
		return NULL;
	}
	json_decref(unknown.details);
	if (!result)
		return evaluate_here(replay, expressions, failure);
	json_object_set_new(result, "note",
	    json_sprintf("read in frame %d, the first of the program's own code", level));
	return result;
}

/* In the frame that is asked for. */
static json_t *evaluate_list(struct replay *replay, const void *asked, struct failure *failure)
{
	const struct expressions *expressions = asked;

	return expressions->args->frame < 0
		   ? evaluate_in_own(replay, expressions, failure)
		   : evaluate_in(replay, expressions, expressions->args->frame, failure);
}

json_t *tool_evaluate(
    struct replay *replay, const struct evaluate_args *args, struct failure *failure)
{
	json_auto_t *list = NULL;

	if (!calls_are_allowed(replay_worker(replay), args->allow_calls, failure))
		return NULL;
	list = is_walk(args) ? json_array() : wanted(args, failure);
	if (!list)
		return NULL;
	return moment_ask(
	    replay, args->at, evaluate_list, &(struct expressions){list, args}, failure);
}

/* The only way to pass commands to gdb; off unless the settings allow it. */
json_t *tool_gdb_command(
    struct replay *replay, const struct gdb_command_args *args, struct failure *failure)
{
	const struct selection *selected = replay_selected(replay);
	char quoted[GDB_QUOTED_MAX];
	const char *text;
	json_t *result;
	size_t cut = 0;

	if (!replay_worker(replay)->config.allow_gdb_command) {
		failure_set(failure, ERROR_NOT_ALLOWED, "use the other tools instead",
		    "the administrator's settings do not allow raw gdb commands");
		return NULL;
	}
	if (!gdb_quote(quoted, "command", args->command, failure) ||
	    !gdb_check(replay_gdb(replay),
		gdb_command(replay_gdb(replay), NULL,
		    "-interpreter-exec --thread %d --frame %d console %s", selected->number,
		    selected->frame, quoted),
		ERROR_INVALID_ARGUMENT, NULL, failure))
		return NULL;
	text = gdb_console_text(replay_gdb(replay));
	result = json_pack(
	    "{s:o}", "output", scrub_json_middle(text, strlen(text), VALUES_BUDGET, &cut));
	answer_add_count(result, "truncated", (json_int_t)cut);
	/* The command may have moved the program. */
	gdb_check(
	    replay_gdb(replay), gdb_settle(replay_gdb(replay)), ERROR_GDB_FAILED, NULL, failure);
	replay_changed(replay);
	return result;
}
