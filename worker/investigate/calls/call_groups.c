/*
 * Keeps a row for each key, as many as an answer has room for, and counts the passes of the others.
 */
#include "worker/investigate/calls/call_groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/investigate/calls/caller.h"
#include "worker/investigate/calls/running_sum.h"
#include "worker/investigate/search/location_hits.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/position.h"
#include "worker/read/values/accessed.h"
#include "worker/read/values/values.h"

#define GROUPS_BYTES (8 * 1024)
#define KEY_MAX	     120
#define ROW_BYTES    80 /* besides the key */

bool call_groups_by_caller(const struct trace_calls_args *args)
{
	return args->group_by && strcmp(args->group_by, "caller") == 0;
}

/* Whether the value's text is that of a number, and so the same for each pass with this number: no
 * text of the program's, structure or fraction. */
static bool names_number(
    struct replay *replay, const char *by, const char *value, unsigned long long *number)
{
	char expression[REPLAY_EXPRESSION_MAX + 16];

	if (strpbrk(value, "\"{.<") || (size_t)snprintf(expression, sizeof(expression),
					   "(long)(%s)", by) >= sizeof(expression))
		return false;
	return accessed_number(replay, expression, number);
}

/* A value, or the reason why there is none, as "<Division by zero>". NULL with *failure filled if
 * the expression may not be evaluated. *decides: see caller_words. */
static json_t *key_of(struct replay *replay, const struct trace_calls_args *args,
    struct decides *decides, struct failure *failure)
{
	char *value = NULL, *type = NULL, why[KEY_MAX] = "", refusal[KEY_MAX + 4];
	const char *told = refusal, *by = args->group_by;
	json_t *key = NULL;

	*decides = (struct decides){0};
	if (call_groups_by_caller(args)) {
		key = caller_words(replay, args->skip, decides);
		return key ? key : json_string("no caller");
	}
	if (values_read(replay, by, &value, &type, why, sizeof(why)) == 0 && value) {
		told = value;
		decides->depth = names_number(replay, by, value, &decides->at[0]);
	} else
		snprintf(refusal, sizeof(refusal), "<%s>", why);
	if (value || !expression_is_harmful(by, why, failure))
		key = scrub_json_middle(told, strlen(told), KEY_MAX, NULL);
	free(value);
	free(type);
	return key;
}

/* The number of the key's row; GROUPS_MAX: there is no room for one. */
static size_t row_of(struct call_groups *groups, struct replay *replay, json_t *key)
{
	json_t *row;
	size_t i;

	json_array_foreach(groups->rows, i, row)
	{
		if (json_equal(json_object_get(row, "key"), key))
			return i;
	}
	if (i >= GROUPS_MAX || groups->bytes >= GROUPS_BYTES)
		return GROUPS_MAX;
	json_array_append_new(groups->rows, json_pack("{s:O, s:i, s:o}", "key", key, "count", 0,
						"first", moment_name(replay, replay_now(replay))));
	groups->bytes += json_string_length(key) + ROW_BYTES;
	return i;
}

static void add_to(json_t *row, const char *name, long long by)
{
	json_object_set_new(
	    row, name, json_integer(json_integer_value(json_object_get(row, name)) + by));
}

static bool add_sum(json_t *row, const char *expression, long long by, struct failure *failure)
{
	long long sum = json_integer_value(json_object_get(row, "sum"));
	bool fits = running_sum_step(&sum, by, expression, failure);

	json_object_set_new(row, "sum", json_integer(sum));
	return fits;
}

bool call_groups_add(struct call_groups *groups, struct replay *replay,
    const struct trace_calls_args *args, long long value, struct failure *failure)
{
	struct decides decides;
	json_t *key = key_of(replay, args, &decides, failure), *row;
	bool well = true;
	size_t which;

	if (!key)
		return false;
	which = row_of(groups, replay, key);
	if (which < GROUPS_MAX) {
		row = json_array_get(groups->rows, which);
		add_to(row, "count", 1);
		well = !args->sum || add_sum(row, args->sum, value, failure);
		position_take_sum(replay);
		groups->last[which] = *replay_now(replay);
	} else {
		groups->ungrouped++;
	}
	keyed_groups_look(&groups->keyed, replay, which, &decides);
	json_decref(key);
	return well;
}

bool call_groups_add_keyed(struct call_groups *groups, const struct trace_calls_args *args,
    struct search *search, enum search_end end, struct keyed_counts *counts)
{
	struct failure unfit = {0};
	bool fits = true;
	json_t *row;
	size_t i;

	json_array_foreach(groups->rows, i, row)
	{
		add_to(row, "count", counts->count[i]);
		fits &= !args->sum || add_sum(row, args->sum, counts->sum[i], &unfit);
	}
	if (!fits)
		return false;
	groups->ungrouped += counts->count[GROUPS_MAX];
	if (end == SEARCH_WHOLE)
		fits = keyed_groups_find_last(
		    counts, search, args->location, args->condition, groups->last);
	for (i = 0; i < GROUPS_MAX; i++) {
		if (!counts->last[i])
			continue;
		groups->last[i].ticks = -1;
		groups->without_last++;
	}
	return fits;
}

/* ---- The answer ------------------------------------------------------------------------------ */

static void name_last(struct call_groups *groups, struct replay *replay)
{
	json_t *row;
	size_t i;

	json_array_foreach(groups->rows, i, row)
	{
		if (groups->last[i].ticks >= 0)
			json_object_set_new(row, "last", moment_name(replay, &groups->last[i]));
	}
}

static unsigned long long size_of_sum(const json_t *row)
{
	json_int_t sum = json_integer_value(json_object_get(row, "sum"));

	return sum < 0 ? -(unsigned long long)sum : (unsigned long long)sum;
}

static bool is_larger(const json_t *one, const json_t *other)
{
	unsigned long long sum = size_of_sum(one), than = size_of_sum(other);

	if (sum != than)
		return sum > than;
	return json_integer_value(json_object_get(one, "count")) >
	       json_integer_value(json_object_get(other, "count"));
}

/* The largest sum first, of whichever sign, then the largest group; equal ones as they came. */
static json_t *sorted(const json_t *rows)
{
	json_t *sorted = json_array(), *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
	{
		size_t at = json_array_size(sorted);

		while (at > 0 && is_larger(row, json_array_get(sorted, at - 1)))
			at--;
		json_array_insert(sorted, at, row);
	}
	return sorted;
}

/* As answers show numbers of 64 bits. */
static void show_sums(const json_t *rows)
{
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
	{
		const json_t *sum = json_object_get(row, "sum");

		if (sum)
			json_object_set_new(row, "sum", running_sum_json(json_integer_value(sum)));
	}
}

void call_groups_tell(struct call_groups *groups, struct replay *replay, json_t *answer)
{
	json_t *rows;

	name_last(groups, replay);
	if (json_array_size(groups->rows)) {
		rows = sorted(groups->rows);
		show_sums(rows);
		json_object_set_new(answer, "groups", rows);
	}
	if (groups->ungrouped)
		json_object_set_new(answer, "ungrouped", json_integer(groups->ungrouped));
}
