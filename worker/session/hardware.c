#include "worker/session/hardware.h"

#include <string.h>
#include "worker/gdb/mi.h"
#include "worker/session/internal.h"

bool hardware_is(const json_t *bkpt)
{
	const char *type = mi_text(bkpt, "type");

	return type && (strncmp(type, "hw ", 3) == 0 || strncmp(type, "read ", 5) == 0 ||
			   strncmp(type, "acc ", 4) == 0);
}

static bool is_enabled(const json_t *row)
{
	const char *enabled = mi_text(row, "enabled");

	return enabled && enabled[0] == 'y';
}

/* A breakpoint uses a register for each of its places. */
static int registers_of(const json_t *bkpt)
{
	const json_t *places = json_object_get(bkpt, "locations"), *place;
	int count = 0;
	size_t i;

	if (json_array_size(places) == 0)
		return 1;
	json_array_foreach(places, i, place)
	{
		count += is_enabled(place);
	}
	return count;
}

/* Of those that are enabled. */
static int registers_used(struct replay *replay)
{
	json_t *results = NULL;
	const json_t *row;
	int count = 0;
	size_t i;

	gdb_command(replay->gdb, &results, "-break-list");
	json_array_foreach(mi_breakpoints(results), i, row)
	{
		if (hardware_is(row) && is_enabled(row))
			count += registers_of(row);
	}
	json_decref(results);
	return count;
}

bool hardware_fits(struct replay *replay, struct failure *failure)
{
	if (registers_used(replay) <= HARDWARE_REGISTERS)
		return true;
	failure_set(failure, ERROR_UNSUPPORTED,
	    "disable one with rr_breakpoint_update, or remove one with rr_breakpoint_remove",
	    "the processor watches four places at once, and four are being watched");
	return false;
}

json_t *hardware_instead(struct replay *replay, json_t *bkpt, const char *arguments)
{
	json_t *results = NULL;

	if (registers_used(replay) + registers_of(bkpt) <= HARDWARE_REGISTERS &&
	    gdb_command(replay->gdb, &results, "-break-insert -h %s", arguments) == GDB_DONE) {
		internal_delete(replay, mi_number(bkpt, "number", 0));
		json_decref(bkpt);
		bkpt = json_incref(json_object_get(results, "bkpt"));
	}
	json_decref(results);
	return bkpt;
}
