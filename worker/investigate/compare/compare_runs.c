/*
 * rr_compare_runs: replays two runs of the same program side by side in a worker of its own, and
 * tells where they part and what was different there.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/printed/outputs.h"
#include "worker/investigate/compare/divergence.h"
#include "worker/serve/handlers.h"
#include "worker/inspect/evaluate.h"
#include "worker/inspect/opening.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/read/names/brief_name.h"
#include "worker/read/code/source.h"
#include "worker/serve/words.h"
#include "worker/session/launch/parts.h"
#include "worker/serve/sentence.h"

#define NAMES_MAX     8 /* variables of the last common line */
#define NAME_MAX_SIZE 80
#define BACK_MAX      1024 /* common places before the divergence at which probes are read */

struct compare {
	const struct compare_runs_args *args;
	struct replay *replays[2];
	struct divergence divergence;
};

static const char *const run_names[] = {"good", "bad"};

static const struct own_place *place_of(const struct compare *compare, const struct pass_of *pass)
{
	return &compare->divergence.tracks[BAD].code.places[pass->place];
}

static const char *path_of(const struct compare *compare, const struct pass_of *pass)
{
	const char *path =
	    compare->divergence.tracks[BAD].code.files[place_of(compare, pass)->file];

	return path ? path : "";
}

/* ---- Values ---------------------------------------------------------------------------------- */

static bool go(struct compare *compare, int run, const struct pass_of *pass)
{
	cleanup_failure struct failure ignored = {0};

	return position_go(compare->replays[run], &pass->moment, &ignored);
}

static bool is_keyword(const char *name)
{
	static const char *const words[] = {"if", "else", "for", "while", "do", "switch", "case",
	    "return", "sizeof", "const", "int", "long", "char", "unsigned", "struct", "static",
	    "bool", "double", "float", "auto", "void", "size_t", "break", "continue", "true",
	    "false", "NULL", "nullptr"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(words[i], name) == 0)
			return true;
	return false;
}

static bool has(const json_t *list, const char *text)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)list, i, one)
	{
		if (strcmp(json_string_value(one), text) == 0)
			return true;
	}
	return false;
}

/* The length of "account->balance" or "point.x" at the beginning of a text. */
static size_t name_length(const char *text)
{
	size_t length = 0;

	for (;;) {
		while (is_word(text[length]))
			length++;
		if (text[length] == '.' && (isalpha((unsigned char)text[length + 1])))
			length++;
		else if (text[length] == '-' && text[length + 1] == '>' &&
			 isalpha((unsigned char)text[length + 2]))
			length += 2;
		else
			return length;
	}
}

/* Adds the variables that a line of source names. Texts, comments and calls are left out. */
static void add_names(json_t *names, const char *source)
{
	char name[NAME_MAX_SIZE];

	while (*source && json_array_size(names) < NAMES_MAX) {
		size_t length = 0;

		if (*source == '"' || *source == '\'') {
			const char *end = strchr(source + 1, *source);

			if (!end)
				return;
			source = end + 1;
			continue;
		}
		if (source[0] == '/' && (source[1] == '/' || source[1] == '*'))
			return;
		if (isalpha((unsigned char)*source) || *source == '_')
			length = name_length(source);
		else if (isdigit((unsigned char)*source))
			source += strspn(source, "0123456789abcdefxABCDEFXuUlL.") - 1;
		snprintf(name, sizeof(name), "%.*s", (int)length, source);
		if (length && length < sizeof(name) &&
		    source[length + strspn(source + length, " ")] != '(' && !is_keyword(name) &&
		    !has(names, name))
			json_array_append_new(names, json_string(name));
		source += length ? length : 1;
	}
}

static json_t *names_at(struct compare *compare, const struct pass_of *pass)
{
	int line = place_of(compare, pass)->line;
	json_t *names = json_array();
	json_auto_t *source =
	    source_between(compare->replays[BAD], path_of(compare, pass), line, line);
	const char *text = json_string_value(source);

	text = text ? text + strspn(text, " 0123456789=>") : NULL;
	if (text)
		add_names(names, text);
	return names;
}

/* The values of all of them where that run passed; NULL: it did not. */
static json_t *values_at(
    struct compare *compare, int run, const struct pass_of *pass, const json_t *expressions)
{
	json_auto_t *holder = NULL;

	if (!pass || place_of(compare, pass)->entry || !json_array_size(expressions) ||
	    !go(compare, run, pass))
		return NULL;
	holder = evaluate_beside(compare->replays[run], json_object(), expressions);
	return json_incref(json_object_get(holder, "evaluated"));
}

