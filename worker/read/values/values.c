/*
 * Reads values. Expressions come from the client, so serve/harmless.h checks them first, and gdb
 * gets each as one quoted string, with calls and writes off.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/scrub.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/gdb/mi/says.h"
#include "worker/gdb/settings.h"
#include "worker/serve/handlers.h"
#include "worker/read/values/condition.h"
#include "worker/read/values/printers.h"
#include "worker/serve/words.h"
#include "worker/session/spoken.h"
#include "worker/read/values/values.h"
#include "worker/serve/sentence.h"

#define VALUE_NAME_MAX 100
#define OPTIMIZED_OUT  "<optimized out>" /* as gdb prints it */
#define POINTED_MAX    300		 /* bytes shown of what a pointer points to */
#define POINTED_COUNT  6
#define POINTED_BUDGET 8000
#define LOCAL_MAX      1000 /* bytes of one local */
#define CONTAINER_MAX  800  /* bytes of a value with containers */
#define CONTAINER_MORE "... rr_expand shows the rest"
#define BEGINNING_ONLY " (only the beginning, because it is large)"

static bool is_aggregate(const char *value)
{
	/* Empty if it could not be read; evaluating it says why. */
	return !value || !value[0] || value[0] == '{' || value[0] == '[';
}

static char *copy(const char *text)
{
	return strdup(text ? text : "");
}

static int refuse(struct replay *replay, char *why, size_t size)
{
	snprintf(why, size, "%s", gdb_message(replay_gdb(replay)));
	return -1;
}

static bool is_too_large(const struct gdb *gdb)
{
	return gdb_says(gdb_message(gdb), SAYS_TOO_LARGE);
}

static enum gdb_outcome evaluate_whole(
    struct replay *replay, int thread, int frame, const char *expression, json_t **results)
{
	char quoted[GDB_QUOTED_MAX];

	*results = NULL;
	if (mi_quote(quoted, sizeof(quoted), expression) < 0)
		return GDB_REFUSED;
	return spoken_command(replay, results, thread, frame, "-data-evaluate-expression", quoted);
}

/* Evaluates in a frame; *partly: only the beginning of a large array could be read. */
static enum gdb_outcome evaluate_in(struct replay *replay, int thread, int frame,
    const char *expression, json_t **results, bool *partly)
{
	char text[REPLAY_EXPRESSION_MAX + 32];
	enum gdb_outcome outcome = evaluate_whole(replay, thread, frame, expression, results);

	*partly = outcome == GDB_REFUSED && is_too_large(replay_gdb(replay));
	if (!*partly)
		return outcome;
	snprintf(text, sizeof(text), "(%s)[0]@%d", expression, VALUE_ELEMENTS_DEFAULT);
	return evaluate_whole(replay, thread, frame, text, results);
}

/* Where expressions mean something. */
struct reading_place {
	int thread, frame;
};

static struct reading_place selected_place(const struct replay *replay)
{
	return (struct reading_place){
	    replay_selected(replay)->number, replay_selected(replay)->frame};
}

static int read_aggregate(struct replay *replay, struct reading_place at, const char *expression,
    char **value, char *why, size_t why_size)
{
	json_auto_t *results = NULL;
	const char *text;
	bool partly;

	if (evaluate_in(replay, at.thread, at.frame, expression, &results, &partly) != GDB_DONE)
		return refuse(replay, why, why_size);
	text = mi_text(results, "value");
	if (asprintf(value, "%s%s", text ? text : "", partly ? BEGINNING_ONLY : "") < 0)
		*value = NULL;
	return *value ? 0 : -1;
}

