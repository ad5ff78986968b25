/*
 * By gdb's `run`, or, where the same libraries are loaded as here, without gdb's notice: at a
 * `run`, gdb reads all of them once more. That they are the same is known from before (loaded.h),
 * or shown by the code that is mapped here and there.
 */
#include "worker/moment/restart.h"

#include <stdio.h>
#include "worker/breaks/breakpoints.h"
#include "worker/gdb/must.h"
#include "worker/moment/standing.h"
#include "worker/read/code/mappings.h"
#include "worker/session/launch/leftover_forks.h"
#include "worker/session/loaded.h"
#include "worker/session/taught.h"

/* A hash of which files are mapped as code, and where; 0: not known. */
static unsigned long long hash_code(struct replay *replay)
{
	cleanup_mappings struct mappings *mappings = mappings_read(replay);
	unsigned long long hash = 0;

	for (size_t i = 0; i < mappings_count(mappings); i++) {
		const struct mapping *mapping = mappings_get(mappings, i);
		unsigned long long part = 14695981039346656037ULL ^ mapping->start; /* FNV-1a */

		if (mapping->rights[2] != 'x' || mapping->file[0] != '/')
			continue;
		for (const char *c = mapping->file; *c; c++)
			part = (part ^ (unsigned char)*c) * 1099511628211ULL;
		hash += part ^ mapping->end;
	}
	return hash;
}

static bool run_anew(struct replay *replay, const char *target, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);

	breakpoints_count_hits(replay);
	loaded_anew(replay);
	return gdb_check(gdb, gdb_command(gdb, NULL, "-exec-arguments %s", target),
		   ERROR_GDB_FAILED, NULL, failure) &&
	       gdb_check(gdb, gdb_run(gdb, "-exec-run"), ERROR_RR_FAILED, NULL, failure) &&
	       gdb_check(gdb, gdb_settle(gdb), ERROR_RR_FAILED, NULL, failure) &&
	       position_update(replay, failure);
}

/* The way there may have been long: it is not to be gone twice. */
static bool read_here(struct replay *replay, struct failure *failure)
{
	int held = position_hold(replay);
	char target[32];
	bool ok;

	snprintf(target, sizeof(target), "c%d", position_number(held));
	ok = held && run_anew(replay, target, failure);
	position_release(replay, held);
	return ok;
}

/* Without gdb's notice. *there: the program is where it is to go. False: gdb has to read the
 * libraries anew. */
static bool seek(struct replay *replay, const char *target, const struct moment *to, bool *there,
    struct failure *failure)
{
	const bool sure = loaded_same(replay, to);
	const unsigned long long code =
	    !sure && loaded_may_be_same(replay, to) ? hash_code(replay) : 0;

	*there = false;
	if ((!sure && !code) || !loaded_seek(replay, target) || !position_update(replay, failure))
		return false;
	*there = true;
	if (!sure && hash_code(replay) != code)
		return false;
	loaded_trust(replay);
	return loaded_same(replay, replay_now(replay));
}

bool restart_to(
    struct replay *replay, const char *target, const struct moment *to, struct failure *failure)
{
	bool there;

	leftover_forks_seek(replay);
	if (leftover_forks_are_at_the_limit(replay, failure))
		return false;
	if (replay_taught(replay)->caches)
		gdb_must_console(replay_gdb(replay), GDB_FORGET_MEMORY);
	replay_moves(replay);
	if (seek(replay, target, to, &there, failure))
		return true;
	failure_forget(failure);
	if (there && !position_is_end(replay) && read_here(replay, failure))
		return true;
	failure_forget(failure);
	return !replay_worker(replay)->broken && run_anew(replay, target, failure);
}
