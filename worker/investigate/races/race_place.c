/*
 * gdb's Python knows the types.
 */
#include "worker/investigate/races/race_place.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/library.h"
#include "worker/gdb/must.h"
#include "worker/investigate/threads/threading_model.h"
#include "worker/serve/begins.h"

#define ANSWER "rr-race-place "

struct race_place race_place_find(
    struct replay *replay, unsigned long long address, const unsigned long long pcs[2])
{
	struct gdb *gdb = replay_gdb(replay);
	struct race_place place = {.atomic = false};
	const char *said;

	threading_name_address(replay, address, false, place.name, sizeof(place.name));
	if (library_run(gdb, "variables") != GDB_DONE)
		return place;
	said = behind_beginning(
	    gdb_shown(gdb, NULL, "python rr_race_place(%llu,(%llu,%llu))", address, pcs[0], pcs[1]),
	    ANSWER);
	if (!said)
		return place;
	place.atomic = *said == '1';
	place.named = strcspn(said, "\n") > 2;
	if (place.named)
		snprintf(
		    place.name, sizeof(place.name), "%.*s", (int)strcspn(said + 2, "\n"), said + 2);
	return place;
}
