/*
 * Keeps no list of what still exists: a number that gdb has no more is never asked for again.
 */
#include "worker/gdb/mi/ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/serve/begins.h"

bool ways_add(struct ways *ways, int number, int first)
{
	if (ways->count == WAYS_MAX)
		return false;
	ways->known[ways->count++] = (struct way){number, first};
	return true;
}

bool ways_has(const struct ways *ways, int first)
{
	for (size_t i = 0; i < ways->count; i++)
		if (ways->known[i].first == first)
			return true;
	return false;
}

/* The list of numbers in a command; NULL: it is another command. */
static const char *numbers_in(const char *command)
{
	static const char *const commands[] = {
	    "-break-delete ", "-break-enable ", "-break-disable "};

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (begins(command, commands[i]))
			return command + strlen(commands[i]) - 1;
	return NULL;
}

static size_t add_others(
    const struct ways *ways, long first, char *command, size_t length, size_t size)
{
	for (size_t i = 0; i < ways->count && length + 16 < size; i++)
		if (ways->known[i].first == first)
			length += (size_t)snprintf(
			    command + length, size - length, " %d", ways->known[i].number);
	return length;
}

size_t ways_join(const struct ways *ways, char *command, size_t length, size_t size)
{
	const char *at = ways->count ? numbers_in(command) : NULL;
	const char *end = command + length;

	/* Up to where it ended: numbers that are added have no others. */
	while (at && at < end && *at == ' ') {
		char *behind;
		long first = strtol(at, &behind, 10);

		/* "3.1" is one of gdb's own places. */
		if (behind == at || (*behind && *behind != ' '))
			break;
		length = add_others(ways, first, command, length, size);
		at = behind;
	}
	return length;
}

void ways_sum(const struct ways *ways, json_t *results)
{
	const json_t *rows = ways->count ? mi_breakpoints(results) : NULL;

	for (size_t i = 0; rows && i < ways->count; i++) {
		const json_t *row = mi_breakpoint_row(rows, ways->known[i].number);
		json_t *first = (json_t *)mi_breakpoint_row(rows, ways->known[i].first);

		if (row && first)
			json_object_set_new(first, "times",
			    json_sprintf(
				"%d", mi_number(first, "times", 0) + mi_number(row, "times", 0)));
	}
}

void ways_name(const struct ways *ways, json_t *stop)
{
	int number = mi_number(stop, "bkptno", 0);

	for (size_t i = 0; i < ways->count; i++) {
		if (ways->known[i].number != number)
			continue;
		json_object_set_new(stop, "bkptno", json_sprintf("%d", ways->known[i].first));
	}
}
