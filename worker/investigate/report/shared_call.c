/*
 * Several ways lead to the call if several jumps have the same target in front of it, or the code
 * before that runs into it. Steps back from the call to there: only the way that the program took
 * tells the line.
 */
#include "worker/investigate/report/shared_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/search/backtrack.h"
#include "worker/moment/position.h"
#include "worker/read/values/accessed.h"
#include "worker/read/code/called.h"
#include "worker/read/frames/frame.h"
#include "worker/run/sweep/resume.h"

#define CODE_BYTES 16384 /* of a function, from its beginning */
#define STEPS_MAX  8	 /* from such a call back to what is shared: it has no arguments */

static bool ends_program(const char *function)
{
	return strcmp(function, "abort") == 0 || strcmp(function, "std::terminate()") == 0;
}

/* Whether the program's own source has the call. The C library's functions for what it has found
 * wrong call abort() as well, and share such calls. */
static bool is_of_program(struct replay *replay, const json_t *frame)
{
	json_auto_t *json = frame_json((json_t *)frame);

	return frame_is_own(replay, json);
}

/* The outermost of the program's frames whose call that is; NULL: there is none. Borrowed. */
static const json_t *find_caller(struct replay *replay, const json_t *frames)
{
	const json_t *frame, *found = NULL;
	struct symbol called;
	size_t i;

	json_array_foreach((json_t *)frames, i, frame)
	{
		if (i > 0 && mi_text(frame, "line") && is_of_program(replay, frame) &&
		    called_before(replay, mi_address(frame, "addr"), &called) &&
		    ends_program(called.name))
			found = frame;
	}
	return found;
}

/* How many jumps of the function at `inside` go to the target. Its parts that lie elsewhere (.cold)
 * are functions of their own here. */
static int count_jumps(struct replay *replay, unsigned long long inside, unsigned long long target)
{
	uint8_t code[CODE_BYTES];
	struct symbol symbol = {0};
	struct instruction instruction;
	unsigned long long entry;
	size_t length, at = 0;
	int count = 0;

	if (!symbol_at(replay, inside, &symbol))
		return 0;
	entry = inside - symbol.offset;
	length = accessed_bytes(replay, entry, code, sizeof(code));
	while (
	    at < length && operand_decode(code + at, length - at, entry + at, true, &instruction)) {
		at += instruction.length;
		count += (instruction.jumps || instruction.branches) && instruction.is_direct &&
			 instruction.target == target;
	}
	return count;
}

static bool step_back(struct replay *replay)
{
	const struct resumption one = {"step-instruction", BACKWARD, true, -1, 0};
	cleanup_failure struct failure ignored = {0};

	return resume_run(replay, &one, &ignored) && position_update(replay, &ignored);
}

/* Whether the program, which stands at the call, came to it by a way that it shares; it then stands
 * at the last instruction of its own. */
static bool go_to_own(struct replay *replay)
{
	struct instruction before;

	for (int i = 0; i < STEPS_MAX; i++) {
		unsigned long long here = replay_now(replay)->pc, from;
		int jumps;

		if (!step_back(replay) ||
		    !accessed_instruction(replay, replay_now(replay)->pc, &before))
			return false;
		from = replay_now(replay)->pc;
		jumps = count_jumps(replay, from, here);
		if (from + before.length != here)
			return jumps > 1;
		/* A conditional jump whose target is the next instruction is none. */
		if (jumps > 0)
			return true;
	}
	return false;
}

char *shared_call_find(struct replay *replay)
{
	json_auto_t *frames = backtrack_stack(replay);
	const json_t *caller = find_caller(replay, frames), *from;
	unsigned long long call = caller ? backtrack_call(replay, caller) : 0;
	const char *line;
	char *text = NULL;

	if (!call || !backtrack_to(replay, call) || !go_to_own(replay))
		return NULL;
	from = json_object_get(gdb_last_stop(replay_gdb(replay)), "frame");
	line = mi_text(from, "line");
	if (!line || !mi_text(from, "file") || strcmp(line, mi_text(caller, "line")) == 0 ||
	    asprintf(&text,
		"this call may stand for several in the source, with the line of one: the program "
		"came to it from %.400s:%s",
		mi_text(from, "file"), line) < 0)
		return NULL;
	return text;
}
