/*
 * Sets internal breakpoints in gdb and removes them.
 */
#include "worker/session/internal.h"

#include "worker/gdb/mi.h"

int internal_insert(struct replay *replay, const char *where)
{
	json_t *results = NULL;
	int number = 0;

	if (gdb_command(replay->gdb, &results, "-break-insert %s", where) == GDB_DONE)
		number = mi_number(json_object_get(results, "bkpt"), "number", 0);
	json_decref(results);
	return number;
}

void internal_delete(struct replay *replay, int number)
{
	if (number && !replay->worker->broken)
		gdb_command(replay->gdb, NULL, "-break-delete %d", number);
}
