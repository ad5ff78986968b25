/*
 * Enables and disables gdb's pretty printers of the C++ library.
 */
#include "worker/read/values/printers.h"

#include <string.h>
#include "worker/gdb/library.h"
#include "worker/gdb/must.h"
#include "worker/session/taught.h"

void printers_load(struct replay *replay)
{
	struct taught *taught = replay_taught(replay);

	if (!taught->printers_loaded)
		library_load(replay_gdb(replay));
	taught->printers_loaded = true;
}

void printers_begin(struct replay *replay)
{
	printers_load(replay);
	/* A gdb without Python has none. An interrupt may have left some of them on. */
	replay_taught(replay)->printers_on =
	    gdb_console(replay_gdb(replay), NULL, LIBRARY_PRINTERS_ON) == GDB_DONE ||
	    gdb_was_interrupted(replay_gdb(replay));
}

void printers_end(struct replay *replay)
{
	struct taught *taught = replay_taught(replay);

	if (taught->printers_on && !replay_worker(replay)->broken)
		gdb_must_console(replay_gdb(replay), LIBRARY_PRINTERS_OFF);
	taught->printers_on = false;
}

bool printers_would_help(const char *value)
{
	return strstr(value, "_M_") != NULL;
}

bool printers_know(const char *type)
{
	static const char *const known[] = {"GList *", "GSList *", "GHashTable *"};
	static const char constant[] = "const ";

	if (type && strncmp(type, constant, sizeof(constant) - 1) == 0)
		type += sizeof(constant) - 1;
	for (size_t i = 0; type && i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(type, known[i]) == 0)
			return true;
	return false;
}