static int read_written(struct replay *replay, const char *expression, char **value, char **type,
    char *why, size_t why_size)
{
	const struct selection *selected = replay_selected(replay);
	static const char before[] = "v * ", behind[] = "\n-var-delete v";
	char rest[GDB_QUOTED_MAX + sizeof(before) + sizeof(behind)];
	json_auto_t *results = NULL;
	const char *text;
	int status = 0;

	*value = *type = NULL;
	strlcpy(rest, before, sizeof(rest));
	if (mi_quote(rest + strlen(before), GDB_QUOTED_MAX, expression) < 0) {
		snprintf(why, why_size, "it contains control characters, or is too long");
		return -1;
	}
	/* Sends the deletion along without waiting for it: an answer without a token belongs to no
	 * command. */
	strlcat(rest, behind, sizeof(rest));
	if (spoken_command(replay, &results, selected->number, selected->frame, "-var-create",
		rest) != GDB_DONE)
		/* gdb's message is the same for every mistake; the evaluation gives the real one.
		 */
		return read_aggregate(
			   replay, selected_place(replay), expression, value, why, why_size) == 0
			   ? (*type = copy(""), 0)
			   : -1;
	*type = copy(mi_text(results, "type"));
	text = mi_text(results, "value");
	if (is_aggregate(text))
		status = read_aggregate(
		    replay, selected_place(replay), expression, value, why, why_size);
	else
		*value = copy(text);
	return status;
}

const char *values_behind_type(const char *value)
{
	const char *end = value[0] == '(' ? strstr(value, ") ") : NULL;

	return end ? end + 2 : value;
}

/* Whether it compares a text. */
static bool compares_text(const char *expression)
{
	return strpbrk(expression, "\"'") && (strstr(expression, "==") || strstr(expression, "!="));
}

/* Whether a text is the same is true or false, in a frame of C as in one of C++. */
static void say_truth(char **value, char **type)
{
	bool is_truth = *value && *type && strcmp(*type, "int") == 0 &&
			(strcmp(*value, "0") == 0 || strcmp(*value, "1") == 0);
	const char *said = is_truth && (*value)[0] == '1' ? "true" : "false";

	if (!is_truth)
		return;
	free(*value);
	free(*type);
	*value = copy(said);
	*type = copy("bool");
}

/* A variable object gives value and type in one exchange, but only the type of an aggregate. */
int values_read(struct replay *replay, const char *expression, char **value, char **type, char *why,
    size_t why_size)
{
	struct condition_written written = {0};
	struct failure ignored = {0};
	int status;

	if (compares_text(expression))
		condition_write(replay, 0, expression, &written, &ignored);
	status = read_written(
	    replay, written.text ? written.text : expression, value, type, why, why_size);
	/* What counts, or chooses, is a number. */
	if (status == 0 && written.text && strcmp(written.text, expression) != 0 &&
	    !strpbrk(expression, "?+/%~"))
		say_truth(value, type);
	/* Its operators may have other names in the language of the frame. */
	if (status != 0 && !written.text && !replay_worker(replay)->broken &&
	    strpbrk(expression, "=&|!") &&
	    condition_write(replay, 0, expression, &written, &ignored) &&
	    strcmp(written.text, expression) != 0) {
		why[0] = '\0';
		status = read_written(replay, written.text, value, type, why, why_size);
	}
	free(written.text);
	return status;
}

char *values_text(struct replay *replay, const char *expression, char *why, size_t why_size)
{
	char *value = NULL;
	cleanup_free char *type = NULL;

	if (values_read(replay, expression, &value, &type, why, why_size) == 0)
		return value;
	free(value);
	return NULL;
}

/* A number in C, once the frame's language has refused it. */
static bool read_as_c(struct replay *replay, const char *expression, unsigned long long *number,
    char *why, size_t why_size)
{
	char quoted[GDB_QUOTED_MAX];
	json_auto_t *results = NULL;
	const char *value;

	if (mi_quote(quoted, sizeof(quoted), expression) < 0 || !spoken_is_foreign(replay))
		return false;
	if (spoken_as_c(replay, &results, quoted) != GDB_DONE) {
		refuse(replay, why, why_size);
		return false;
	}
	value = mi_text(results, "value");
	*number = value ? strtoull(value, NULL, 0) : 0;
	return value != NULL;
}

bool values_number(struct replay *replay, const char *expression, unsigned long long *number,
    char *why, size_t why_size)
{
	cleanup_free char *value = values_text(replay, expression, why, why_size);

	if (value)
		*number = strtoull(value, NULL, 0);
	return value || read_as_c(replay, expression, number, why, why_size);
}

