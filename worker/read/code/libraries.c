/*
 * Tells gdb the folders of mapped libraries that it has looked for in vain. Never a folder that
 * could give it another library of the same name.
 */
#include "worker/read/code/libraries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/exchange.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/mi/warnings.h"
#include "worker/gdb/must.h"
#include "worker/read/code/mappings.h"
#include "worker/session/taught.h"

#define PATH_TOTAL 4096 /* bytes of all folders */

/* The one mapped file with that base name; NULL: none, or several. Borrowed from the mappings. */
static const char *mapped_file(const struct mappings *mappings, const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; i < mappings_count(mappings); i++) {
		const char *file = mappings_get(mappings, i)->file;

		if (file[0] != '/' || strcmp(basename(file), name) != 0 ||
		    (found && strcmp(found, file) == 0))
			continue;
		if (found)
			return NULL;
		found = file;
	}
	return found;
}

static bool has_folder(const char *path, const char *folder, size_t length)
{
	for (const char *at = path; *at; at += strspn(at, ":")) {
		size_t other = strcspn(at, ":");

		if (other == length && memcmp(at, folder, length) == 0)
			return true;
		at += other;
	}
	return false;
}

/* Adds the folder of a library that gdb knows by a relative name only. */
static bool add_folder(const struct mappings *mappings, const char *library, char path[PATH_TOTAL])
{
	const char *file = library[0] == '/' ? NULL : mapped_file(mappings, basename(library));
	size_t length = strlen(path), folder = file ? (size_t)(basename(file) - file) - 1 : 0;

	if (!file || !folder || strpbrk(file, ":\"\\") || has_folder(path, file, folder) ||
	    length + folder + 2 > PATH_TOTAL)
		return false;
	snprintf(
	    path + length, PATH_TOTAL - length, "%s%.*s", length ? ":" : "", (int)folder, file);
	return true;
}

static bool add_folders(struct replay *replay, const json_t *libraries)
{
	cleanup_mappings struct mappings *mappings = mappings_read(replay);
	const json_t *library;
	bool added = false;
	size_t i;

	json_array_foreach((json_t *)libraries, i, library)
	{
		const char *name = mi_text(library, "target-name");

		if (mappings && name && strcmp(mi_text(library, "symbols-loaded"), "0") == 0)
			added |= add_folder(mappings, name, replay_taught(replay)->library_folders);
	}
	return added;
}

/* gdb described the stop before it knew the library. If it refuses, the frame stays without a name,
 * which says nothing wrong. */
static void correct_frame(struct replay *replay)
{
	json_auto_t *results = NULL;

	if (gdb_last_stop(replay_gdb(replay)) &&
	    gdb_command(replay_gdb(replay), &results, "-stack-info-frame --frame 0") == GDB_DONE &&
	    json_object_get(results, "frame")) {
		json_auto_t *stop = json_copy(gdb_last_stop(replay_gdb(replay)));

		json_object_set(stop, "frame", json_object_get(results, "frame"));
		gdb_amend_stop(replay_gdb(replay), stop);
	}
}

void libraries_find(struct replay *replay)
{
	struct taught *taught = replay_taught(replay);
	json_auto_t *results = NULL;

	if (!exchange_take_missed_library(gdb_exchange(replay_gdb(replay))))
		return;
	gdb_must(replay_gdb(replay), &results, "-file-list-shared-libraries");
	bool added = add_folders(replay, json_object_get(results, "shared-libraries"));
	taught->library_late |= added;
	if (added && gdb_done_or_warn(replay_gdb(replay),
			 gdb_command(replay_gdb(replay), NULL, "-gdb-set solib-search-path %s",
			     taught->library_folders),
			 "a library that the program has loaded has no symbols here")) {
		/* If one is still missing, gdb has just said so again. */
		warnings_forget(gdb_exchange(replay_gdb(replay))->warnings,
		    "Could not load shared library symbols");
		correct_frame(replay);
	}
}