/* What takes the place of a value. Where a function begins, its arguments are not in place. */
static const char *missing(const struct compare *compare, const struct pass_of *pass)
{
	if (!pass)
		return "<not there>";
	return place_of(compare, pass)->entry ? "<a function begins here>" : "<not read>";
}

/* Addresses differ from run to run, and mean nothing. */
static bool is_same_value(const char *one, const char *other)
{
	while (*one && *one == *other) {
		size_t first = strncmp(one, "0x", 2) == 0 ? strspn(one + 2, "0123456789abcdef") : 0;
		size_t second =
		    strncmp(other, "0x", 2) == 0 ? strspn(other + 2, "0123456789abcdef") : 0;

		one += first > 5 && second > 5 ? 2 + first : 1;
		other += first > 5 && second > 5 ? 2 + second : 1;
	}
	return *one == *other;
}

/* ["n: 3 in both", "p: good 0x0, bad 0x55"]; *differ counts those that differ. Those that no run
 * can read are left out, unless they were asked for. */
static json_t *compare_values(struct compare *compare, const struct pass_of *const passes[2],
    const json_t *expressions, bool asked, size_t *differ)
{
	json_auto_t *good = values_at(compare, GOOD, passes[GOOD], expressions);
	json_auto_t *bad = values_at(compare, BAD, passes[BAD], expressions);
	json_t *told = json_array(), *one;
	size_t i;

	*differ = 0;
	json_array_foreach((json_t *)expressions, i, one)
	{
		const char *name = json_string_value(one);
		const char *in_good = mi_text(good, name), *in_bad = mi_text(bad, name);
		bool same = in_good && in_bad && is_same_value(in_good, in_bad);

		if (!asked && (!in_good || !in_bad || in_good[0] == '<' || in_bad[0] == '<'))
			continue;
		*differ += !same;
		json_array_append_new(
		    told, same ? json_sprintf("%s: %s in both", name, in_good)
			       : json_sprintf("%s: good %s, bad %s", name,
				     in_good ? in_good : missing(compare, passes[GOOD]),
				     in_bad ? in_bad : missing(compare, passes[BAD])));
	}
	return told;
}

/* Further and further back, until the probes are the same. */
static void add_history(struct compare *compare, json_t *answer)
{
	json_t *rows = json_array();
	size_t differ = 1;

	for (size_t back = 2; back <= BACK_MAX && differ; back *= 2) {
		const struct pass_of *const passes[2] = {
		    divergence_pass(&compare->divergence, GOOD, back),
		    divergence_pass(&compare->divergence, BAD, back)};
		json_t *values;

		if (!passes[GOOD] || !passes[BAD])
			break;
		if (place_of(compare, passes[BAD])->entry)
			continue;
		values = compare_values(compare, passes, compare->args->probes, true, &differ);
		json_array_append_new(rows,
		    json_pack("{s:o, s:o, s:o, s:o}", "good_moment",
			moment_name(compare->replays[GOOD], &passes[GOOD]->moment), "bad_moment",
			moment_name(compare->replays[BAD], &passes[BAD]->moment), "at",
			json_sprintf("%s:%d", path_of(compare, passes[BAD]),
			    place_of(compare, passes[BAD])->line),
			"values", values));
	}
	answer_add_list(answer, "probes_before", rows);
}

static void add_values(struct compare *compare, json_t *answer)
{
	const struct divergence *divergence = &compare->divergence;
	const struct pass_of *const last[2] = {
	    divergence_pass(divergence, GOOD, 1), divergence_pass(divergence, BAD, 1)};
	const struct pass_of *const next[2] = {
	    divergence_pass(divergence, GOOD, 0), divergence_pass(divergence, BAD, 0)};
	json_auto_t *names = last[BAD] ? names_at(compare, last[BAD]) : NULL;
	const json_t *probes = compare->args->probes;
	size_t differ;

	if (last[GOOD] && last[BAD] && json_array_size(names))
		answer_add_list(
		    answer, "values", compare_values(compare, last, names, false, &differ));
	if (!json_array_size(probes))
		return;
	answer_add_list(
	    answer, "probes_after", compare_values(compare, next, probes, true, &differ));
	if (!last[GOOD] || !last[BAD])
		return;
	answer_add_list(answer, "probes", compare_values(compare, last, probes, true, &differ));
	if (differ)
		add_history(compare, answer);
}

/* ---- The answer ------------------------------------------------------------------------------ */

