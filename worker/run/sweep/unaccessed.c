/*
 * A run backward stands before the access, with all that the instruction reads: the answer is
 * certain if the mask's register can be read. A run forward stands behind it: then the instruction
 * must be the one before in memory, and must not have changed its own mask. Never moves the
 * program.
 */
#include "worker/run/sweep/unaccessed.h"

#include <stdlib.h>
#include <string.h>
#include "worker/read/values/place.h"
#include "worker/gdb/mi/mi.h"
#include "worker/read/code/preceding.h"
#include "worker/session/breakpoint.h"
#include "worker/session/selection.h"
#include "worker/session/stop_reason.h"

#define POINTER_MAX 8
#define AROUND_MAX  256 /* bytes: more than four registers watch, and a pointer on each side */

/* gdb's number of the watchpoint that saw the value as it was before; 0: it is not such a stop. */
static int number_unchanged(const struct replay *replay)
{
	const json_t *stop = gdb_last_stop(replay_gdb(replay)),
		     *value = json_object_get(stop, "value");
	const json_t *point = json_object_get(stop, "hw-awpt");

	if (!point)
		point = json_object_get(stop, "hw-rwpt");
	if (stop_kind(replay) != STOP_WATCHPOINT || !point || json_object_get(stop, "wpt") ||
	    json_object_get(value, "old"))
		return 0;
	return mi_number(point, "number", 0);
}

/* Whether an instruction that can mislead may end at pc; false is certain. */
static bool may_mislead(struct replay *replay, unsigned long long pc)
{
	uint8_t bytes[INSTRUCTION_BYTES_MAX];
	struct instruction instruction;
	unsigned long long pointer = POINTER_MAX;

	if (!accessed_whole(replay, pc - sizeof(bytes), bytes, sizeof(bytes)))
		return true;
	accessed_number(replay, "sizeof(void *)", &pointer);
	for (size_t length = 1; length <= sizeof(bytes); length++)
		if (operand_decode(bytes + sizeof(bytes) - length, length, pc - length,
			pointer == POINTER_MAX, &instruction) &&
		    instruction.length == length && accessed_can_mislead(&instruction))
			return true;
	return false;
}

/* Whether it changed registers that say what it accessed. */
static bool has_lost(const struct instruction *instruction)
{
	for (size_t i = 0; i < instruction->count; i++)
		if (instruction->operands[i].access.lost ||
		    instruction->operands[i].access.mask_lost)
			return true;
	return false;
}

/* A hit to judge. */
struct look {
	struct replay *replay;
	enum direction direction;
	unsigned long long pc;
	struct instruction instruction; /* that made the access */
};

/* Finds the instruction. NOT: none that can mislead; MAYBE: it is not known. */
static enum accessed_touch find(struct look *look)
{
	unsigned long long begin = look->pc;

	if (look->direction == FORWARD) {
		if (!may_mislead(look->replay, look->pc))
			return ACCESSED_NOT;
		begin = preceding_begin(look->replay, look->pc);
	}
	if (!begin || !accessed_instruction(look->replay, begin, &look->instruction) ||
	    (look->direction == FORWARD && begin + look->instruction.length != look->pc))
		return ACCESSED_MAYBE;
	return accessed_can_mislead(&look->instruction) ? ACCESSED_YES : ACCESSED_NOT;
}

/* Whether a jump, a call or a return to pc may have accessed these bytes: they hold pc, or lie at
 * the stack pointer. So may a string instruction at pc, between two of its repetitions. */
static bool may_have_jumped(
    const struct look *look, unsigned long long address, unsigned long long size)
{
	unsigned long long sp, from = address - (POINTER_MAX - 1);
	size_t length = size + 2 * (POINTER_MAX - 1), pointer = POINTER_MAX / 2;
	struct instruction next;
	uint8_t around[AROUND_MAX];

	if (!accessed_number(look->replay, "(unsigned long)$sp", &sp) || length > sizeof(around) ||
	    (address < sp + POINTER_MAX && sp < address + size) ||
	    !accessed_instruction(look->replay, look->pc, &next))
		return true;
	for (size_t i = 0; i < next.count; i++)
		if (next.operands[i].access.kind == ACCESS_STRING)
			return true;
	/* At the edge of what is mapped, only the bytes themselves. */
	if (!accessed_whole(look->replay, from, around, length)) {
		from = address;
		length = size;
		if (size < POINTER_MAX || !accessed_whole(look->replay, from, around, length))
			return true;
	}
	for (size_t i = 0; i + pointer <= length; i++)
		if (memcmp(around + i, &look->pc, pointer) == 0)
			return true;
	return false;
}

static enum accessed_touch touches(const struct look *look, const char *place)
{
	unsigned long long address, size;
	bool ahead = look->direction == BACKWARD;
	enum accessed_touch touch;

