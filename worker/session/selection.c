/*
 * Translates between tids and gdb's numbers, and keeps what is selected. rr tells gdb the tid as
 * recorded ("Thread 123.456"); its own `when-tid` gives the replaying task's.
 */
#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/session/replay.h"
#include "worker/session/selection.h"
#include "worker/session/replay_inside.h"
#include "worker/session/spoken.h"

static void select_row(struct replay *replay, int number, const json_t *thread)
{
	const char *name = mi_text(thread, "name");

	replay->selected = (struct selection){.number = number, .tid = mi_tid(thread)};
	if (name)
		snprintf(replay->selected.name, sizeof(replay->selected.name), "%s", name);
}

/* gdb selects the thread that stops. Since then, another one may have been selected. */
void selection_take_stop(struct replay *replay)
{
	int number = mi_number(gdb_last_stop(replay->gdb), "thread-id", 1);
	json_auto_t *results = NULL;

	if (number != replay->selected.number)
		gdb_must(replay->gdb, NULL, "-thread-select %d", number);
	gdb_must(replay->gdb, &results, "-thread-info %d", number);
	select_row(replay, number, json_array_get(json_object_get(results, "threads"), 0));
}

void selection_follow_stop(struct replay *replay)
{
	replay->selected.number =
	    mi_number(gdb_last_stop(replay->gdb), "thread-id", replay->selected.number);
	replay->selected.frame = 0;
}

/* The row of a thread in gdb's list, borrowed from *results, which the caller frees. */
static const json_t *find_row(struct replay *replay, int tid, json_t **results)
{
	json_t *thread;
	size_t i;

	*results = NULL;
	gdb_must(replay->gdb, results, "-thread-info");
	json_array_foreach(json_object_get(*results, "threads"), i,
	    thread) if (mi_tid(thread) == tid) return thread;
	return NULL;
}

int selection_number(struct replay *replay, int tid)
{
	json_auto_t *results = NULL;

	return mi_number(find_row(replay, tid, &results), "id", 0);
}

bool selection_set_thread(struct replay *replay, int tid)
{
	json_auto_t *results = NULL;
	const json_t *thread = find_row(replay, tid, &results);
	int number = mi_number(thread, "id", 0);

	if (number) {
		gdb_must(replay->gdb, NULL, "-thread-select %d", number);
		select_row(replay, number, thread);
	}
	return number && !replay->worker->broken;
}

bool selection_choose_frame(struct replay *replay, long long level, struct failure *failure)
{
	/* -stack-select-frame accepts any number, and then selects the outermost frame. */
	if (gdb_command(replay->gdb, NULL, "-stack-info-frame --thread %d --frame %lld",
		replay->selected.number, level) == GDB_REFUSED) {
		failure_set(failure, ERROR_NOT_FOUND, "rr_backtrace shows the frames",
		    "there is no frame %lld: %s", level, gdb_message(replay->gdb));
		return false;
	}
	return selection_set_frame(replay, (int)level) ||
	       gdb_check(replay->gdb, replay->worker->broken ? GDB_LOST : GDB_REFUSED,
		   ERROR_NOT_FOUND, "rr_backtrace shows the frames", failure);
}

void selection_read_from(struct replay *replay, int level)
{
	replay->selected.frame = level;
}

bool selection_set_frame(struct replay *replay, int level)
{
	if (gdb_command(replay->gdb, NULL, "-stack-select-frame %d", level) != GDB_DONE)
		return false;
	replay->selected.frame = level;
	return true;
}

bool selection_console(struct replay *replay, const char *command)
{
	char quoted[GDB_QUOTED_MAX];

	return mi_quote(quoted, sizeof(quoted), command) >= 0 &&
	       spoken_console(replay, quoted) == GDB_DONE;
}

bool selection_console_in(struct replay *replay, int thread, int frame, const char *command)
{
	char quoted[GDB_QUOTED_MAX];

	return mi_quote(quoted, sizeof(quoted), command) >= 0 &&
	       gdb_command(replay->gdb, NULL, "-interpreter-exec --thread %d --frame %d console %s",
		   thread, frame, quoted) == GDB_DONE;
}