/* "decide (a.c:12)" at a pass, in words[size]; goes there. */
static void words_of(
    struct compare *compare, int run, const struct pass_of *pass, char *words, size_t size)
{
	struct replay *replay = compare->replays[run];
	const char *function = NULL;
	char brief[BRIEF_NAME_MAX];

	if (go(compare, run, pass))
		function =
		    mi_text(json_object_get(gdb_last_stop(replay_gdb(replay)), "frame"), "func");
	snprintf(words, size, "%s%s%.300s:%d%s", function ? brief_name(function, brief) : "",
	    function ? " (" : "", path_of(compare, pass), place_of(compare, pass)->line,
	    function ? ")" : "");
}

/* {trace_dir, tid, last_common?, next?, at?}: moments, and where the run goes on. */
static json_t *describe_run(struct compare *compare, int run)
{
	const struct pass_of *last = divergence_pass(&compare->divergence, run, 1);
	const struct pass_of *next = divergence_pass(&compare->divergence, run, 0);
	struct replay *replay = compare->replays[run];
	json_t *json = json_pack("{s:s}", "trace_dir", replay_trace_dir(replay));

	if (last || next)
		json_object_set_new(
		    json, "tid", json_integer(next ? next->moment.tid : last->moment.tid));
	if (last)
		json_object_set_new(json, "last_common", moment_name(replay, &last->moment));
	if (!next)
		return json;
	json_object_set_new(json, "next", moment_name(replay, &next->moment));
	json_object_set_new(json, "at",
	    json_sprintf("%s:%d", path_of(compare, next), place_of(compare, next)->line));
	return json;
}

static json_t *conclude_parted(struct compare *compare)
{
	char last[600] = "the beginning of the thread", next[2][600];

	if (divergence_pass(&compare->divergence, BAD, 1))
		words_of(compare, BAD, divergence_pass(&compare->divergence, BAD, 1), last,
		    sizeof(last));
	for (int run = GOOD; run <= BAD; run++) {
		const struct pass_of *pass = divergence_pass(&compare->divergence, run, 0);

		snprintf(next[run], sizeof(next[run]), "its end");
		if (pass)
			words_of(compare, run, pass, next[run], sizeof(next[run]));
	}
	return json_sprintf("the runs part after %s: the good run goes on to %s, the bad run to %s",
	    last, next[GOOD], next[BAD]);
}

/* Whether the program has more code or threads than were compared. */
static bool is_partly_compared(const struct divergence *divergence)
{
	for (int run = GOOD; run <= BAD; run++)
		if (divergence->tracks[run].partly || divergence->tracks[run].code.cut)
			return true;
	return false;
}

static json_t *conclude(struct compare *compare)
{
	const struct divergence *divergence = &compare->divergence;

	switch (divergence->kind) {
	case DIVERGENCE_FOUND:
		return conclude_parted(compare);
	case DIVERGENCE_NONE:
		if (is_partly_compared(divergence))
			return json_sprintf("no difference was found, but only a part of the "
					    "program was compared: %zu calls",
			    divergence->calls);
		return json_sprintf(
		    "both runs went the same way through their own code to the end: "
		    "%zu calls%s",
		    divergence->calls, divergence->lines ? ", and each line" : "");
	case DIVERGENCE_LIMIT:
	case DIVERGENCE_CUT:
		return json_sprintf(
		    "the runs are the same as far as they were compared: %zu calls%s",
		    divergence->calls, divergence->lines ? ", and some of their lines" : "");
	case DIVERGENCE_FAILED:
		break;
	}
	return json_null();
}

/* How far each run was compared. */
static void add_reached(struct compare *compare, json_t *answer)
{
	for (int run = GOOD; run <= BAD; run++) {
		struct replay *replay = compare->replays[run];

		json_object_set_new(answer, run_names[run],
		    json_pack("{s:s, s:o}", "trace_dir", replay_trace_dir(replay), "reached",
			moment_name(replay, replay_now(replay))));
	}
	json_object_set_new(answer, "cut_off",
	    json_string(compare->divergence.kind == DIVERGENCE_CUT
			    ? "the time is over: give a longer deadline"
			    : "the limit is reached: give a higher limit, and a longer deadline"));
}