	if (!place || !place_of_value(look->replay, place, &address, &size) || !size ||
	    (!ahead && has_lost(&look->instruction)))
		return ACCESSED_MAYBE;
	touch = accessed_touches(look->replay, &look->instruction,
	    ahead ? ACCESSED_AHEAD : ACCESSED_BEHIND, address, size);
	if (touch == ACCESSED_NOT && !ahead && may_have_jumped(look, address, size))
		return ACCESSED_MAYBE;
	return touch;
}

static bool writes(const struct instruction *instruction)
{
	for (size_t i = 0; i < instruction->count; i++)
		if (instruction->operands[i].access.writes)
			return true;
	return false;
}

/* Whether an access to its bytes can be a hit of this watchpoint, which gdb did not name. */
static bool may_hit(const struct look *look, const struct breakpoint *entry)
{
	unsigned long long holds = 1;

	if (!entry->gdb || !entry->watches || entry->disabled ||
	    (entry->access == WATCH_WRITE && !writes(&look->instruction)))
		return false;
	return !entry->condition || !accessed_number(look->replay, entry->condition, &holds) ||
	       holds;
}

/* rr names one of the watchpoints that an instruction hits, so all count. */
static struct unaccessed judge_all(const struct look *look, int number)
{
	const struct breakpoint_list *list = replay_breakpoints(look->replay);
	struct unaccessed judged = {ACCESSED_NOT, false};

	for (size_t i = 0; i < list->count; i++) {
		const struct breakpoint *entry = &list->entries[i];
		enum accessed_touch touch;

		if (entry->gdb != number && !may_hit(look, entry))
			continue;
		touch = touches(look, entry->absolute);
		if (touch > judged.touch || (touch == judged.touch && entry->gdb == number)) {
			judged.touch = touch;
			judged.other = touch == ACCESSED_YES && entry->gdb != number;
		}
	}
	return judged;
}

struct unaccessed unaccessed_judge(struct replay *replay, enum direction direction)
{
	const struct unaccessed certain = {ACCESSED_YES, false};
	struct look look = {.replay = replay, .direction = direction};
	int number = number_unchanged(replay);

	if (!number || !breakpoint_by_gdb(replay_breakpoints(replay), number))
		return certain;
	selection_follow_stop(replay);
	if (!accessed_number(replay, "(unsigned long)$pc", &look.pc))
		return certain;
	switch (find(&look)) {
	case ACCESSED_NOT:
		return certain;
	case ACCESSED_MAYBE:
		return (struct unaccessed){ACCESSED_MAYBE, false};
	case ACCESSED_YES:
		break;
	}
	return judge_all(&look, number);
}

/* What is left of gdb's last stop, if its watchpoint does not count. */
static void call_it_breakpoint(struct replay *replay)
{
	json_auto_t *stop = json_copy(gdb_last_stop(replay_gdb(replay)));

	json_object_set_new(stop, "reason", json_string("breakpoint-hit"));
	json_object_del(stop, "hw-awpt");
	json_object_del(stop, "hw-rwpt");
	json_object_del(stop, "value");
	gdb_amend_stop(replay_gdb(replay), stop);
}

bool unaccessed_pass(struct replay *replay, enum direction direction)
{
	struct run *run = replay_run(replay);
	struct gdb *gdb = replay_gdb(replay);
	struct breakpoint *breakpoint =
	    breakpoint_by_gdb(replay_breakpoints(replay), number_unchanged(replay));

	if (!breakpoint || run->passed_over == UNACCESSED_MAX || gdb_was_interrupted(gdb) ||
	    unaccessed_judge(replay, direction).touch != ACCESSED_NOT)
		return false;
	run->passed_over++;
	breakpoint->hits_before--;
	if (!json_object_get(gdb_last_stop(gdb), "bkptno"))
		return true;
	call_it_breakpoint(replay);
	return false;
}

void unaccessed_tell(struct replay *replay, enum direction direction, json_t *stop)
{
	struct run *run = replay_run(replay);
	struct unaccessed judged = unaccessed_judge(replay, direction);
	const char *doubt = NULL;

	if (judged.touch == ACCESSED_MAYBE)
		doubt = "whether this instruction accesses the watched bytes cannot be known: the "
			"processor also stops at bytes that a mask leaves out";
	else if (judged.touch == ACCESSED_NOT)
		doubt = "this instruction does not access the watched bytes: its mask or its "
			"length leaves them out";
	else if (judged.other)
		doubt = "this instruction accesses the bytes of another watchpoint, and leaves "
			"these out";
	json_object_set_new(stop, "not_certain", json_string(doubt));
	if (run->passed_over)
		json_object_set_new(stop, "passed_over",
		    json_sprintf("%lld hit%s without an access: the instruction leaves the watched "
				 "bytes out",
			run->passed_over, run->passed_over == 1 ? "" : "s"));
	run->passed_over = 0;
}
