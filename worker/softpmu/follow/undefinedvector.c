/*
 * Moves of vectors, byte by byte, and arithmetic of single floating-point numbers. What computes
 * with whole vectors gives what is defined: searches for strings read beyond their ends on purpose.
 */
#include "worker/softpmu/follow/undefinedstep.h"

#include <string.h>

#include "worker/x86/eflags.h"

static const ZydisDecodedOperand *operand(const struct undefined_step *step, unsigned i)
{
	return &step->decoded.operands[i];
}

static bool has_vector(const struct undefined_step *step)
{
	for (unsigned i = 0; i < step->decoded.instruction.operand_count_visible; i++) {
		if (undefined_is_vector(operand(step, i)))
			return true;
	}
	return false;
}

static bool move(struct undefined_step *step)
{
	const ZydisDecodedOperand *source = instruction_moved(&step->decoded);
	uint8_t bytes[UNDEFINED_VECTOR];
	const unsigned to = undefined_size(operand(step, 0)),
		       most = instruction_most_moved(&step->decoded);
	unsigned size = undefined_size(source);
	uint16_t from = 0;

	if (!undefined_get_bytes(step, source, bytes, &from))
		return false;
	size = size < to ? size : to;
	undefined_put_bytes(step, operand(step, 0), bytes, size < most ? size : most, from);
	return true;
}

/* The low or high half of a vector, from or to memory, or the other half of another register. */
static bool move_half(struct undefined_step *step, unsigned to, unsigned from)
{
	enum { HALF = 8 };
	uint8_t bytes[UNDEFINED_VECTOR], old[UNDEFINED_VECTOR];
	uint16_t where = 0, kept = 0;

	if (!undefined_get_bytes(step, operand(step, 1), bytes, &where))
		return false;
	if (operand(step, 0)->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		undefined_put_bytes(step, operand(step, 0), bytes + from, HALF, where);
		return true;
	}
	if (!undefined_get_bytes(step, operand(step, 0), old, &kept))
		return false;
	if (operand(step, 1)->type == ZYDIS_OPERAND_TYPE_MEMORY)
		from = 0;
	memcpy(old + to, bytes + from, HALF);
	undefined_put_bytes(step, operand(step, 0), old, 2 * HALF, where ? where : kept);
	return true;
}

static bool exclusive_or(struct undefined_step *step)
{
	uint8_t one[UNDEFINED_VECTOR], other[UNDEFINED_VECTOR];
	const unsigned last = step->decoded.instruction.operand_count_visible - 1u;
	uint16_t from = 0, from_other = 0;

	if (instruction_is_masked(&step->decoded)) {
		return false;
	} else if (instruction_is_zero(&step->decoded)) {
		memset(one, 0, sizeof one);
	} else if (last >= 1 && undefined_get_bytes(step, operand(step, last - 1), one, &from) &&
		   undefined_get_bytes(step, operand(step, last), other, &from_other)) {
		for (unsigned i = 0; i < sizeof one; i++)
			one[i] |= other[i];
	} else {
		return false;
	}
	undefined_put_bytes(step, operand(step, 0), one, undefined_size(operand(step, 0)),
	    from ? from : from_other);
	return true;
}

static bool is_low_undefined(
    const struct undefined_step *step, const ZydisDecodedOperand *it, uint16_t *from)
{
	uint8_t bytes[UNDEFINED_VECTOR];
	unsigned size = it->element_size / 8u;
	uint16_t where = 0;
	bool any = false;

	if (!undefined_get_bytes(step, it, bytes, &where))
		return false;
	for (unsigned i = 0; i < size && i < sizeof bytes; i++)
		any |= bytes[i] != 0;
	if (any)
		*from = where;
	return any;
}

