/*
 * By gdb's `run`, or, where the same libraries are loaded as here, without gdb's notice: at a
 * `run`, gdb reads all of them once more. That they are the same is known from before (loaded.h),
 * or shown by the code that is mapped here and there.
 */
#include "worker/moment/restart.h"

#include "worker/breaks/breakpoints.h"
#include "worker/gdb/must.h"
#include "worker/moment/standing.h"
#include "worker/session/launch/leftover_forks.h"
#include "worker/session/loaded.h"
#include "worker/session/taught.h"

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

/* Without gdb's notice. False: gdb is to read the libraries anew. */
static bool seek(
    struct replay *replay, const char *target, const struct moment *there, struct failure *failure)
{
	if (!loaded_same(replay, there) || !loaded_seek(replay, target) ||
	    !position_update(replay, failure))
		return false;
	loaded_trust(replay);
	return loaded_same(replay, replay_now(replay));
}

bool restart_to(
    struct replay *replay, const char *target, const struct moment *there, struct failure *failure)
{
	leftover_forks_seek(replay);
	if (leftover_forks_are_at_the_limit(replay, failure))
		return false;
	if (replay_taught(replay)->caches)
		gdb_must_console(replay_gdb(replay), GDB_FORGET_MEMORY);
	replay_moves(replay);
	if (seek(replay, target, there, failure))
		return true;
	failure_forget(failure);
	return !replay_worker(replay)->broken && run_anew(replay, target, failure);
}
