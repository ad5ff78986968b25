/*
 * Sets internal breakpoints in gdb and removes them.
 */
#include "worker/breaks/places/temporary_breakpoint.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/gdb/settings.h"
#include "worker/breaks/places/jit_code.h"
#include "worker/breaks/places/stubs.h"

int temporary_breakpoint_insert(struct replay *replay, const char *where)
{
	struct gdb *gdb = replay_gdb(replay);

	/* A condition of ours is C, at a place of any language. */
	cleanup_setting struct gdb_setting language = strncmp(where, "-c ", 3) == 0
							  ? gdb_setting_begin(gdb, "language", "c")
							  : (struct gdb_setting){0};
	enum gdb_outcome outcome;
	json_t *results = NULL, *bkpt;
	int number;

	outcome = gdb_command(gdb, &results, "-break-insert %s", where);
	if (where[0] == '*' && !gdb_was_interrupted(gdb))
		gdb_must_have_done(gdb, outcome, where);
	bkpt = jit_code_in_hardware(replay, results, where);
	stubs_leave(replay, bkpt);
	number = mi_number(bkpt, "number", 0);
	json_decref(bkpt);
	json_decref(results);
	return number;
}

int temporary_breakpoint_insert_at(struct replay *replay, unsigned long long address)
{
	char where[32];

	snprintf(where, sizeof(where), "*0x%llx", address);
	return temporary_breakpoint_insert(replay, where);
}

void temporary_breakpoint_delete(struct replay *replay, int number)
{
	if (number && !replay_worker(replay)->broken)
		gdb_must(replay_gdb(replay), NULL, "-break-delete %d", number);
}

void temporary_breakpoints_stay(struct replay *replay, bool stay)
{
	/* Only for speed, so it may fail; but later stops must be as always. */
	if (stay)
		gdb_try(replay_gdb(replay), NULL, "-gdb-set breakpoint always-inserted on");
	else if (!replay_worker(replay)->broken)
		gdb_must(replay_gdb(replay), NULL, "-gdb-set breakpoint always-inserted off");
}
