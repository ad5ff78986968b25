/*
 * Does the few instructions between the two branches, on a copy of the registers: moves into
 * registers and comparisons. Must never say that a branch counts where it is not sure.
 */
#include "worker/softpmu/follow/joined.h"

#include "worker/softpmu/follow/undefinedstep.h"
#include "worker/x86/eflags.h"
#include "worker/x86/flagwriter.h"
#include "worker/x86/flow.h"

enum { STEPS_MAX = 6 };

enum outcome {
	OTHERWISE,   /* no such condition follows */
	LEADS_THERE, /* it leads to the common place, or nobody knows */
	LEADS_ELSEWHERE,
};

/* The second condition, on the way to it. */
struct way {
	struct undefined state;
	struct user_regs_struct regs;
	struct undefined_step step;
};

static uint64_t next_of(const struct undefined_step *step)
{
	return step->regs->rip + step->decoded.instruction.length;
}

static bool is_branch(const struct undefined_step *step)
{
	return step->decoded.instruction.meta.category == ZYDIS_CATEGORY_COND_BR &&
	       step->decoded.operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

static uint64_t target_of(const struct undefined_step *step)
{
	return next_of(step) + (uint64_t)step->decoded.operands[0].imm.value.s;
}

static void compare(struct way *way, const struct undefined_value *one,
    const struct undefined_value *other, unsigned size)
{
	const uint64_t flags = way->step.decoded.instruction.mnemonic == ZYDIS_MNEMONIC_TEST
				   ? flagwriter_test(one->bits, other->bits, size)
				   : flagwriter_compare(one->bits, other->bits, size);

	way->regs.eflags = (way->regs.eflags & ~(uint64_t)FLAG_STATUS) | flags;
}

static bool put(struct way *way, unsigned number, uint64_t value)
{
	unsigned long long *const registers[] = {&way->regs.rax, &way->regs.rcx, &way->regs.rdx,
	    &way->regs.rbx, &way->regs.rsp, &way->regs.rbp, &way->regs.rsi, &way->regs.rdi,
	    &way->regs.r8, &way->regs.r9, &way->regs.r10, &way->regs.r11, &way->regs.r12,
	    &way->regs.r13, &way->regs.r14, &way->regs.r15};

	*registers[number] = value;
	return true;
}

/* A move to all of a register. */
static bool move(struct way *way)
{
	const ZydisDecodedOperand *operands = way->step.decoded.operands;
	const unsigned size = undefined_size(&operands[1]), to = undefined_size(&operands[0]);
	struct undefined_value it;
	struct piece piece;

	if (!instruction_is_move(&way->step.decoded) || to < 4 ||
	    operands[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    !instruction_piece(operands[0].reg.value, &piece) || piece.vector ||
	    !undefined_get(&way->step, &operands[1], &it))
		return false;
	if (instruction_extends_sign(&way->step.decoded) && size < 8 &&
	    (it.bits >> (8 * size - 1) & 1))
		it.bits |= ~undefined_all(size);
	undefined_apply(&way->step);
	return put(way, piece.number, it.bits & undefined_all(to));
}

/* False: it is none of those that are done here. */
static bool pass(struct way *way)
{
	const ZydisDecodedOperand *operands = way->step.decoded.operands;
	const ZydisMnemonic mnemonic = way->step.decoded.instruction.mnemonic;
	const uint64_t next = next_of(&way->step);
	struct undefined_value one, other;

	if (mnemonic == ZYDIS_MNEMONIC_CMP || mnemonic == ZYDIS_MNEMONIC_TEST) {
		if (!undefined_get(&way->step, &operands[0], &one) ||
		    !undefined_get(&way->step, &operands[1], &other))
			return false;
		undefined_apply(&way->step);
		compare(way, &one, &other, undefined_size(&operands[0]));
	} else if (!move(way)) {
		return false;
	}
	way->regs.rip = next;
	return true;
}

static bool is_plain(const struct way *way)
{
	return (way->step.decoded.instruction.opcode & 0xf0) == 0x70 ||
	       (way->step.decoded.instruction.opcode & 0xf0) == 0x80;
}

/* The condition that follows at `start`, if one of its two places is `common`. */
static enum outcome follow(const struct undefined_step *first, uint64_t start, uint64_t common,
    code_reader reader, void *context)
{
	struct way way = {.state = *first->state, .regs = *first->regs, .step = *first};
	uint8_t bytes[DECODE_INSTRUCTION_MAX];
	bool known = true, taken;

	way.step.state = &way.state;
	way.step.regs = &way.regs;
	way.regs.rip = start;
	for (unsigned i = 0; i < STEPS_MAX; i++) {
		const size_t length = reader(context, way.regs.rip, bytes, sizeof bytes);

		if (length == 0 || !undefined_decode(&way.step, bytes, length))
			return OTHERWISE;
		if (is_branch(&way.step))
			break;
		if (flow_jumps(bytes, length))
			return OTHERWISE;
		if (!pass(&way)) { /* what it does is not known; whether it is a way is */
			known = false;
			way.regs.rip = next_of(&way.step);
		}
	}
	if (!is_branch(&way.step) ||
	    (target_of(&way.step) != common && next_of(&way.step) != common))
		return OTHERWISE;
	if (!known || !is_plain(&way) ||
	    undefined_condition(&way.step, way.step.decoded.instruction.opcode & 15u))
		return LEADS_THERE;
	taken = flow_condition_holds(way.step.decoded.instruction.opcode & 15u, way.regs.eflags);
	return (taken ? target_of(&way.step) : next_of(&way.step)) == common ? LEADS_THERE
									     : LEADS_ELSEWHERE;
}

bool joined_counts(const struct undefined_step *step, code_reader reader, void *context)
{
	const uint64_t target = target_of(step), next = next_of(step);

	if (!is_branch(step))
		return true;
	return follow(step, next, target, reader, context) != LEADS_THERE &&
	       follow(step, target, next, reader, context) != LEADS_THERE;
}
