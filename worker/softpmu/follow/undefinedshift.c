/*
 * Shifts and rotations move undefined bits along. By an undefined number of places, all are.
 */
#include "worker/softpmu/follow/undefinedstep.h"

#include "worker/x86/eflags.h"

static uint64_t turn(uint64_t bits, unsigned width, unsigned count)
{
	count %= width;
	return count == 0 ? bits : bits << count | bits >> (width - count);
}

/* An arithmetic shift to the right repeats the sign. */
static uint64_t with_sign(uint64_t bits, unsigned width, unsigned count)
{
	const uint64_t sign = bits >> (width - 1) & 1;
	const uint64_t all = undefined_all(width / 8);

	if (count >= width)
		return sign ? all : 0;
	return bits >> count | (sign && count > 0 ? all & ~(all >> count) : 0);
}

static uint64_t moved(ZydisMnemonic mnemonic, uint64_t bits, unsigned width, unsigned count)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_SHL:
		return count >= width ? 0 : bits << count;
	case ZYDIS_MNEMONIC_SHR:
		return count >= width ? 0 : bits >> count;
	case ZYDIS_MNEMONIC_SAR:
		return with_sign(bits, width, count);
	case ZYDIS_MNEMONIC_ROL:
		return turn(bits, width, count);
	default:
		return turn(bits, width, width - count % width);
	}
}

static bool is_shift(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_ROL:
	case ZYDIS_MNEMONIC_ROR:
		return true;
	default:
		return false;
	}
}

static void shift_flags(struct undefined_step *step, const struct undefined_value *it,
    const struct undefined_value *result, unsigned count)
{
	const unsigned width = step->decoded.operands[0].size;
	const bool left = step->decoded.instruction.mnemonic == ZYDIS_MNEMONIC_SHL;
	const unsigned out = left ? width - count : count - 1; /* the bit that becomes the carry */

	undefined_flags_of_result(step->state, result, width / 8);
	if (count <= width && (it->undefined >> out & 1)) {
		step->state->flags |= FLAG_CARRY;
		step->state->flags_from = it->from;
	}
}

static bool shift(struct undefined_step *step)
{
	const ZydisDecodedOperand *operands = step->decoded.operands;
	const ZydisMnemonic mnemonic = step->decoded.instruction.mnemonic;
	const bool turns = mnemonic == ZYDIS_MNEMONIC_ROL || mnemonic == ZYDIS_MNEMONIC_ROR;
	const unsigned width = operands[0].size, size = width / 8;
	const unsigned most = width == 64 ? 63 : 31;
	struct undefined_value it, by, result;
	unsigned count;

	if (width == 0 || !undefined_get(step, &operands[0], &it) ||
	    !undefined_get(step, &operands[1], &by))
		return false;
	count = (unsigned)by.bits & most;
	if (by.undefined & most) {
		undefined_flags_set(step->state, FLAG_STATUS, true, by.from);
		undefined_set(step, &operands[0], UINT64_MAX, by.from);
		return true;
	}
	if (count == 0)
		return true;
	result = (struct undefined_value){
	    .bits = moved(mnemonic, it.bits, width, count) & undefined_all(size),
	    .undefined = moved(mnemonic, it.undefined, width, count) & undefined_all(size),
	    .from = it.from};
	undefined_set(step, &operands[0], result.undefined, result.from);
	if (turns)
		undefined_flags_set(
		    step->state, FLAG_CARRY | FLAG_OVERFLOW, it.undefined != 0, it.from);
	else
		shift_flags(step, &it, &result, count);
	return true;
}

/* Bits from another register follow. */
static bool shift_double(struct undefined_step *step)
{
	const ZydisDecodedOperand *operands = step->decoded.operands;
	const bool left = step->decoded.instruction.mnemonic == ZYDIS_MNEMONIC_SHLD;
	const unsigned width = operands[0].size, most = width == 64 ? 63 : 31;
	struct undefined_value it, other, by;
	unsigned count;
	uint64_t undefined;

	if (width < 32 || !undefined_get(step, &operands[0], &it) ||
	    !undefined_get(step, &operands[1], &other) || !undefined_get(step, &operands[2], &by))
		return false;
	count = (unsigned)by.bits & most;
	if (count == 0 || by.undefined)
		return false;
	undefined = left ? it.undefined << count | other.undefined >> (width - count)
			 : it.undefined >> count | other.undefined << (width - count);
	undefined_flags_set(step->state, FLAG_STATUS, false, 0);
	undefined_set(step, &operands[0], undefined, it.undefined ? it.from : other.from);
	return true;
}

bool undefined_shift(struct undefined_step *step)
{
	const ZydisMnemonic mnemonic = step->decoded.instruction.mnemonic;

	if (mnemonic == ZYDIS_MNEMONIC_SHLD || mnemonic == ZYDIS_MNEMONIC_SHRD)
		return shift_double(step);
	return is_shift(mnemonic) && shift(step);
}
