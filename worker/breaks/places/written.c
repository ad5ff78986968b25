/*
 * Finds the places with a breakpoint of its own, which no run ever meets.
 */
#include "worker/breaks/places/written.h"

#include <string.h>
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/gdb/check.h"
#include "worker/gdb/mi/mi.h"
#include "worker/read/values/condition.h"
#include "worker/session/breakpoint.h"

#define PLACES_MAX 8 /* that are asked */

static bool write_at(struct replay *replay, const json_t *place, const char *condition,
    struct condition_written *written, struct failure *failure)
{
	unsigned long long at = mi_address(place, "addr");

	*failure = (struct failure){0};
	if (at)
		return condition_write(replay, at, condition, written, failure);
	*written = (struct condition_written){strdup(condition), "auto"};
	return written->text != NULL;
}

static bool write_somewhere(struct replay *replay, const json_t *bkpt, const char *condition,
    struct condition_written *written, struct failure *failure)
{
	const json_t *place;

	for (size_t i = 0; (place = mi_breakpoint_place(bkpt, i)) && i < PLACES_MAX; i++)
		if (write_at(replay, place, condition, written, failure))
			return true;
	/* The others may have what these lack. */
	return place && write_at(replay, NULL, condition, written, failure);
}

bool written_condition(struct replay *replay, const struct breakpoint *breakpoint,
    struct condition_written *written, struct failure *failure)
{
	char location[GDB_QUOTED_MAX];
	json_t *results = NULL, *bkpt;
	bool may_hold;

	*written = (struct condition_written){0};
	if (breakpoint->watches)
		return condition_write(replay, 0, breakpoint->condition, written, failure);
	if (!gdb_quote(location, "location", breakpoint->what ? breakpoint->what : "", failure))
		return false;
	/* What is wrong with the location, gdb says where the real one is set. */
	if (gdb_command(replay_gdb(replay), &results, "-break-insert -- %s", location) != GDB_DONE)
		return write_at(replay, NULL, breakpoint->condition, written, failure);
	bkpt = json_object_get(results, "bkpt");
	temporary_breakpoint_delete(replay, mi_number(bkpt, "number", 0));
	may_hold = write_somewhere(replay, bkpt, breakpoint->condition, written, failure);
	json_decref(results);
	return may_hold;
}
