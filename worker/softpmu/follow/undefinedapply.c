/*
 * Moves, the stack, uses, and what an instruction does that is not known: it defines all that it
 * writes.
 */
#include "worker/softpmu/follow/undefined.h"

#include <string.h>

#include "worker/x86/decode.h"
#include "worker/softpmu/follow/undefinedstep.h"

enum { RCX = 1, PIECE = 64 };

bool undefined_decode(struct undefined_step *step, const uint8_t *bytes, size_t length)
{
	if (!instruction_decode(bytes, length, &step->decoded))
		return false;
	accesses_decoded(
	    &step->decoded.instruction, step->decoded.operands, step->regs->rip, &step->accesses);
	return true;
}

bool undefined_is_clear(const struct undefined *state)
{
	uint64_t any = state->vectors | state->flags;

	for (unsigned i = 0; i < UNDEFINED_GENERAL; i++)
		any |= state->general[i];
	return any == 0;
}

static void forget_vector(struct undefined *state, unsigned number)
{
	if (state->vectors >> number & 1)
		memset(state->vector[number], 0, UNDEFINED_VECTOR);
	state->vectors &= ~(1u << number);
}

/* At a return, what the calling convention lets the called function leave over is nothing to the
 * caller. */
static void forget_scratch(struct undefined *state)
{
	/* rcx, rsi, rdi, r8 to r11; and of the vectors all but the two that return values. */
	static const uint8_t scratch[] = {1, 6, 7, 8, 9, 10, 11};
	enum { RETURNED = 2 };

	for (unsigned i = 0; i < sizeof scratch; i++)
		state->general[scratch[i]] = 0;
	for (unsigned i = RETURNED; i < UNDEFINED_VECTORS && state->vectors; i++)
		forget_vector(state, i);
	state->flags = 0;
}

/* ---- Uses ------------------------------------------------------------------------------------ */

static bool is_string(const ZydisDecodedInstruction *z)
{
	return z->meta.category == ZYDIS_CATEGORY_STRINGOP;
}

static bool repeats(const ZydisDecodedInstruction *z)
{
	return is_string(z) && (z->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
						    ZYDIS_ATTRIB_HAS_REPNE));
}

static bool register_is_used(const struct undefined *state, uint8_t number, uint16_t *from)
{
	if (number >= UNDEFINED_GENERAL || state->general[number] == 0)
		return false;
	*from = state->general_from[number];
	return true;
}

static bool address_is_used(const struct undefined_step *step, uint16_t *from)
{
	for (unsigned i = 0; i < step->accesses.count; i++) {
		const struct access *access = &step->accesses.list[i];

		if (!access->flushes && (register_is_used(step->state, access->base, from) ||
					    register_is_used(step->state, access->index, from)))
			return true;
	}
	return false;
}

static bool target_is_used(const struct undefined_step *step, uint16_t *from)
{
	const ZydisDecodedInstruction *z = &step->decoded.instruction;
	struct undefined_value target;

	if ((z->mnemonic != ZYDIS_MNEMONIC_JMP && z->mnemonic != ZYDIS_MNEMONIC_CALL) ||
	    !undefined_get(step, &step->decoded.operands[0], &target) || target.undefined == 0)
		return false;
	*from = target.from;
	return true;
}

enum undefined_use undefined_use(const struct undefined_step *step, uint16_t *from)
{
	const ZydisDecodedInstruction *z = &step->decoded.instruction;

	if (address_is_used(step, from))
		return UNDEFINED_ADDRESS;
	if (target_is_used(step, from))
		return UNDEFINED_JUMP;
	if (repeats(z) && register_is_used(step->state, RCX, from))
		return UNDEFINED_BRANCH;
	if (z->meta.category != ZYDIS_CATEGORY_COND_BR)
		return UNDEFINED_NO_USE;
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_JCXZ:
	case ZYDIS_MNEMONIC_JECXZ:
	case ZYDIS_MNEMONIC_JRCXZ:
	case ZYDIS_MNEMONIC_LOOP:
	case ZYDIS_MNEMONIC_LOOPE:
	case ZYDIS_MNEMONIC_LOOPNE:
		return register_is_used(step->state, RCX, from) ? UNDEFINED_BRANCH
								: UNDEFINED_NO_USE;
	default:
		*from = step->state->flags_from;
		return undefined_condition(step, z->opcode & 15u) ? UNDEFINED_BRANCH
								  : UNDEFINED_NO_USE;
	}
}

/* ---- What it does ---------------------------------------------------------------------------- */

static void define_memory(struct undefined_step *step, const struct access *access)
{
	static const uint8_t none[PIECE];
	uint64_t start, end;

	if (!access->writes || access->flushes || access->kind == ACCESS_VECTOR)
		return;
	accesses_range(access, step->regs, NULL, true, &start, &end);
	if (accesses_is_masked(access) && undefined_define_selected(step, access, start))
		return;
	for (uint64_t at = start; at < end; at += PIECE)
		step->memory->store(step->memory->context, at, none,
		    end - at < PIECE ? (size_t)(end - at) : PIECE, 0);
}

static void define_register(struct undefined_step *step, const ZydisDecodedOperand *operand)
{
	struct piece piece;

	if (!instruction_piece(operand->reg.value, &piece))
		return;
	if (piece.vector)
		forget_vector(step->state, piece.number);
	else
		undefined_set(step, operand, 0, 0);
}