/* Reads it once more in another way. If that fails, what was read before stays. */
static void read_again(
    struct replay *replay, struct reading_place at, const char *expression, char **value)
{
	char *shown = NULL, why[8];

	if (read_aggregate(replay, at, expression, &shown, why, sizeof(why)) == 0) {
		free(*value);
		*value = shown;
	}
}

/* Behind a text or character that begins there. */
static const char *behind_quoted(const char *at)
{
	const char quote = *at++;

	while (*at && *at != quote)
		at += *at == '\\' && at[1] ? 2 : 1;
	return *at ? at + 1 : at;
}

/* Whether a printer has left a value out, or the whole: it fails where the program does not keep
 * what it needs, and gdb goes on behind it without a word. */
static bool has_gap(const char *value)
{
	if (!*value)
		return true;
	for (const char *at = value; *at;) {
		if (*at == '"' || *at == '\'') {
			at = behind_quoted(at);
			continue;
		}
		if (strncmp(at, " = ", 3) == 0 && (!at[3] || at[3] == ',' || at[3] == '}'))
			return true;
		at++;
	}
	return false;
}

/* Whether no member of an aggregate is kept. */
static bool is_all_optimized_out(const char *value)
{
	const char *at = value;
	bool any = false;

	while ((at = strstr(at, " = ")) != NULL) {
		at += 3;
		if (*at != '{' && strncmp(at, OPTIMIZED_OUT, strlen(OPTIMIZED_OUT)) != 0)
			return false;
		any |= *at != '{';
	}
	return any;
}

/* The same with the library's printers; where these fail, the members tell more. */
static void read_printed(
    struct replay *replay, struct reading_place at, const char *expression, char **value)
{
	char *printed = copy(*value);

	printers_begin(replay);
	read_again(replay, at, expression, &printed);
	printers_end(replay);
	if (printed && !has_gap(printed)) {
		free(*value);
		*value = printed;
		return;
	}
	free(printed);
	if (*value && is_all_optimized_out(*value)) {
		free(*value);
		*value = copy(OPTIMIZED_OUT);
	}
}

/* gdb gives only the address of an aggregate that a reference refers to. */
static bool is_bare_reference(const char *value)
{
	return value[0] == '@' && !strchr(value, ':');
}

/* Not within a character of several bytes. */
static void cut(char *value)
{
	size_t at = CONTAINER_MAX - sizeof(CONTAINER_MORE);

	while (at > 0 && ((unsigned char)value[at] & 0xc0) == 0x80)
		at--;
	strlcpy(value + at, CONTAINER_MORE, sizeof(CONTAINER_MORE));
}

/* The same where the value alone does not show that a printer would help: it has its elements, or
 * stays. */
static void read_known(
    struct replay *replay, struct reading_place at, const char *expression, char **value)
{
	char *printed = copy(*value);

	read_printed(replay, at, expression, &printed);
	if (printed && strstr(printed, " = {")) {
		free(*value);
		*value = printed;
	} else {
		free(printed);
	}
}

static void show_elements(struct replay *replay, struct reading_place at, const char *expression,
    const char *type, char **value)
{
	char referred[REPLAY_EXPRESSION_MAX + 8];

	if (is_bare_reference(*value)) {
		snprintf(referred, sizeof(referred), "*&(%.*s)", REPLAY_EXPRESSION_MAX, expression);
		expression = referred;
		read_again(replay, at, expression, value);
	}
	if (printers_would_help(*value))
		read_printed(replay, at, expression, value);
	else if (printers_know(type))
		read_known(replay, at, expression, value);
	else
		return;
	if (*value && strlen(*value) > CONTAINER_MAX)
		cut(*value);
}