/* Library code that went another way, called from a line that both runs passed. */
static void add_elsewhere(struct compare *compare, json_t *answer)
{
	const struct track *tracks = compare->divergence.tracks;
	const struct pass_of *passes[2];
	json_t *names[2];
	size_t thread, at;

	if (compare->divergence.gone || !divergence_elsewhere(&compare->divergence, &thread, &at))
		return;
	for (int run = GOOD; run <= BAD; run++) {
		passes[run] = &tracks[run].threads[thread].passes[at];
		names[run] = moment_name(compare->replays[run], &passes[run]->moment);
	}
	json_object_set_new(answer, "libraries",
	    json_sprintf(
		"the code that %s:%d called went different ways: good from %s, bad from %s on",
		path_of(compare, passes[BAD]), place_of(compare, passes[BAD])->line,
		json_string_value(names[GOOD]), json_string_value(names[BAD])));
	json_decref(names[GOOD]);
	json_decref(names[BAD]);
}

static void add_notes(const struct compare *compare, json_t *answer)
{
	const struct divergence *divergence = &compare->divergence;
	json_t *notes = json_array();

	if (!divergence->lines)
		json_array_append_new(notes,
		    json_string(
			"only calls were compared: the runs can take different lines before"));
	else if (!divergence->from_start)
		json_array_append_new(
		    notes, json_sprintf(
			       "calls were compared from the start, lines only from %s:%d on: the "
			       "runs can take different lines before",
			       path_of(compare, &divergence->from),
			       place_of(compare, &divergence->from)->line));
	if (is_partly_compared(divergence))
		json_array_append_new(
		    notes, json_string("the program has more functions, lines or threads than one "
				       "comparison follows: the runs can part elsewhere before"));
	answer_add_list(answer, "notes", notes);
}

/* Of the last common line. */
static void add_source(struct compare *compare, json_t *answer)
{
	const struct pass_of *last = divergence_pass(&compare->divergence, BAD, 1);

	if (last)
		json_object_set_new(answer, "source",
		    source_around(compare->replays[BAD], path_of(compare, last),
			place_of(compare, last)->line));
}

static json_t *answer_of(struct compare *compare, struct failure *failure)
{
	json_t *answer = json_object();

	json_object_set_new(answer, "conclusion", conclude(compare));
	switch (compare->divergence.kind) {
	case DIVERGENCE_FOUND:
		for (int run = GOOD; run <= BAD; run++)
			json_object_set_new(answer, run_names[run], describe_run(compare, run));
		add_source(compare, answer);
		add_values(compare, answer);
		break;
	case DIVERGENCE_NONE:
		outputs_compare(compare->replays, answer);
		break;
	case DIVERGENCE_LIMIT:
	case DIVERGENCE_CUT:
		add_reached(compare, answer);
		break;
	case DIVERGENCE_FAILED:
		json_decref(answer);
		return NULL;
	}
	add_elsewhere(compare, answer);
	add_notes(compare, answer);
	if (!replay_worker(compare->replays[GOOD])->broken)
		return answer;
	json_decref(answer);
	failure_set(
	    failure, ERROR_WORKER_DIED, "try again", "a replay was lost during the comparison");
	return NULL;
}

static json_t *run(struct compare *compare, struct failure *failure)
{
	struct divergence *divergence = &compare->divergence;

	for (int run = GOOD; run <= BAD; run++)
		if (!track_begin(&divergence->tracks[run], compare->replays[run], failure))
			return NULL;
	if (!own_code_is_same(
		&divergence->tracks[GOOD].code, &divergence->tracks[BAD].code, failure))
		return NULL;
	divergence_find(divergence, (size_t)compare->args->limit, failure);
	if (divergence->kind == DIVERGENCE_NONE && !divergence->calls) {
		failure_set(failure, ERROR_UNSUPPORTED,
		    "good_pid and bad_pid choose another process; rr_ps lists them",
		    "neither run called a function of its own code");
		return NULL;
	}
	return answer_of(compare, failure);
}

json_t *tool_compare_runs(
    struct worker *worker, const struct compare_runs_args *args, struct failure *failure)
{
	const char *const names[2] = {args->good, args->bad};
	const long long pids[2] = {args->good_pid, args->bad_pid};
	struct compare *compare = calloc(1, sizeof(*compare));
	json_t *answer = NULL;

	if (!compare)
		return failure_no_memory(failure);
	compare->args = args;
	if (evaluate_may(args->probes, failure) &&
	    opening_both(worker, names, pids, compare->replays, failure))
		answer = run(compare, failure);
	for (int run = GOOD; run <= BAD; run++) {
		track_free(&compare->divergence.tracks[run]);
		replay_free(compare->replays[run]);
	}
	free(compare);
	return answer;
}
