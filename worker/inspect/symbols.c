/*
 * rr_symbols: the functions, variables and types of the program whose names match.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/scrub.h"
#include "worker/gdb/mi/mi.h"
#include "worker/serve/arguments/pattern.h"
#include "worker/serve/handlers.h"
#include "worker/read/names/names.h"
#include "worker/session/replay.h"
#include "worker/serve/sentence.h"

#define SIGNATURE_MAX 300  /* bytes shown of a type, and of a name */
#define LOOKED_AT_MAX 1000 /* matches of one kind that we ask gdb for */

struct search {
	json_t *found;
	size_t limit;
	bool more;
};

static const struct {
	enum symbol_kind kind;
	const char *word, *command, *options;
} kinds[] = {
    {SYMBOL_FUNCTION, "function", "functions", " --include-nondebug"},
    {SYMBOL_VARIABLE, "variable", "variables", " --include-nondebug"},
    {SYMBOL_TYPE, "type", "types", ""},
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

/* Puts the program's own names first: they are what people mostly look for, and libraries have more
 * of everything. */
enum rank { RANK_OWN, RANK_LIBRARY, RANK_WITHOUT_SOURCE, RANKS };

static enum rank rank_of(const char *path)
{
	bool is_system = strncmp(path, "/usr/", 5) == 0 || strncmp(path, "./", 2) == 0;

	return is_system ? RANK_LIBRARY : RANK_OWN;
}

static void add_symbol(
    struct search *search, const char *word, const json_t *symbol, const char *file)
{
	const char *type = mi_text(symbol, "type"), *address = mi_text(symbol, "address");
	const char *name = mi_text(symbol, "name");
	json_t *one;

	if (json_array_size(search->found) == search->limit) {
		search->more = true;
		return;
	}
	one = json_pack("{s:s}", "kind", word);
	if (name)
		json_object_set_new(
		    one, "name", scrub_json(name, strlen(name), SIGNATURE_MAX, NULL));
	if (type)
		json_object_set_new(
		    one, "type", scrub_json(type, strlen(type), SIGNATURE_MAX, NULL));
	if (file && mi_number(symbol, "line", 0))
		json_object_set_new(
		    one, "at", json_sprintf("%s:%d", file, mi_number(symbol, "line", 0)));
	if (address)
		json_object_set_new(one, "address", json_string(address));
	json_array_append_new(search->found, one);
}

static void add_ranked(
    struct search *search, const char *word, const json_t *symbols, enum rank rank)
{
	json_t *file, *symbol;
	size_t i, j;

	json_array_foreach(json_object_get(symbols, "nondebug"), i, symbol)
	{
		if (rank == RANK_WITHOUT_SOURCE)
			add_symbol(search, word, symbol, NULL);
	}
	json_array_foreach(json_object_get(symbols, "debug"), i, file)
	{
		const char *path = mi_text(file, "fullname");

		path = path ? path : mi_text(file, "filename");
		if (!path || rank_of(path) != rank)
			continue;
		json_array_foreach(json_object_get(file, "symbols"), j, symbol)
		{
			add_symbol(search, word, symbol, path);
		}
	}
}

/* For gdb, quoted. False with *failure filled. */
static bool write_pattern(const char *pattern, char quoted[GDB_QUOTED_MAX], struct failure *failure)
{
	cleanup_free char *text = malloc(strlen(pattern) * PATTERN_LONGEST + 1);
	const char *why =
	    text ? pattern_translate(pattern, PATTERN_BASIC, text) : "there is no memory";

	if (!why)
		return gdb_quote(quoted, "pattern", text, failure);
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "pattern is a POSIX extended regular expression, in which [0-9] or [[:alpha:]] is a "
	    "class, e.g. ^list_",
	    "pattern %.200s: %s", pattern, why);
	return false;
}

/* What gdb finds of each wanted kind: [{symbols}, ...], with null for the other kinds; NULL with
 * *failure filled. */
static json_t *ask(struct replay *replay, enum symbol_kind kind, const char *pattern /* quoted */,
    struct failure *failure)
{
	json_t *all = json_array();

	for (size_t i = 0; i < KINDS; i++) {
		json_auto_t *results = NULL;

		if (kind != SYMBOL_ANY && kind != kinds[i].kind) {
			json_array_append_new(all, json_null());
			continue;
		}
		if (!gdb_check(replay_gdb(replay),
			gdb_command(replay_gdb(replay), &results,
			    "-symbol-info-%s%s --max-results %d --name %s", kinds[i].command,
			    kinds[i].options, LOOKED_AT_MAX, pattern),
			ERROR_INVALID_ARGUMENT, "pattern is a regular expression, e.g. ^list_",
			failure)) {
			json_decref(all);
			return NULL;
		}
		json_array_append(all, json_object_get(results, "symbols"));
	}
	return all;
}

static void fail_empty(
    struct replay *replay, enum symbol_kind kind, const char *pattern, struct failure *failure)
{
	const char *what = "name";

	for (size_t i = 0; i < KINDS; i++)
		if (kind == kinds[i].kind)
			what = kinds[i].word;
	failure_set(failure, ERROR_NOT_FOUND,
	    "a part of the name is enough; libraries that are not loaded yet are not searched",
	    "no %s of the program matches %.200s at this moment%s", what, pattern,
	    kind == SYMBOL_ANY ? "" : "; other kinds of names were not searched");
	names_suggest(replay, pattern, failure);
}

json_t *tool_symbols(
    struct replay *replay, const struct symbols_args *args, struct failure *failure)
{
	struct search search = {.limit = (size_t)args->limit};
	json_t *all = NULL, *result = NULL;
	char quoted[GDB_QUOTED_MAX];

	if (write_pattern(args->pattern, quoted, failure))
		all = ask(replay, args->kind, quoted, failure);
	if (!all)
		return NULL;
	search.found = json_array();
	for (enum rank rank = RANK_OWN; rank < RANKS; rank++)
		for (size_t i = 0; i < KINDS; i++)
			add_ranked(&search, kinds[i].word, json_array_get(all, i), rank);
	json_decref(all);
	if (json_array_size(search.found))
		result = json_pack("{s:O}", "symbols", search.found);
	else
		fail_empty(replay, args->kind, args->pattern, failure);
	answer_add_flag(result, "more", search.more);
	json_decref(search.found);
	return result;
}