int values_show(struct replay *replay, const char *expression, char **value, char **type, char *why,
    size_t why_size)
{
	if (values_read(replay, expression, value, type, why, why_size) != 0)
		return -1;
	if (*value)
		show_elements(replay, selected_place(replay), expression, *type, value);
	/* gdb leaves a value empty of which no part is kept */
	if (*value && !(*value)[0]) {
		free(*value);
		*value = copy(OPTIMIZED_OUT);
	}
	return 0;
}

static bool is_identifier(const char *name)
{
	while (is_word(*name))
		name++;
	return !*name;
}

static json_t *variable_json(struct replay *replay, int thread, int frame, const json_t *variable)
{
	const char *name = mi_text(variable, "name"), *value = mi_text(variable, "value");
	const char *type = mi_text(variable, "type");
	struct reading_place at = {thread, frame};
	json_t *results = NULL, *json;
	char *shown = NULL;
	bool partly = false;
	size_t cut = 0;

	/* gdb leaves out the value of an aggregate, so we read it separately, and cut it. That of
	 * one behind a reference gdb 13 has, but without what its containers hold. */
	if (value && value[0] == '@' && strstr(value, ": {"))
		value = NULL;
	if (!value && name && is_identifier(name) &&
	    evaluate_in(replay, thread, frame, name, &results, &partly) == GDB_DONE) {
		value = mi_text(results, "value");
		value = value && value[0] ? value : OPTIMIZED_OUT; /* see values_show */
	}
	if ((results || printers_know(type)) && value && name && (shown = strdup(value))) {
		show_elements(replay, at, name, type, &shown);
		value = shown;
	}
	if (!value && gdb_says(gdb_message(replay_gdb(replay)), SAYS_OPTIMIZED_OUT))
		value = OPTIMIZED_OUT;
	if (!value)
		value = is_too_large(replay_gdb(replay)) ? "<large: read its members>"
							 : "<cannot be read>";
	json = json_pack("{s:s,s:o,s:s}", "name", name ? name : "", "value",
	    scrub_json_middle(value, strlen(value), LOCAL_MAX, &cut), "type", type ? type : "");
	answer_add_count(json, "truncated", (json_int_t)cut);
	answer_add_flag(json, "partial", partly);
	json_decref(results);
	free(shown);
	return json;
}

json_t *values_list(
    struct replay *replay, int thread, int frame, bool arguments, size_t budget, size_t *left_out)
{
	struct gdb *gdb = replay_gdb(replay);
	json_t *results = NULL, *list, *variable, *json;
	size_t i, size;

	if (left_out)
		*left_out = 0;
	if (!gdb_done_or_warn(gdb,
		gdb_command(gdb, &results,
		    "-stack-list-variables --thread %d --frame %d --simple-values", thread, frame),
		"the variables of a frame were not read"))
		return NULL;
	list = json_array();
	json_array_foreach(json_object_get(results, "variables"), i, variable)
	{
		if (mi_text(variable, "arg") && !arguments)
			continue;
		if (budget < LOCAL_MAX || !worker_goes_on(replay_worker(replay))) {
			if (left_out)
				(*left_out)++;
			continue;
		}
		json = variable_json(replay, thread, frame, variable);
		size = json_dumpb(json, NULL, 0, JSON_COMPACT) + 1;
		budget = size < budget ? budget - size : 0;
		json_array_append_new(list, json);
	}
	json_decref(results);
	return list;
}

/* gdb leaves out a structure, or shows it without what its containers hold. */
static bool is_incomplete(const char *value)
{
	return !value || strcmp(value, "...") == 0 || is_bare_reference(value) ||
	       printers_would_help(value);
}

void values_complete(struct replay *replay, int thread, int level, json_t *frame)
{
	struct reading_place at = {thread, level};
	json_t *argument;
	size_t i;

	json_array_foreach(json_object_get(frame, "args"), i, argument)
	{
		const char *name = mi_text(argument, "name"), *value = mi_text(argument, "value");
		char *shown = NULL, why[8];

		if (replay_worker(replay)->broken || !name || !is_identifier(name) ||
		    !is_incomplete(value) ||
		    read_aggregate(replay, at, name, &shown, why, sizeof(why)) != 0)
			continue;
		show_elements(replay, at, name, NULL, &shown);
		json_object_set_new(
		    argument, "value", scrub_json(shown, strlen(shown), CONTAINER_MAX, NULL));
		free(shown);
	}
}