/* Of two numbers, or into another form: its result is undefined as a whole. */
static bool compute(struct undefined_step *step, unsigned size)
{
	const unsigned visible = step->decoded.instruction.operand_count_visible;
	uint8_t result[UNDEFINED_VECTOR];
	uint16_t from = 0, kept = 0;
	bool undefined = false;

	for (unsigned i = visible > 2 ? 1 : 0; i < visible; i++) {
		if (operand(step, i)->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
			undefined |= is_low_undefined(step, operand(step, i), &from);
	}
	if (!undefined_is_vector(operand(step, 0))) {
		undefined_set(step, operand(step, 0), undefined ? UINT64_MAX : 0, from);
		return true;
	}
	undefined_get_bytes(step, operand(step, visible > 2 ? 1 : 0), result, &kept);
	memset(result, undefined ? UINT8_MAX : 0, size);
	undefined_put_bytes(step, operand(step, 0), result, 16, undefined ? from : kept);
	return true;
}

static bool compare(struct undefined_step *step)
{
	uint16_t from = 0;
	bool undefined = is_low_undefined(step, operand(step, 0), &from);

	undefined |= is_low_undefined(step, operand(step, 1), &from);
	undefined_flags_set(step->state, UINT32_MAX, false, 0);
	undefined_flags_set(step->state, FLAG_ZERO | FLAG_CARRY | FLAG_PARITY, undefined, from);
	return true;
}

static bool single_number(struct undefined_step *step)
{
	enum { FLOAT = 4, DOUBLE = 8 };

	switch (step->decoded.instruction.mnemonic) {
	case ZYDIS_MNEMONIC_ADDSD:
	case ZYDIS_MNEMONIC_SUBSD:
	case ZYDIS_MNEMONIC_MULSD:
	case ZYDIS_MNEMONIC_DIVSD:
	case ZYDIS_MNEMONIC_CVTSS2SD:
	case ZYDIS_MNEMONIC_CVTTSD2SI:
	case ZYDIS_MNEMONIC_CVTSD2SI:
	case ZYDIS_MNEMONIC_CVTTSS2SI:
	case ZYDIS_MNEMONIC_CVTSS2SI:
		return compute(step, DOUBLE);
	case ZYDIS_MNEMONIC_ADDSS:
	case ZYDIS_MNEMONIC_SUBSS:
	case ZYDIS_MNEMONIC_MULSS:
	case ZYDIS_MNEMONIC_DIVSS:
	case ZYDIS_MNEMONIC_CVTSD2SS:
		return compute(step, FLOAT);
	case ZYDIS_MNEMONIC_COMISD:
	case ZYDIS_MNEMONIC_UCOMISD:
	case ZYDIS_MNEMONIC_COMISS:
	case ZYDIS_MNEMONIC_UCOMISS:
		return compare(step);
	default:
		return false;
	}
}

bool undefined_vector(struct undefined_step *step)
{
	enum { LOW = 0, HIGH = 8 };

	if (!has_vector(step))
		return false;
	if (instruction_is_move(&step->decoded))
		return move(step);
	if (instruction_is_masked_move(&step->decoded))
		return undefined_masked_move(step);
	switch (step->decoded.instruction.mnemonic) {
	case ZYDIS_MNEMONIC_MOVHPS:
	case ZYDIS_MNEMONIC_MOVHPD:
		return move_half(
		    step, HIGH, operand(step, 0)->type == ZYDIS_OPERAND_TYPE_MEMORY ? HIGH : LOW);
	case ZYDIS_MNEMONIC_MOVLPS:
	case ZYDIS_MNEMONIC_MOVLPD:
		return move_half(step, LOW, LOW);
	case ZYDIS_MNEMONIC_PUNPCKLQDQ:
	case ZYDIS_MNEMONIC_MOVLHPS:
	case ZYDIS_MNEMONIC_UNPCKLPD:
		return move_half(step, HIGH, LOW);
	case ZYDIS_MNEMONIC_PXOR:
	case ZYDIS_MNEMONIC_XORPS:
	case ZYDIS_MNEMONIC_XORPD:
	case ZYDIS_MNEMONIC_VPXOR:
	case ZYDIS_MNEMONIC_VPXORD:
	case ZYDIS_MNEMONIC_VPXORQ:
	case ZYDIS_MNEMONIC_VXORPS:
	case ZYDIS_MNEMONIC_VXORPD:
		return exclusive_or(step);
	default:
		return single_number(step);
	}
}
