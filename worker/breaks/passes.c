/*
 * Asks for the two words of passmark.h. It must never count in a session whose counter is not the
 * library's.
 */
#include "worker/breaks/passes.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/read/values/accessed.h"
#include "worker/x86/keymark.h"
#include "worker/x86/passmark.h"

bool passes_sum(struct replay *replay, unsigned long long *sum)
{
	char expression[64];

	if (!replay_counts_in_software(replay))
		return false;
	snprintf(expression, sizeof(expression), "*(unsigned long *)%llu", PASSMARK_SUM);
	return accessed_number(replay, expression, sum);
}

bool passes_begin_once(struct replay *replay, unsigned long long address)
{
	struct instruction instruction;

	return accessed_instruction(replay, address, &instruction) &&
	       strncmp(instruction.text, "rep", 3) != 0;
}

/* at: with which it stops; mark: with which it counts. */
static bool write_condition(char to[PASSES_CONDITION_MAX], const char *condition, const char *stop,
    const char *at, const char *mark)
{
	size_t length = (size_t)snprintf(to, PASSES_CONDITION_MAX, "%s%s%s%s%s%s(%s%s)%s",
	    stop ? "(" : "", stop ? stop : "", stop ? ") || (" : "", condition ? "(" : "",
	    condition ? condition : "", condition ? ") && " : "", at, mark, stop ? ")" : "");

	return length < PASSES_CONDITION_MAX;
}

/* Counts without a key. */
static bool write_plain(
    char to[PASSES_CONDITION_MAX], const char *condition, const char *stop, const char *at)
{
	char mark[64];

	snprintf(mark, sizeof(mark), "*(unsigned char *)%llu", PASSMARK);
	return write_condition(to, condition, stop, at, mark);
}

bool passes_condition(char to[PASSES_CONDITION_MAX], const char *condition, const char *stop,
    const unsigned long long *number)
{
	char at[96] = "";

	if (number)
		snprintf(
		    at, sizeof(at), "*(unsigned long *)%llu == %llu || ", PASSMARK_SUM, *number);
	return write_plain(to, condition, stop, at);
}

bool passes_condition_by(char to[PASSES_CONDITION_MAX], const char *condition, const char *stop,
    const char *key, const char *value)
{
	char mark[PASSES_CONDITION_MAX], adds[PASSES_CONDITION_MAX] = "";

	return (!value ||
		   (size_t)snprintf(adds, sizeof(adds), "((long)(%s) & *(unsigned long *)%llu) | ",
		       value, KEYMARK_VALUE) < sizeof(adds)) &&
	       (size_t)snprintf(mark, sizeof(mark),
		   "((unsigned long)(%s) & *(unsigned long *)%llu)", key, KEYMARK) < sizeof(mark) &&
	       write_condition(to, condition, stop, adds, mark);
}

bool passes_condition_next(char to[PASSES_CONDITION_MAX], const char *condition, const char *stop)
{
	char at[96];

	snprintf(at, sizeof(at), "*(unsigned long *)%llu == *(unsigned long *)%llu || ",
	    PASSMARK_SUM, KEYMARK_NEXT);
	return write_plain(to, condition, stop, at);
}

static bool is_in_the_way(const json_t *row)
{
	const char *type = mi_text(row, "type"), *enabled = mi_text(row, "enabled");

	return type && enabled && enabled[0] == 'n' && !mi_text(row, "cond") &&
	       (strcmp(type, "breakpoint") == 0 || strcmp(type, "hw breakpoint") == 0);
}

void passes_clear(struct replay *replay, struct passes_way *way)
{
	struct gdb *gdb = replay_gdb(replay);
	json_t *results = NULL;
	const json_t *row;
	size_t i;

	way->count = 0;
	gdb_must(gdb, &results, "-break-list");
	json_array_foreach(mi_breakpoints(results), i, row)
	{
		int number = mi_number(row, "number", 0);

		if (!is_in_the_way(row) || way->count == PASSES_WAY_MAX)
			continue;
		gdb_must(gdb, NULL, "-break-condition %d 1", number);
		way->numbers[way->count++] = number;
	}
	json_decref(results);
}

void passes_restore(struct replay *replay, struct passes_way *way)
{
	for (size_t i = 0; i < way->count && !replay_worker(replay)->broken; i++)
		gdb_must(replay_gdb(replay), NULL, "-break-condition %d", way->numbers[i]);
	way->count = 0;
}