/* Also the vectors that it computes with: a search for strings reads beyond their ends, and comes
 * back to them. */
void undefined_define(struct undefined_step *step)
{
	const struct decoded *decoded = &step->decoded;

	for (unsigned i = 0; i < step->accesses.count; i++)
		define_memory(step, &step->accesses.list[i]);
	for (unsigned i = 0; i < decoded->instruction.operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    ((operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) ||
			undefined_is_vector(operand)))
			define_register(step, operand);
	}
	if (decoded->instruction.cpu_flags &&
	    (decoded->instruction.cpu_flags->modified | decoded->instruction.cpu_flags->set_0 |
		decoded->instruction.cpu_flags->set_1 | decoded->instruction.cpu_flags->undefined))
		undefined_flags_set(step->state, UINT32_MAX, false, 0);
	if (instruction_writes_all_vectors(decoded)) {
		for (unsigned i = 0; i < UNDEFINED_VECTORS; i++)
			forget_vector(step->state, i);
	}
}

static bool move_general(struct undefined_step *step)
{
	const ZydisDecodedOperand *operands = step->decoded.operands;
	const unsigned size = undefined_size(&operands[1]);
	struct undefined_value it;
	struct piece piece;

	if (!instruction_is_move(&step->decoded) || !undefined_get(step, &operands[1], &it) ||
	    (operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		!instruction_piece(operands[0].reg.value, &piece)))
		return false;
	if (instruction_extends_sign(&step->decoded) && size < 8 &&
	    (it.undefined >> (8 * size - 1) & 1))
		it.undefined |= ~undefined_all(size);
	undefined_set(step, &operands[0], it.undefined, it.from);
	return true;
}

/* The operand that is the word on the stack; NULL: it has none. */
static const ZydisDecodedOperand *on_stack(const struct undefined_step *step)
{
	const struct decoded *decoded = &step->decoded;

	for (unsigned i = decoded->instruction.operand_count_visible;
	     i < decoded->instruction.operand_count; i++) {
		if (decoded->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
			return &decoded->operands[i];
	}
	return NULL;
}

static bool move_by_stack(struct undefined_step *step)
{
	const ZydisDecodedOperand *operands = step->decoded.operands, *word = on_stack(step);
	const bool pushes = step->decoded.instruction.mnemonic == ZYDIS_MNEMONIC_PUSH;
	struct undefined_value it;

	if (!word || undefined_size(word) != 8 ||
	    !undefined_get(step, pushes ? operands : word, &it))
		return false;
	undefined_set(step, pushes ? word : operands, it.undefined, it.from);
	return true;
}

static bool leave(struct undefined_step *step)
{
	enum { RBP = 5, RSP = 4 };
	uint64_t undefined = 0;
	const uint16_t from = step->memory->load(
	    step->memory->context, step->regs->rbp, (uint8_t *)&undefined, sizeof undefined);

	undefined_set_register(step->state, RBP, undefined, from);
	undefined_set_register(step->state, RSP, 0, 0);
	return true;
}

/* One repetition of a string instruction, or none. */
static bool move_string(struct undefined_step *step)
{
	const ZydisDecodedInstruction *z = &step->decoded.instruction;
	struct undefined_value it;

	if (repeats(z) && step->regs->rcx == 0)
		return true;
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_MOVSB:
	case ZYDIS_MNEMONIC_MOVSW:
	case ZYDIS_MNEMONIC_MOVSD:
	case ZYDIS_MNEMONIC_MOVSQ:
	case ZYDIS_MNEMONIC_STOSB:
	case ZYDIS_MNEMONIC_STOSW:
	case ZYDIS_MNEMONIC_STOSD:
	case ZYDIS_MNEMONIC_STOSQ:
	case ZYDIS_MNEMONIC_LODSB:
	case ZYDIS_MNEMONIC_LODSW:
	case ZYDIS_MNEMONIC_LODSD:
	case ZYDIS_MNEMONIC_LODSQ:
		if (!undefined_get(step, &step->decoded.operands[1], &it))
			return false;
		undefined_set(step, &step->decoded.operands[0], it.undefined, it.from);
		return true;
	default:
		return false;
	}
}

static bool swap_bytes(struct undefined_step *step)
{
	const ZydisDecodedOperand *operand = &step->decoded.operands[0];
	struct undefined_value it;

	if (!undefined_get(step, operand, &it) || undefined_size(operand) < 4)
		return false;
	undefined_set(step, operand,
	    __builtin_bswap64(it.undefined) >> (64 - 8 * undefined_size(operand)), it.from);
	return true;
}

static bool known(struct undefined_step *step)
{
	const ZydisDecodedInstruction *z = &step->decoded.instruction;

	if (is_string(z))
		return move_string(step);
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_POP:
		return move_by_stack(step);
	case ZYDIS_MNEMONIC_LEAVE:
		return leave(step);
	case ZYDIS_MNEMONIC_BSWAP:
		return swap_bytes(step);
	case ZYDIS_MNEMONIC_NOP:
		return true;
	default:
		return undefined_vector(step) || move_general(step) || undefined_arithmetic(step);
	}
}

void undefined_apply(struct undefined_step *step)
{
	if (!known(step))
		undefined_define(step);
	if (step->decoded.instruction.mnemonic == ZYDIS_MNEMONIC_RET)
		forget_scratch(step->state);
}