json_t *values_lines(struct replay *replay, int thread, int frame, size_t budget)
{
	json_auto_t *list = values_list(replay, thread, frame, false, budget, NULL);
	json_t *lines = json_array(), *variable;
	size_t i;

	json_array_foreach(list, i, variable) json_array_append_new(
	    lines, json_sprintf("%s = %s", mi_text(variable, "name"), mi_text(variable, "value")));
	return lines;
}

/* Whether a value points to a structure that can be shown, and not to text or a function. */
static bool points_to_structure(const json_t *variable)
{
	const char *type = mi_text(variable, "type"), *value = mi_text(variable, "value");
	size_t length = type ? strlen(type) : 0;

	if (length < 3 || strcmp(type + length - 2, " *") != 0 || !value ||
	    strncmp(value, "0x", 2) != 0 || strtoull(value, NULL, 16) == 0)
		return false;
	return !strstr(type, "char") && !strstr(type, "void") && !strchr(type, '(') &&
	       !strstr(type, "FILE");
}

static json_t *pointed_line(struct replay *replay, int thread, int frame, const char *name)
{
	char expression[VALUE_NAME_MAX + 2];
	json_t *results = NULL, *line = NULL, *shown;
	char *value;
	bool partly;

	if (!is_identifier(name) || strlen(name) > VALUE_NAME_MAX)
		return NULL;
	snprintf(expression, sizeof(expression), "*%s", name);
	if (evaluate_in(replay, thread, frame, expression, &results, &partly) == GDB_DONE) {
		value = copy(mi_text(results, "value"));
		show_elements(
		    replay, (struct reading_place){thread, frame}, expression, NULL, &value);
		shown = scrub_json_middle(value, strlen(value), POINTED_MAX, NULL);
		line = json_sprintf("%s = %s", expression, json_string_value(shown));
		json_decref(shown);
		free(value);
	} else if (!replay_worker(replay)->broken) {
		line = json_sprintf("%s: %.200s", expression, gdb_message(replay_gdb(replay)));
	}
	json_decref(results);
	return line;
}

json_t *values_pointed(struct replay *replay, int thread, int frame)
{
	json_auto_t *list = values_list(replay, thread, frame, true, POINTED_BUDGET, NULL);
	json_t *lines = json_array(), *variable, *line;
	size_t i;

	json_array_foreach(list, i, variable)
	{
		if (json_array_size(lines) == POINTED_COUNT || !points_to_structure(variable))
			continue;
		line = pointed_line(replay, thread, frame, mi_text(variable, "name"));
		if (line)
			json_array_append_new(lines, line);
	}
	return lines;
}

json_t *tool_locals(struct replay *replay, const struct locals_args *args, struct failure *failure)
{
	const struct selection *selected = replay_selected(replay);
	struct gdb *gdb = replay_gdb(replay);
	struct worker *worker = replay_worker(replay);
	cleanup_setting struct gdb_setting depth =
	    gdb_setting_begin(gdb, "print max-depth", "%lld", args->depth);
	json_t *list, *result = NULL;
	size_t left_out = 0;

	list = values_list(
	    replay, selected->number, selected->frame, args->arguments, VALUES_BUDGET, &left_out);
	if (!list)
		gdb_check(gdb, worker->broken ? GDB_LOST : GDB_REFUSED, ERROR_NOT_FOUND,
		    "this frame may have no debug information: of a stripped program, "
		    "rr_replay_start takes the debug file (symbols)",
		    failure);
	else if (worker->interrupt)
		worker_fail_interrupted(worker, failure);
	else
		result = json_pack("{s:O}", "variables", list);
	if (result && left_out) {
		json_object_set_new(result, "truncated", json_integer((json_int_t)left_out));
		json_object_set_new(
		    result, "hint", json_string("read the others by name with rr_evaluate"));
	}
	json_decref(list);
	return result;
}
