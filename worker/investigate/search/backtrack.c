/*
 * Runs back with a breakpoint of its own or of its caller's, past signals.
 */
#include "worker/investigate/search/backtrack.h"

#include <stdio.h>
#include "worker/gdb/mi/mi.h"
#include "worker/read/values/accessed.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/position.h"
#include "worker/run/sweep/resume.h"
#include "worker/moment/signals.h"
#include "worker/session/stop_reason.h"

#define CALL_BYTES 5 /* of a direct call */
#define STOPS_MAX  20000

json_t *backtrack_stack(struct replay *replay)
{
	json_auto_t *results = NULL;

	return gdb_command(replay_gdb(replay), &results, "-stack-list-frames --thread %d 0 %d",
		   replay_selected(replay)->number, BACKTRACK_DEPTH - 1) == GDB_DONE
		   ? json_incref(json_object_get(results, "stack"))
		   : NULL;
}

unsigned long long backtrack_call(struct replay *replay, const json_t *frame)
{
	unsigned long long behind = mi_address(frame, "addr");
	struct instruction call;

	return behind && accessed_instruction(replay, behind - CALL_BYTES, &call) && call.calls &&
		       call.is_direct && call.length == CALL_BYTES
		   ? behind - CALL_BYTES
		   : 0;
}

bool backtrack_to(struct replay *replay, unsigned long long address)
{
	const struct resumption back = {"continue", BACKWARD, false, -1, 0};
	cleanup_failure struct failure ignored = {0};
	char where[64];
	int number;
	bool found;

	snprintf(where, sizeof(where), "-p %d *0x%llx", replay_selected(replay)->number, address);
	signals_pass_all(replay);
	number = temporary_breakpoint_insert(replay, where);
	found = number && resume_run(replay, &back, &ignored) && position_update(replay, &ignored);
	replay_moves(replay);
	temporary_breakpoint_delete(replay, number);
	signals_stop_again(replay);
	return found && stop_kind(replay) == STOP_BREAKPOINT;
}

bool backtrack_writes(struct replay *replay, unsigned long long address, unsigned long long size,
    struct instruction *instruction)
{
	unsigned long long pc;

	*instruction = (struct instruction){0};
	return !accessed_number(replay, "(unsigned long) $pc", &pc) ||
	       !accessed_instruction(replay, pc, instruction) ||
	       accessed_touches(replay, instruction, ACCESSED_AHEAD, address, size) != ACCESSED_NOT;
}

enum scan_end backtrack_scan(struct replay *replay, scan_visit *visit, void *context)
{
	cleanup_failure struct failure ignored = {0};
	enum scan_end end;

	signals_pass_all(replay);
	end = scan_run(replay, BACKWARD, STOPS_MAX, visit, context, &ignored);
	replay_moves(replay);
	if (!replay_worker(replay)->broken)
		signals_stop_again(replay);
	return end;
}
