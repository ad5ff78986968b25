/*
 * From a register back to the instruction that wrote it, by single steps back through everything
 * that the thread ran. Only a register that functions preserve passes over calls.
 */
#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/values/origin.h"
#include "worker/investigate/values/origin_calls.h"
#include "worker/read/values/accessed.h"
#include "worker/run/reverse_next.h"
#include "worker/moment/position.h"
#include "worker/run/sweep/resume.h"
#include "worker/session/stop_reason.h"

#define STEPS_MAX 1000 /* back to the instruction that wrote the register */
#define NAME_MAX_ 80

struct code {
	uint8_t bytes[INSTRUCTION_BYTES_MAX];
	size_t length;
	struct instruction instruction;
};

static bool read_code(struct replay *replay, struct code *code)
{
	const struct moment *now = replay_now(replay);

	code->length = accessed_bytes(replay, now->pc, code->bytes, sizeof(code->bytes));
	return operand_decode(code->bytes, code->length, now->pc, true, &code->instruction);
}

/* One instruction back; a preserved register needs none of the functions that were called. */
static bool step(struct origin *origin, struct failure *failure)
{
	const struct resumption one = {"step-instruction", BACKWARD, true, -1, 0};
	struct replay *replay = origin->replay;
	int tid = replay_now(replay)->tid;
	bool ok = flow_is_preserved(&origin->now.piece)
		      ? reverse_next(replay, 1, NULL, failure)
		      : resume_run(replay, &one, failure) && position_update(replay, failure);

	if (!ok || replay_worker(replay)->interrupt)
		return origin_stop(origin, failure);
	if (stop_kind(replay) == STOP_STEP && replay_now(replay)->tid == tid)
		return true;
	return origin_finish(origin, ORIGIN_UNKNOWN,
	    "it was in %%%s since the thread or the recording began, or a signal came",
	    origin->now.piece.vector ? "xmm" : flow_register_name(origin->now.piece.number));
}

/* Whether the instruction leads to where the program stood before. Else a signal handler begins or
 * ends there, and the kernel set the registers. */
static bool leads_to(const struct code *code, unsigned long long pc, unsigned long long next)
{
	bool repeats = strncmp(code->instruction.text, "rep", 3) == 0;

	return pc + code->instruction.length == next || (repeats && pc == next) ||
	       flow_jumps(code->bytes, code->length);
}

static bool is_allocator(const char *name)
{
	static const char *const names[] = {"malloc", "calloc", "realloc", "reallocarray",
	    "memalign", "aligned_alloc", "valloc", "mmap", "mmap64", "operator new",
	    "operator new[]"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* The program is about to return from an allocator with the value: goes to the call. */
static bool from_allocator(struct origin *origin, const char *name, struct failure *failure)
{
	struct replay *replay = origin->replay;
	unsigned long long first, second;
	char called[NAME_MAX_];

	switch (back_out(replay, 0, failure)) {
	case BACK_FAILED:
		return origin_stop(origin, failure);
	case BACK_UNKNOWN:
		return origin_finish(origin, ORIGIN_ALLOCATION, "memory that %s allocated", name);
	case BACK_DONE:
		break;
	}
	if (!position_update(replay, failure))
		return origin_stop(origin, failure);
	/* Another function may have jumped to it, with other arguments. */
	origin_called(replay, called, sizeof(called));
	if (strcmp(called, name) != 0 || !accessed_number(replay, "(unsigned long) $rdi", &first) ||
	    !accessed_number(replay, "(unsigned long) $rsi", &second))
		return origin_finish(origin, ORIGIN_ALLOCATION, "memory that %s allocated", name);
	if (strcmp(name, "malloc") == 0 || strncmp(name, "operator", 8) == 0)
		return origin_finish(
		    origin, ORIGIN_ALLOCATION, "memory that %s(%llu) allocated", name, first);
	return origin_finish(origin, ORIGIN_ALLOCATION, "memory that %s(0x%llx, %llu) allocated",
	    name, first, second);
}

static bool is_result(const struct piece *piece)
{
	return piece->number == 0;
}

/* Notes where the value went into a function or came out of it. True with *over if this is the end
 * of the way, or a failure. */
static bool cross(struct origin *origin, struct origin_calls *calls, const struct code *code,
    unsigned long long next, bool *over, struct failure *failure)
{
	struct replay *replay = origin->replay;
	char name[NAME_MAX_];

	*over = false;
	if (code->instruction.returns && is_result(&origin->now.piece)) {
		origin_function(replay, name, sizeof(name));
		*over = is_allocator(name);
		if (*over)
			return from_allocator(origin, name, failure);
		origin_note(origin, "returned by %s", name[0] ? name : "a function");
	}
	if (code->instruction.returns)
		origin_calls_enter(origin, calls, next);
	if (code->instruction.calls && replay_now(replay)->pc + code->instruction.length != next) {
		if (!origin_calls_leave(origin, calls, next))
			return false;
		origin_note(origin, "passed on by a call");
	}
	return true;
}

/* An instruction that leaves the register as it is must also leave its bytes as they are. */
static bool is_unchanged(struct origin *origin, const struct code *code)
{
	uint8_t bytes[ORIGIN_BYTES_MAX];

	if (!origin_read_register(origin->replay, &origin->now.piece, bytes)
		? origin_is_hidden(&origin->now.piece)
		: memcmp(bytes, origin->now.bytes, origin->now.size) == 0)
		return true;
	return origin_finish(origin, ORIGIN_CHANGED,
	    "the value changed here: `%s` does not write the register, which had other bytes "
	    "before",
	    code->instruction.text);
}

bool origin_from_register(struct origin *origin, struct failure *failure)
{
	struct replay *replay = origin->replay;
	struct origin_calls calls = {0};
	struct code code;
	struct flow flow;
	bool over;

	for (int i = 0; i < STEPS_MAX; i++) {
		unsigned long long next = replay_now(replay)->pc;

		if (!step(origin, failure))
			return false;
		if (!read_code(replay, &code) ||
		    !flow_of_register(code.bytes, code.length, &origin->now.piece, &flow))
			return origin_finish(
			    origin, ORIGIN_UNKNOWN, "the instruction cannot be decoded");
		if (!leads_to(&code, replay_now(replay)->pc, next))
			return origin_finish(origin, ORIGIN_UNKNOWN,
			    "a signal handler begins or ends here, and the kernel set the "
			    "registers");
		if (!cross(origin, &calls, &code, next, &over, failure) || over)
			return false;
		if (flow.kind != FLOW_NONE && !origin_calls_may_write(origin, &calls))
			return false;
		if (flow.kind != FLOW_NONE)
			return origin_to_source(origin, code.bytes, code.length, &flow, 0);
		if (!is_unchanged(origin, &code))
			return false;
	}
	return origin_finish(origin, ORIGIN_UNKNOWN,
	    "it was in a register for more than %d instructions", STEPS_MAX);
}
