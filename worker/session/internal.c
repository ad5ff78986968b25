/*
 * Sets internal breakpoints in gdb and removes them.
 */
#include "worker/session/internal.h"

#include "worker/gdb/mi.h"
#include "worker/session/generated.h"

int internal_insert(struct replay *replay, const char *where)
{
	json_t *results = NULL, *bkpt = NULL;
	int number;

	if (gdb_command(replay->gdb, &results, "-break-insert %s", where) == GDB_DONE)
		bkpt = json_incref(json_object_get(results, "bkpt"));
	bkpt = generated_in_hardware(replay, bkpt, where);
	number = mi_number(bkpt, "number", 0);
	json_decref(bkpt);
	json_decref(results);
	return number;
}

void internal_delete(struct replay *replay, int number)
{
	if (number && !replay->worker->broken)
		gdb_command(replay->gdb, NULL, "-break-delete %d", number);
}
