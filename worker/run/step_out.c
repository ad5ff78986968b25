/*
 * Each way is one run of the program: to a frame that the stack shows, or to main.
 */
#include "worker/run/step_out.h"

#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/read/values/accessed.h"
#include "worker/run/reverse_next.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/run/step.h"
#include "worker/session/stop_reason.h"

#define FRAMES_MAX  50 /* looked through for one with a line */
#define RETURNS_MAX 8  /* of main that are watched for */
#define HINT                                                                                       \
	"there are no source lines here: use rr_step with unit instruction, or set a breakpoint "  \
	"and rr_continue to it"

bool step_out_has_line(struct replay *replay, bool *has, struct failure *failure)
{
	const struct selection *selected = replay_selected(replay);
	struct gdb *gdb = replay_gdb(replay);
	json_auto_t *results = NULL;
	bool ok = gdb_check(gdb,
	    gdb_command(gdb, &results, "-stack-info-frame --thread %d --frame %d", selected->number,
		selected->frame),
	    ERROR_GDB_FAILED, NULL, failure);

	*has = mi_text(json_object_get(results, "frame"), "line") != NULL;
	return ok;
}

/* Internal breakpoints that a run to main ends at. */
struct mains {
	int begin;
	int returns[RETURNS_MAX];
	size_t count;
};

/* Decodes what gdb read; its text for a return differs between versions. */
static bool is_return(const json_t *listed, bool is_64_bit)
{
	const char *at = mi_text(listed, "opcodes");
	uint8_t bytes[INSTRUCTION_BYTES_MAX];
	struct instruction instruction;
	size_t length = 0;
	char *end;

	for (; at && *at && length < sizeof(bytes); at = end)
		bytes[length++] = (uint8_t)strtoul(at, &end, 16);
	return operand_decode(bytes, length, 0, is_64_bit, &instruction) && instruction.returns;
}

static void watch_returns(struct replay *replay, struct mains *mains)
{
	json_t *results = NULL, *listed;
	unsigned long long pointer = 8;
	size_t i;

	accessed_number(replay, "sizeof(void *)", &pointer);
	/* There may be no main. */
	gdb_try(
	    replay_gdb(replay), &results, "-data-disassemble -a main -- 2"); /* with the bytes */
	json_array_foreach(json_object_get(results, "asm_insns"), i, listed)
	{
		const unsigned long long address = mi_address(listed, "address");

		if (address && is_return(listed, pointer == 8) && mains->count < RETURNS_MAX)
			mains->returns[mains->count++] =
			    temporary_breakpoint_insert_at(replay, address);
	}
	json_decref(results);
}

static void forget(struct replay *replay, struct mains *mains)
{
	temporary_breakpoint_delete(replay, mains->begin);
	while (mains->count)
		temporary_breakpoint_delete(replay, mains->returns[--mains->count]);
}

static void describe(const struct replay *replay, const struct mains *mains, struct step_out *out)
{
	int number = mi_number(gdb_last_stop(replay_gdb(replay)), "bkptno", 0);

	if (!number)
		return;
	if (number == mains->begin) {
		out->arrived = true;
		out->note = "no caller has source lines: this is where main begins";
	}
	for (size_t i = 0; i < mains->count; i++) {
		if (number == mains->returns[i]) {
			out->arrived = true;
			out->note = "no caller has source lines: this is where main returned";
		}
	}
}

bool step_out_to_main(
    struct replay *replay, enum direction direction, struct step_out *out, struct failure *failure)
{
	const struct resumption on = {"continue", direction, false, -1, 0};
	struct mains mains = {.begin = temporary_breakpoint_insert(replay, "main")};
	bool ok;

	if (!mains.begin && direction == FORWARD) {
		failure_set(failure, ERROR_UNSUPPORTED, HINT,
		    "there are no source lines here, and no main to go to");
		return false;
	}
	if (mains.begin && direction == BACKWARD)
		watch_returns(replay, &mains);
	ok = resume_run(replay, &on, failure);
	if (ok)
		describe(replay, &mains, out);
	forget(replay, &mains);
	return ok;
}

bool step_out_came(const struct replay *replay, enum direction direction)
{
	enum stop_kind kind = stop_kind(replay);

	/* gdb says so going on; going back, it ends with a step. */
	return kind == STOP_FINISHED || (direction == BACKWARD && kind == STOP_STEP);
}

bool step_out_finish(
    struct replay *replay, enum direction direction, int level, struct failure *failure)
{
	const struct resumption out = {"finish", direction, true, level, 0};
	enum back back = direction == BACKWARD ? back_out(replay, level, failure) : BACK_UNKNOWN;

	if (back != BACK_UNKNOWN)
		return back == BACK_DONE;
	if (direction == FORWARD || level == 0)
		return step_run(replay, &out, failure);
	failure_set(failure, ERROR_UNSUPPORTED,
	    "rr_finish without function goes back out of the innermost frame; rr_breakpoint_set "
	    "and rr_continue with reverse go to any place",
	    "the call that began frame %d cannot be found", level);
	return false;
}

/* The level of the nearest caller that has a source line; 0: there is none near. */
static int lined_caller(struct replay *replay)
{
	json_t *results = NULL, *frame;
	size_t i;
	int level = 0;

	/* There may be no caller. */
	gdb_try(replay_gdb(replay), &results, "-stack-list-frames --thread %d 1 %d",
	    replay_selected(replay)->number, FRAMES_MAX);
	json_array_foreach(json_object_get(results, "stack"), i, frame)
	{
		if (mi_text(frame, "line")) {
			level = mi_number(frame, "level", 0);
			break;
		}
	}
	json_decref(results);
	return level;
}

bool step_out_to_line(
    struct replay *replay, enum direction direction, struct step_out *out, struct failure *failure)
{
	struct failure no_caller = {0};
	int level = lined_caller(replay);

	if (level == 0)
		return step_out_to_main(replay, direction, out, failure);
	if (step_out_finish(replay, direction, level - 1, &no_caller)) {
		out->arrived = step_out_came(replay, direction);
		return true;
	}
	/* gdb takes something for a caller that is not. */
	if (!replay_worker(replay)->broken)
		return step_out_to_main(replay, direction, out, failure);
	*failure = no_caller;
	failure_set_hint(failure, HINT);
	return false;
}
