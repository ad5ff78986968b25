/*
 * See shadowcode.h, with the table of the stacks:
 *     a call: mov qword [rax], -1
 *     a return: mov qword [rax], 0
 * What loads the stack pointer asks.
 */
#include "worker/softpmu/translate/returncode.h"

#include "worker/softpmu/translate/sequences.h"
#include "worker/softpmu/translate/shadowcode.h"
#include "worker/x86/accesses.h"

enum { RSP = 4, WORD = 8 };

static void put_note(struct emitter *e, int64_t displacement, uint8_t v)
{
	const struct access access = {
	    .base = RSP, .index = ACCESS_NO_REGISTER, .size = WORD, .displacement = displacement};
	const uint32_t on = shadowcode_begin(e, ARENA_STACKS, &access);

	EMIT(e, PLACE_LOOKS, PLACE_BOTH_SAVED, 0x48, 0xc7, 0x00, v, v, v, v);
	shadowcode_end(e, on);
}

void returncode_put(struct emitter *e, const struct classified *in)
{
	const struct watches *watches = &e->space->watches;

	if (watches->check_number == 0 || !watches->ways->returns ||
	    !watches->ways->returns(watches->check))
		return;
	switch (in->control) {
	case CONTROL_CALL:
	case CONTROL_CALL_TO:
		return put_note(e, -WORD, 0xff);
	case CONTROL_RETURN:
	case CONTROL_RR_CALL:
		return put_note(e, 0, 0);
	case CONTROL_ON:
		if (classify_loads_stack_pointer(in))
			sequence_question(e, PLACE_CHECKS);
		return;
	case CONTROL_BRANCH:
	case CONTROL_LOOP:
	case CONTROL_JUMP:
	case CONTROL_JUMP_TO:
	case CONTROL_IN_PLACE:
	case CONTROL_FLAGS:
	case CONTROL_NATIVE:
		return;
	}
}
