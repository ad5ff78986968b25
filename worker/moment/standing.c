/*
 * rr's own commands come from `rr gdbinit`, sourced into gdb at the start of the session; what they
 * print is text for people, so it is read here and nowhere else.
 */
#include "worker/moment/standing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/moment/instant/fingerprint.h"
#include "worker/read/code/libraries.h"
#include "worker/session/core.h"
#include "worker/session/loaded.h"
#include "worker/session/selection.h"
#include "worker/session/stop_reason.h"

#define HELD_MAX 1000000 /* checkpoints that one rr keeps in its life */

/* The number after the last ": " in the output of one of rr's commands. */
static bool read_number(struct replay *replay, const char *command, const char **text,
    long long *number, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	enum gdb_outcome outcome = gdb_console(gdb, text, command);
	const char *colon;
	char *end;

	if (!gdb_check(gdb, outcome, ERROR_RR_FAILED, NULL, failure))
		return false;
	colon = strchr(*text, ':');
	if (colon) {
		*number = strtoll(colon + 1, &end, 10);
		if (end != colon + 1)
			return true;
	}
	failure_set(failure, ERROR_RR_FAILED, NULL, "rr did not answer %s: %.200s", command, *text);
	return false;
}

bool position_read(struct replay *replay, struct moment *moment, struct failure *failure)
{
	const char *text;

	*moment = (struct moment){0};
	if (replay_core(replay)) {
		moment->tid = replay_selected(replay)->tid;
		return true;
	}
	if (!read_number(replay, "when", &text, &moment->event, failure))
		return false;
	/* Before 5.8, rr reports the current event; later versions report the last completed one,
	 * which is one less. */
	if (strncmp(text, "Completed", 9) == 0)
		moment->event++;
	if (!read_number(replay, "when-ticks", &text, &moment->ticks, failure))
		return false;
	moment->tid = replay_selected(replay)->tid;
	return true;
}

bool position_update(struct replay *replay, struct failure *failure)
{
	struct moment moment;

	libraries_find(replay);
	selection_take_stop(replay);
	if (!position_read(replay, &moment, failure))
		return false;
	moment.pc = mi_address(json_object_get(gdb_last_stop(replay_gdb(replay)), "frame"), "addr");
	replay_arrived(replay, &moment);
	loaded_note(replay);
	if (stop_kind(replay) == STOP_END)
		replay_reached_end(replay);
	replay_stands(replay, position_is_end(replay), replay_is_at_signal(replay));
	return true;
}

bool position_is_end(const struct replay *replay)
{
	const struct moment *end = replay_end(replay);

	return stop_kind(replay) == STOP_END ||
	       (end->event && position_same(replay_now(replay), end));
}

bool position_same(const struct moment *a, const struct moment *b)
{
	return a->event == b->event && a->ticks == b->ticks && a->tid == b->tid && a->pc == b->pc;
}

void position_take_sum(struct replay *replay)
{
	struct moment now = *replay_now(replay);

	if (!now.pc || now.sum || replay_core(replay))
		return;
	now.sum = fingerprint_sum(replay);
	replay_arrived(replay, &now);
}

int position_order(const struct moment *a, const struct moment *b)
{
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return a->ticks < b->ticks ? -1 : a->ticks > b->ticks;
}

int position_hold(struct replay *replay)
{
	static const char said[] = "Checkpoint ";
	const char *text, *found;
	int number;

	/* Without one, the way back is a longer one, to the same moment. */
	if (gdb_console(replay_gdb(replay), &text, "checkpoint") != GDB_DONE)
		return 0;
	found = strstr(text, said);
	number = found ? (int)strtol(found + sizeof(said) - 1, NULL, 10) : 0;
	return number > 0 && number < HELD_MAX ? replay_rr_number(replay) * HELD_MAX + number : 0;
}

bool position_is_held(const struct replay *replay, int held)
{
	return held && held / HELD_MAX == replay_rr_number(replay);
}

int position_number(int held)
{
	return held % HELD_MAX;
}

void position_release(struct replay *replay, int held)
{
	char command[48];

	snprintf(command, sizeof(command), "delete checkpoint %d", position_number(held));
	if (position_is_held(replay, held))
		gdb_try_console(/* one that stays costs rr one more process */
		    replay_gdb(replay), command);
}
