/*
 * Enables and disables gdb's pretty printers of the C++ library.
 */
#include "worker/session/printers.h"

#include <string.h>
#include "worker/gdb/library.h"

void printers_load(struct replay *replay)
{
	if (!replay->printers_loaded)
		library_load(replay->gdb);
	replay->printers_loaded = true;
}

void printers_begin(struct replay *replay)
{
	printers_load(replay);
	gdb_console(replay->gdb, NULL, "enable pretty-printer");
}

/* An interrupt would leave them on for every later answer. */
void printers_end(struct replay *replay)
{
	if (replay->worker->broken)
		return;
	gdb_shield(replay->gdb, true);
	gdb_console(replay->gdb, NULL, "disable pretty-printer");
	gdb_shield(replay->gdb, false);
}

bool printers_would_help(const char *value)
{
	/* The second is what plain.c makes of a map, a set or a list. */
	static const char *const signs[] = {"_M_", " elements}", "{1 element}"};
	bool found = false;

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		found |= strstr(value, signs[i]) != NULL;
	return found;
}
