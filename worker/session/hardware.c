#include "worker/session/hardware.h"

#include <string.h>
#include "worker/gdb/mi.h"

#define DEBUG_REGISTERS 4

bool hardware_is(const json_t *bkpt)
{
	const char *type = mi_text(bkpt, "type");

	return type && (strncmp(type, "hw ", 3) == 0 || strncmp(type, "read ", 5) == 0 ||
			   strncmp(type, "acc ", 4) == 0);
}

bool hardware_fits(struct replay *replay, struct failure *failure)
{
	json_t *results = NULL;
	const json_t *row;
	size_t i, count = 0;

	gdb_command(replay->gdb, &results, "-break-list");
	json_array_foreach(mi_breakpoints(results), i, row)
	{
		const char *enabled = mi_text(row, "enabled");
		count += hardware_is(row) && enabled && enabled[0] == 'y';
	}
	json_decref(results);
	if (count <= DEBUG_REGISTERS)
		return true;
	failure_set(failure, ERROR_UNSUPPORTED,
	    "disable one with rr_breakpoint_update, or remove one with rr_breakpoint_remove",
	    "the processor watches four places at once, and four are being watched");
	return false;
}
