/*
 * Decides what may wait. Knows nothing of libraries but whether any has been loaded.
 */
#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi.h"
#include "worker/session/names.h"
#include "worker/session/pending.h"

#define LETTERS_A_MISTAKE 3 /* one mistake in so many letters is a mistake, not another name */

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* At a program's first instructions the dynamic linker is there, and nothing else. */
static bool are_libraries_to_come(struct replay *replay)
{
	json_t *results = NULL, *libraries;
	const char *first = NULL;
	size_t count = 0;

	if (gdb_command(replay->gdb, &results, "-file-list-shared-libraries") == GDB_DONE) {
		libraries = json_object_get(results, "shared-libraries");
		count = json_array_size(libraries);
		first = mi_text(json_array_get(libraries, 0), "target-name");
		first = first && strrchr(first, '/') ? strrchr(first, '/') + 1 : first;
	}
	first = count == 1 && first && starts(first, "ld") ? first : NULL;
	json_decref(results);
	return first != NULL;
}

bool pending_is_likely(
    struct replay *replay, const char *location, bool asked, const struct failure *refused)
{
	struct failure near = *refused;
	int distance, mistakes = (int)strlen(location) / LETTERS_A_MISTAKE;

	if (!starts(refused->message, "Function ") && !starts(refused->message, "No source file"))
		return false;
	if (asked)
		return true;
	if (!are_libraries_to_come(replay))
		return false;
	distance = names_suggest(replay, location, &near);
	return distance > (mistakes ? mistakes : 1);
}

bool pending_waits(const json_t *bkpt)
{
	const char *address = mi_text(bkpt, "addr");

	return address && strcmp(address, "<PENDING>") == 0;
}

static bool waits(const json_t *rows, json_int_t number)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i,
	    row) if (mi_number(row, "number", 0) == number && pending_waits(row)) return true;
	return false;
}

void pending_note(struct replay *replay, json_t *answer)
{
	json_t *results = NULL, *entry, *numbers;
	const json_t *rows;
	size_t i;

	if (!json_array_size(replay->breakpoints) ||
	    gdb_command(replay->gdb, &results, "-break-list") != GDB_DONE)
		return;
	rows = json_object_get(json_object_get(results, "BreakpointTable"), "body");
	numbers = json_array();
	json_array_foreach(replay->breakpoints, i, entry)
	{
		if (waits(rows, json_integer_value(json_object_get(entry, "gdb"))))
			json_array_append(numbers, json_object_get(entry, "number"));
	}
	if (json_array_size(numbers))
		json_object_set(answer, "never_loaded", numbers);
	json_decref(numbers);
	json_decref(results);
}
