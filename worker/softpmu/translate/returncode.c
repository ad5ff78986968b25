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

static void put_note(struct look *look, int64_t displacement, uint8_t v)
{
	const struct access access = {
	    .base = RSP, .index = ACCESS_NO_REGISTER, .size = WORD, .displacement = displacement};

	shadowcode_begin(look, &access);
	PUT(look, PLACE_LOOKS, SHADOWCODE_BOTH, 0x48, 0xc7, 0x00, v, v, v, v);
	shadowcode_end(look);
}

void returncode_put(struct emitter *e, const struct classified *in, bool pending, uint32_t body)
{
	const struct watches *watches = &e->space->watches;
	struct look look = {e, pending ? PLACE_PENDING : 0, in->address, ARENA_STACKS, 0};

	if (watches->check_number == 0 || !watches->ways->returns ||
	    !watches->ways->returns(watches->check))
		return;
	switch (in->control) {
	case CONTROL_CALL:
	case CONTROL_CALL_TO:
		return put_note(&look, -WORD, 0xff);
	case CONTROL_RETURN:
	case CONTROL_RR_CALL:
		return put_note(&look, 0, 0);
	case CONTROL_ON:
		if (classify_loads_stack_pointer(in))
			sequence_question(e, PLACE_CHECKS, look.pending, in->address, body);
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
