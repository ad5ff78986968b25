#include "worker/breaks/places/hardware.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/gdb.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/read/values/place.h"

#define WATCHED_MAX 8 /* bytes that a register watches */

bool hardware_is(const json_t *bkpt)
{
	const char *type = mi_text(bkpt, "type");

	return type && (strncmp(type, "hw ", 3) == 0 || strncmp(type, "read ", 5) == 0 ||
			   strncmp(type, "acc ", 4) == 0);
}

bool hardware_watches(const json_t *bkpt)
{
	return hardware_is(bkpt) && strcmp(mi_text(bkpt, "type"), "hw breakpoint") != 0;
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
		count += mi_is_enabled(place);
	}
	return count;
}

int hardware_pieces(unsigned long long address, unsigned long long size)
{
	int count = 0;

	for (unsigned long long piece; size && count <= HARDWARE_REGISTERS; count++) {
		for (piece = WATCHED_MAX; piece > size || address % piece; piece /= 2)
			;
		address += piece;
		size -= piece;
	}
	return count;
}

/* The expression whose place alone a watchpoint watches, or NULL: gdb may watch the pointers on
 * the way to it, too. */
static const char *place_of(const json_t *watchpoint)
{
	static const char location[] = "-location ", pointed[] = "(*$rr_watched";
	const char *what = mi_text(watchpoint, "what");

	if (what && strncmp(what, location, sizeof(location) - 1) == 0)
		return what + sizeof(location) - 1;
	return what && strncmp(what, pointed, sizeof(pointed) - 1) == 0 ? what : NULL;
}

/* 0: not known, because its variables are those of another frame, or see place_of. */
static int registers_of_watchpoint(struct replay *replay, const json_t *watchpoint)
{
	const char *place = place_of(watchpoint);
	unsigned long long address, size;

	return place && place_of_value(replay, place, &address, &size)
		   ? hardware_pieces(address, size)
		   : 0;
}

/* Of those that are enabled: as few and as many as it can be. */
static void registers_used(struct replay *replay, int *least, int *most)
{
	json_t *results = NULL;
	const json_t *row;
	size_t i;

	*least = *most = 0;
	gdb_must(replay_gdb(replay), &results, "-break-list");
	json_array_foreach(mi_breakpoints(results), i, row)
	{
		int count;

		if (!hardware_is(row) || !mi_is_enabled(row))
			continue;
		count = hardware_watches(row) ? registers_of_watchpoint(replay, row)
					      : registers_of(row);
		*least += count ? count : 1;
		*most += count ? count : HARDWARE_REGISTERS;
	}
	json_decref(results);
}

enum hardware_room hardware_room(struct replay *replay, struct failure *failure)
{
	int least, most;

	registers_used(replay, &least, &most);
	if (most <= HARDWARE_REGISTERS)
		return HARDWARE_FITS;
	if (least <= HARDWARE_REGISTERS)
		return HARDWARE_MAY_FIT;
	failure_set(failure, ERROR_UNSUPPORTED,
	    "disable one with rr_breakpoint_update, or remove one with rr_breakpoint_remove",
	    "the processor watches four places at once, of up to eight bytes at a multiple of "
	    "their number; there is no room for this one");
	return HARDWARE_FULL;
}

json_t *hardware_instead(struct replay *replay, json_t *bkpt, const char *arguments)
{
	struct gdb *gdb = replay_gdb(replay);
	json_t *results = NULL;
	int least, most;

	registers_used(replay, &least, &most);
	if (most + registers_of(bkpt) <= HARDWARE_REGISTERS &&
	    gdb_command(gdb, &results, "-break-insert -h %s", arguments) == GDB_DONE) {
		gdb_must(gdb, NULL, "-break-delete %d", mi_number(bkpt, "number", 0));
		json_decref(bkpt);
		bkpt = json_incref(json_object_get(results, "bkpt"));
	}
	json_decref(results);
	return bkpt;
}
