/*
 * rr_expand: a value piece by piece, through gdb's variable objects. The C++ library's own pretty
 * printers show its containers (printers.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/gdb/settings.h"
#include "worker/serve/handlers.h"
#include "worker/read/values/printers.h"
#include "worker/session/replay.h"
#include "worker/read/names/scope.h"
#include "worker/session/spoken.h"
#include "worker/read/names/ambiguous_statics.h"

#define LINES_MAX     600 /* of one answer */
#define BUDGET	      (24 * 1024)
#define VALUE_MAX     300 /* bytes of one value */
#define TYPE_MAX      120
#define POINTER_MAX   500 /* bytes of a pointer's type */
#define PART_NAME_MAX 300 /* bytes of gdb's name for a part: "v.public.next.public..." */
#define NEST_MAX      40  /* levels, including those that are not shown */

struct expansion {
	struct replay *replay;
	json_t *lines;
	long long start, count; /* of the outermost; deeper down the first `count` */
	int depth;
	size_t used; /* bytes */
	bool full;
};

static bool is_map(const json_t *part)
{
	const char *hint = mi_text(part, "displayhint");

	return hint && strcmp(hint, "map") == 0;
}

/* Whether it has parts. Its value then does not show them. */
static bool has_parts(const json_t *part)
{
	const char *hint = mi_text(part, "displayhint"), *value = mi_text(part, "value");

	if (hint && strcmp(hint, "string") == 0)
		return false;
	if (!value || !value[0]) /* a class within a container, with gdb 16 */
		return mi_number(part, "numchild", 0) > 0;
	return mi_text(part, "dynamic") || value[0] == '{' || value[0] == '[';
}

static bool points(const json_t *part)
{
	const char *type = mi_text(part, "type"), *value = mi_text(part, "value");
	size_t length = type ? strlen(type) : 0;

	return length > 1 && type[length - 1] == '*' && !strstr(type, "char") &&
	       !strstr(type, "void") && value && strtoull(value, NULL, 16) != 0;
}

/* gdb lists "public", "private" and "protected" as parts without a type. */
static bool is_section(const json_t *part)
{
	const char *type = mi_text(part, "type");

	return !type || !type[0];
}

static bool is_text(const json_t *part)
{
	const char *type = mi_text(part, "type");

	return type && strstr(type, "char [") && !strchr(type, '*');
}

/* The text in an array of characters, which a variable object does not give. Owned by the caller;
 * NULL: not available, for instance in a container. */
static json_t *read_text(struct replay *replay, const json_t *part)
{
	json_auto_t *path = NULL, *results = NULL;
	json_t *text = NULL;
	char quoted[GDB_QUOTED_MAX];

	if (gdb_command(replay_gdb(replay), &path, "-var-info-path-expression \"%s\"",
		mi_text(part, "name")) == GDB_DONE &&
	    mi_quote(quoted, sizeof(quoted), mi_text(path, "path_expr")) > 0 &&
	    spoken_here(replay, &results, quoted) == GDB_DONE)
		text = json_incref(json_object_get(results, "value"));
	return text;
}

/* "name = value", or "name: type" for what has parts, with a printer's summary. */
static json_t *line_of(struct replay *replay, int level, const char *name, const json_t *part)
{
	const char *type = mi_text(part, "type"), *value = mi_text(part, "value");
	json_auto_t *text = is_text(part) ? read_text(replay, part) : NULL, *shown = NULL;
	bool whole = has_parts(part) && !text;
	bool is_digit = name[0] >= '0' && name[0] <= '9';

	if (text)
		value = json_string_value(text);
	if (whole && value && strchr("{[", value[0]))
		value = "";
	else if (!value || !value[0])
		value = "<cannot be read>";
	shown = scrub_json_middle(value, strlen(value), VALUE_MAX, NULL);
	return json_sprintf("%*s%s%s%s%s%.*s%s%s", level * 2, "", is_digit ? "[" : "", name,
	    is_digit ? "]" : "", whole ? ": " : " = ", whole ? TYPE_MAX : 0, type ? type : "",
	    whole && value[0] ? ", " : "", json_string_value(shown));
}

static bool add_line(struct expansion *expansion, int level, const char *name, const json_t *part)
{
	json_auto_t *line = line_of(expansion->replay, level, name, part);

	expansion->used += json_string_length(line) + 4;
	expansion->full =
	    expansion->used > BUDGET || json_array_size(expansion->lines) == LINES_MAX;
	if (!expansion->full)
		json_array_append(expansion->lines, line);
	return !expansion->full;
}

static bool add_parts(
    struct expansion *expansion, const json_t *whole, int level, int nest, bool *more);

