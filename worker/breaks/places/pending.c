/*
 * Decides which breakpoints can wait. Knows only whether any library has been loaded.
 */
#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/gdb/mi/says.h"
#include "worker/read/code/libraries.h"
#include "worker/read/names/names.h"
#include "worker/serve/begins.h"
#include "worker/breaks/places/pending.h"
#include "worker/session/breakpoint.h"
#include "worker/session/taught.h"

#define LETTERS_A_MISTAKE 3 /* up to one difference in so many letters counts as a typing error */

/* At a program's first instructions, only the dynamic linker is loaded. */
static bool are_libraries_to_come(struct replay *replay)
{
	json_t *results = NULL, *libraries;
	const char *first = NULL;
	size_t count = 0;

	gdb_must(replay_gdb(replay), &results, "-file-list-shared-libraries");
	libraries = json_object_get(results, "shared-libraries");
	count = json_array_size(libraries);
	first = mi_text(json_array_get(libraries, 0), "target-name");
	first = first && strrchr(first, '/') ? strrchr(first, '/') + 1 : first;
	first = count == 1 && first && begins(first, "ld") ? first : NULL;
	json_decref(results);
	return first != NULL;
}

bool pending_is_no_mistake(
    struct replay *replay, const char *location, const struct failure *refused)
{
	struct failure near = *refused;
	int distance, mistakes = (int)strlen(location) / LETTERS_A_MISTAKE;

	if (!gdb_says(refused->message, SAYS_NO_LOCATION))
		return false;
	distance = names_suggest(replay, location, &near);
	return distance > (mistakes ? mistakes : 1);
}

bool pending_is_likely(
    struct replay *replay, const char *location, bool asked, const struct failure *refused)
{
	if (!gdb_says(refused->message, SAYS_NO_LOCATION))
		return false;
	return asked ||
	       (are_libraries_to_come(replay) && pending_is_no_mistake(replay, location, refused));
}

bool pending_waits(const json_t *bkpt)
{
	const char *address = mi_text(bkpt, "addr");

	return address && strcmp(address, "<PENDING>") == 0;
}

void pending_fail(struct replay *replay, const char *location, struct failure *failure)
{
	failure_set(failure, ERROR_INVALID_ARGUMENT, NULL,
	    "%.200s is not defined: neither the program nor a library that it had loaded up to "
	    "there has it",
	    location);
	names_explain(replay, location, NULL, failure);
}

bool pending_was_late(struct replay *replay, const char *location, struct failure *failure)
{
	struct taught *taught = replay_taught(replay);

	libraries_find(replay);
	if (!taught->library_late)
		return false;
	taught->library_late = false;
	failure_set(failure, ERROR_NOT_FOUND, "call again: now it is known where it lies",
	    "%.200s was not looked for in a library that the program loaded by a relative name: "
	    "where it lies was found only after it had been loaded",
	    location);
	return true;
}

void pending_note(struct replay *replay, json_t *answer)
{
	struct taught *taught = replay_taught(replay);
	json_t *results = NULL, *numbers;
	const json_t *rows;

	if (!replay_breakpoints(replay)->count)
		return;
	if (taught->library_late)
		json_object_set_new(answer, "library_found_late",
		    json_string("a library was loaded by a relative name, and where it lies was "
				"found only now: breakpoints in it were not hit on the way; go "
				"back and run again"));
	taught->library_late = false;
	if (!replay_is_at_end(replay))
		return;
	gdb_must(replay_gdb(replay), &results, "-break-list");
	rows = mi_breakpoints(results);
	numbers = json_array();
	for (size_t i = 0; i < replay_breakpoints(replay)->count; i++) {
		const struct breakpoint *breakpoint = &replay_breakpoints(replay)->entries[i];

		if (pending_waits(mi_breakpoint_row(rows, breakpoint->gdb)))
			json_array_append_new(numbers, json_integer(breakpoint->number));
	}
	if (json_array_size(numbers))
		json_object_set(answer, "never_loaded", numbers);
	json_decref(numbers);
	json_decref(results);
}