/* What holds one thing says nothing without it. */
static bool holds_one(const json_t *part)
{
	static const char *const types[] = {
	    "std::unique_ptr<", "std::shared_ptr<", "std::weak_ptr<", "std::optional<"};
	const char *type = mi_text(part, "type");

	for (size_t i = 0; type && i < sizeof(types) / sizeof(*types); i++)
		if (strncmp(type, types[i], strlen(types[i])) == 0)
			return true;
	return false;
}

/* One part and its own parts. */
static bool add_part(
    struct expansion *expansion, const char *name, const json_t *part, int level, int nest)
{
	bool more = false;

	if (!add_line(expansion, level, name, part))
		return false;
	if ((level + 1 >= expansion->depth && !holds_one(part)) || is_text(part) ||
	    (!has_parts(part) && !points(part)))
		return true;
	if (!add_parts(expansion, part, level + 1, nest + 1, &more))
		return false;
	if (more)
		json_array_append_new(expansion->lines,
		    json_sprintf("%*s... and more: expand it by itself", level * 2 + 2, ""));
	return true;
}

/* A map's keys and values alternate. */
static bool add_entry(
    struct expansion *expansion, const json_t *parts, size_t at, int level, int nest)
{
	const char *key = mi_text(json_array_get(parts, at), "value");
	char name[VALUE_MAX];

	snprintf(name, sizeof(name), "[%.200s]", key ? key : "?");
	return add_part(expansion, name, json_array_get(parts, at + 1), level, nest);
}

static json_t *list_parts(struct replay *replay, const json_t *whole, long long from, long long to)
{
	const char *name = mi_text(whole, "name");
	json_t *results = NULL;

	return !name || strlen(name) > PART_NAME_MAX || strchr(name, '"') ||
		       gdb_command(replay_gdb(replay), &results,
			   "-var-list-children --all-values \"%s\" %lld %lld", name, from,
			   to) != GDB_DONE
		   ? NULL
		   : results;
}

static bool add_listed(struct expansion *expansion, const json_t *whole, const json_t *parts,
    int level, int nest, bool *more)
{
	bool ok = true;
	json_t *part;
	size_t i;

	json_array_foreach(parts, i, part)
	{
		const char *name = mi_text(part, "exp");

		if (!ok || replay_worker(expansion->replay)->interrupt)
			return false;
		if (is_section(part))
			ok = add_parts(expansion, part, level, nest + 1, more);
		else if (is_map(whole))
			ok = i % 2 || add_entry(expansion, parts, i, level, nest);
		else
			ok = add_part(expansion, name ? name : "?", part, level, nest);
	}
	return ok;
}

static bool add_parts(
    struct expansion *expansion, const json_t *whole, int level, int nest, bool *more)
{
	long long from = level ? 0 : expansion->start, each = is_map(whole) ? 2 : 1;
	long long to = from + expansion->count;
	json_auto_t *results = NULL;
	bool ok;

	if (nest > NEST_MAX)
		return true;
	/* Before gdb 14, a container that has listed some children no longer tells how many it has.
	 */
	results = list_parts(expansion->replay, whole, from * each, to * each);
	if (!results) {
		json_array_append_new(
		    expansion->lines, json_sprintf("%*s(gdb cannot list this: %.200s)", 2 * level,
					  "", gdb_message(replay_gdb(expansion->replay))));
		return !replay_worker(expansion->replay)->broken;
	}
	ok = add_listed(expansion, whole, json_object_get(results, "children"), level, nest, more);
	*more = *more || mi_number(results, "has_more", 0) ||
		(!mi_text(whole, "dynamic") && !is_section(whole) &&
		    mi_number(whole, "numchild", 0) > to);
	return ok;
}

/* Under a new name each time: a listing that is interrupted leaves parts in gdb that outlive the
 * whole, and no other whole of its name can ever be listed. */
static json_t *create(struct replay *replay, const char *expression)
{
	static const char fresh[] = "- * "; /* a name of gdb's own, in the selected frame */
	char rest[GDB_QUOTED_MAX];
	json_t *results = NULL;

	snprintf(rest, sizeof(rest), "%s", fresh);
	return mi_quote(rest + strlen(fresh), sizeof(rest) - strlen(fresh), expression) < 0 ||
		       spoken_command(replay, &results, replay_selected(replay)->number,
			   replay_selected(replay)->frame, "-var-create", rest) != GDB_DONE
		   ? NULL
		   : results;
}

static void delete (struct replay *replay, json_t *whole)
{
	const char *name = whole ? mi_text(whole, "name") : NULL;

	if (name && !strchr(name, '"') && !replay_worker(replay)->broken)
		gdb_try(/* one that stays costs only memory */
		    replay_gdb(replay), NULL, "-var-delete \"%s\"", name);
	json_decref(whole);
}

/* gdb's variable object for it, or for what it points to, because printers handle objects and not
 * pointers. NULL with *failure filled. */
static json_t *create_whole(struct replay *replay, const char *expression, struct failure *failure)
{
	char pointed[REPLAY_EXPRESSION_MAX + POINTER_MAX + 16];
	json_t *whole, *object, *results = NULL;

	if (!ambiguous_statics_check(replay, expression, failure))
		return NULL;
	whole = create(replay, expression);
	if (whole && points(whole)) {
		/* with the type of the object itself, which can be of a derived class */
		const char *type = mi_text(whole, "type");
		bool is_cast = strlen(type) < POINTER_MAX && !spoken_is_foreign(replay);

		snprintf(pointed, sizeof(pointed), "*(%.*s) (%.*s)", POINTER_MAX, type,
		    REPLAY_EXPRESSION_MAX, expression);
		object = is_cast ? create(replay, pointed) : NULL;
		delete (replay, whole);
		whole = object;
		snprintf(pointed, sizeof(pointed), "*(%.*s)", REPLAY_EXPRESSION_MAX, expression);
		whole = whole ? whole : create(replay, pointed);
	}
	if (whole)
		return whole;
	/* gdb's message is the same for every mistake; evaluating the expression gives the real
	 * one. */
	char quoted[GDB_QUOTED_MAX];
	if (!replay_worker(replay)->broken &&
	    gdb_quote(quoted, "expression", expression, failure) &&
	    gdb_check(replay_gdb(replay), spoken_here(replay, &results, quoted),
		ERROR_INVALID_ARGUMENT, "rr_locals shows the names in scope", failure))
		failure_set(
		    failure, ERROR_INVALID_ARGUMENT, NULL, "%.200s cannot be expanded", expression);
	scope_explain(replay, failure);
	json_decref(results);
	return NULL;
}

/* gdb makes a variable object of a value that it cannot read too, without a value. */
static bool is_readable(
    struct replay *replay, const char *expression, const json_t *result, struct failure *failure)
{
	char quoted[GDB_QUOTED_MAX];

	if (json_object_get(result, "value") ||
	    json_array_size(json_object_get(result, "members")) ||
	    mi_quote(quoted, sizeof(quoted), expression) < 0)
		return true;
	return gdb_check(replay_gdb(replay), spoken_here(replay, NULL, quoted),
	    ERROR_INVALID_ARGUMENT,
	    "it cannot be read at this moment; rr_type shows its type, and rr_last_change on a "
	    "pointer in it who wrote that",
	    failure);
}

static json_t *answer(struct expansion *expansion, const json_t *whole, bool more)
{
	const char *value = mi_text(whole, "value");
	json_t *result =
	    json_pack("{s:s}", "type", mi_text(whole, "type") ? mi_text(whole, "type") : "");

	if (value && !strchr("{[", value[0]))
		json_object_set_new(
		    result, "value", scrub_json_middle(value, strlen(value), VALUE_MAX, NULL));
	json_object_set(result, "members", expansion->lines);
	if (expansion->full)
		json_object_set_new(result, "truncated",
		    json_string(
			"the answer is full: ask for less depth or count, or for one part"));
	else if (more)
		json_object_set_new(
		    result, "more", json_integer(expansion->start + expansion->count));
	return result;
}

json_t *tool_expand(struct replay *replay, const struct expand_args *args, struct failure *failure)
{
	struct worker *worker = replay_worker(replay);
	struct expansion expansion = {.replay = replay,
	    .start = args->start,
	    .count = args->count,
	    .depth = (int)args->depth};
	json_t *whole, *result = NULL;
	bool more = false;

	cleanup_setting struct gdb_setting object =
	    gdb_setting_begin(replay_gdb(replay), "print object", "on");
	printers_begin(replay);
	expansion.lines = json_array();
	whole = create_whole(replay, args->expression, failure);
	if (whole && (add_parts(&expansion, whole, 0, 0, &more) || expansion.full))
		result = answer(&expansion, whole, more);
	else if (whole && worker->interrupt)
		worker_fail_interrupted(worker, failure);
	else if (whole)
		gdb_check(replay_gdb(replay), GDB_LOST, ERROR_GDB_FAILED, NULL, failure);
	delete (replay, whole);
	printers_end(replay);
	if (result && !is_readable(replay, args->expression, result, failure)) {
		json_decref(result);
		result = NULL;
	}
	json_decref(expansion.lines);
	return result;
}
