/*
 * Arithmetic and logic on general registers and memory. A sum is undefined in those bits in which
 * the least and the most that it can be differ.
 */
#include "worker/softpmu/follow/undefinedstep.h"

#include "worker/x86/eflags.h"
#include "worker/x86/flow.h"

enum { RAX = 0, RCX = 1, RDX = 2 };

typedef struct undefined_value value;

static const value none;

static const ZydisDecodedOperand *operand(const struct undefined_step *step, unsigned i)
{
	return &step->decoded.operands[i];
}

static uint16_t from_of(const value *one, const value *other)
{
	return one->undefined ? one->from : other->from;
}

static uint64_t least(const value *it)
{
	return it->bits & ~it->undefined;
}

static uint64_t most(const value *it)
{
	return it->bits | it->undefined;
}

static value carry_of(const struct undefined_step *step)
{
	return (value){.bits = step->regs->eflags & FLAG_CARRY,
	    .undefined = step->state->flags & FLAG_CARRY,
	    .from = step->state->flags_from};
}

static value add(const value *one, const value *other, const value *carry)
{
	const uint64_t low = least(one) + least(other) + least(carry);
	const uint64_t high = most(one) + most(other) + most(carry);
	const uint64_t undefined = one->undefined | other->undefined;

	return (value){.bits = one->bits + other->bits + carry->bits,
	    .undefined = (low ^ high) | undefined | carry->undefined,
	    .from = undefined ? from_of(one, other) : carry->from};
}

static value subtract(const value *one, const value *other, const value *carry)
{
	const uint64_t low = least(one) - most(other) - most(carry);
	const uint64_t high = most(one) - least(other) - least(carry);
	const uint64_t undefined = one->undefined | other->undefined;

	return (value){.bits = one->bits - other->bits - carry->bits,
	    .undefined = (low ^ high) | undefined | carry->undefined,
	    .from = undefined ? from_of(one, other) : carry->from};
}

static value bits_and(const value *one, const value *other)
{
	return (value){.bits = one->bits & other->bits,
	    .undefined = (one->undefined & other->undefined) | (one->undefined & other->bits) |
			 (other->undefined & one->bits),
	    .from = from_of(one, other)};
}

static value bits_or(const value *one, const value *other)
{
	return (value){.bits = one->bits | other->bits,
	    .undefined = (one->undefined & other->undefined) | (one->undefined & ~other->bits) |
			 (other->undefined & ~one->bits),
	    .from = from_of(one, other)};
}

static value bits_xor(const value *one, const value *other)
{
	return (value){.bits = one->bits ^ other->bits,
	    .undefined = one->undefined | other->undefined,
	    .from = from_of(one, other)};
}

static value cut(value what, unsigned size)
{
	what.bits &= undefined_all(size);
	what.undefined &= undefined_all(size);
	return what;
}

static bool is_itself(const struct undefined_step *step)
{
	return operand(step, 0)->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operand(step, 1)->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operand(step, 0)->reg.value == operand(step, 1)->reg.value;
}

/* ---- Two operands ---------------------------------------------------------------------------- */

static void add_with(struct undefined_step *step, value one, value other, value carry)
{
	const unsigned size = undefined_size(operand(step, 0));
	const value sum = cut(add(&one, &other, &carry), size);

	undefined_flags_of_result(step->state, &sum, size);
	if (sum.undefined >> (8 * size - 1) & 1) /* the carry out of what it can be at most */
		step->state->flags |= FLAG_CARRY | FLAG_OVERFLOW;
	undefined_set(step, operand(step, 0), sum.undefined, sum.from);
}

static void subtract_from(struct undefined_step *step, value one, value other)
{
	const unsigned size = undefined_size(operand(step, 0));
	value rest;

	if (is_itself(step))
		one.undefined = other.undefined = 0;
	rest = cut(subtract(&one, &other, &none), size);
	undefined_flags_of_compare(step->state, &one, &other, size);
	undefined_set(step, operand(step, 0), rest.undefined, rest.from);
}

static void subtract_with_carry(struct undefined_step *step, value one, value other)
{
	const unsigned size = undefined_size(operand(step, 0));
	const value carry = carry_of(step);
	value rest;

	/* All of its bits are the carry. */
	if (is_itself(step)) {
		undefined_set(step, operand(step, 0), carry.undefined ? UINT64_MAX : 0, carry.from);
		return;
	}
	rest = cut(subtract(&one, &other, &carry), size);
	undefined_flags_of_result(step->state, &rest, size);
	undefined_set(step, operand(step, 0), rest.undefined, rest.from);
}

static void logic(struct undefined_step *step, value one, value other)
{
	const unsigned size = undefined_size(operand(step, 0));
	value result;

	switch (step->decoded.instruction.mnemonic) {
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_TEST:
		result = bits_and(&one, &other);
		break;
	case ZYDIS_MNEMONIC_OR:
		result = bits_or(&one, &other);
		break;
	default:
		if (is_itself(step))
			one.undefined = other.undefined = 0;
		result = bits_xor(&one, &other);
	}
	undefined_flags_of_result(step->state, &result, size);
	if (step->decoded.instruction.mnemonic != ZYDIS_MNEMONIC_TEST)
		undefined_set(step, operand(step, 0), result.undefined, result.from);
}

static void exchange_add(struct undefined_step *step, value one, value other)
{
	add_with(step, one, other, none);
	undefined_set(step, operand(step, 1), one.undefined, one.from);
}

static bool two_operands(struct undefined_step *step)
{
	value one, other;

	if (!undefined_get(step, operand(step, 0), &one) ||
	    !undefined_get(step, operand(step, 1), &other))
		return false;
	switch (step->decoded.instruction.mnemonic) {
	case ZYDIS_MNEMONIC_ADD:
		add_with(step, one, other, none);
		return true;
	case ZYDIS_MNEMONIC_ADC:
		add_with(step, one, other, carry_of(step));
		return true;
	case ZYDIS_MNEMONIC_SUB:
		subtract_from(step, one, other);
		return true;
	case ZYDIS_MNEMONIC_SBB:
		subtract_with_carry(step, one, other);
		return true;
	case ZYDIS_MNEMONIC_CMP:
		if (is_itself(step))
			one.undefined = other.undefined = 0;
		undefined_flags_of_compare(
		    step->state, &one, &other, undefined_size(operand(step, 0)));
		return true;
	case ZYDIS_MNEMONIC_XADD:
		exchange_add(step, one, other);
		return true;
	case ZYDIS_MNEMONIC_XCHG:
		undefined_set(step, operand(step, 0), other.undefined, other.from);
		undefined_set(step, operand(step, 1), one.undefined, one.from);
		return true;
	default:
		logic(step, one, other);
		return true;
	}
}

/* ---- One operand ----------------------------------------------------------------------------- */

static bool one_operand(struct undefined_step *step)
{
	const unsigned size = undefined_size(operand(step, 0));
	const uint32_t carry = step->state->flags & FLAG_CARRY;
	const value one = {.bits = 1};
	value it, result;

	if (!undefined_get(step, operand(step, 0), &it))
		return false;
	switch (step->decoded.instruction.mnemonic) {
	case ZYDIS_MNEMONIC_NOT:
		undefined_set(step, operand(step, 0), it.undefined, it.from);
		return true;
	case ZYDIS_MNEMONIC_NEG:
		result = cut(subtract(&none, &it, &none), size);
		undefined_flags_of_compare(step->state, &none, &it, size);
		break;
	default:
		result = step->decoded.instruction.mnemonic == ZYDIS_MNEMONIC_INC
			     ? cut(add(&it, &one, &none), size)
			     : cut(subtract(&it, &one, &none), size);
		undefined_flags_of_result(step->state, &result, size);
		step->state->flags |= carry;
	}
	undefined_set(step, operand(step, 0), result.undefined, result.from);
	return true;
}

/* ---- Multiplication, bits -------------------------------------------------------------------- */

static bool is_zero(const value *it)
{
	return !it->undefined && !it->bits;
}

/* From the lowest undefined bit on. */
static uint64_t upwards(uint64_t undefined)
{
	return undefined | -undefined;
}

static bool multiply(struct undefined_step *step)
{
	const unsigned visible = step->decoded.instruction.operand_count_visible;
	const unsigned first = visible == 3 ? 1 : 0;
	const bool wide = visible == 1;
	value one, other;
	uint64_t undefined, all = undefined_all(undefined_size(operand(step, 0)));

	/* Of bytes and words, not all of the two registers is written. */
	if (wide && undefined_size(operand(step, 0)) < 4)
		return false;
	if (!undefined_get(step, operand(step, first), &one) ||
	    !undefined_get(step, operand(step, first + 1), &other))
		return false;
	undefined = upwards(one.undefined | other.undefined);
	if (is_zero(&one) || is_zero(&other))
		undefined = 0;
	undefined_flags_set(step->state,
	    FLAG_CARRY | FLAG_OVERFLOW | FLAG_SIGN | FLAG_ZERO | FLAG_PARITY, false, 0);
	undefined_flags_set(
	    step->state, FLAG_CARRY | FLAG_OVERFLOW, undefined, from_of(&one, &other));
	if (!wide) {
		undefined_set(step, operand(step, 0), undefined, from_of(&one, &other));
		return true;
	}
	undefined_set_register(step->state, RAX, undefined & all, from_of(&one, &other));
	undefined_set_register(step->state, RDX, undefined ? all : 0, from_of(&one, &other));
	return true;
}

static bool divide(struct undefined_step *step)
{
	struct undefined *state = step->state;
	value by;
	uint64_t undefined;

	if (!undefined_get(step, operand(step, 0), &by) || undefined_size(operand(step, 0)) < 4)
		return false;
	undefined = by.undefined || state->general[RAX] || state->general[RDX] ? UINT64_MAX : 0;
	undefined_flags_set(state, UINT32_MAX, false, 0);
	if (undefined_size(operand(step, 0)) == 4)
		undefined &= UINT32_MAX;
	if (!by.undefined)
		by.from = state->general[RAX] ? state->general_from[RAX] : state->general_from[RDX];
	undefined_set_register(state, RAX, undefined, by.from);
	undefined_set_register(state, RDX, undefined, by.from);
	return true;
}

/* The number of the first bit that is set, of those that can decide it. */
static bool count_bits(struct undefined_step *step)
{
	value it;
	uint64_t lower, known;

	if (!undefined_get(step, operand(step, 1), &it))
		return false;
	known = it.bits & ~it.undefined;
	switch (step->decoded.instruction.mnemonic) {
	case ZYDIS_MNEMONIC_BSF:
	case ZYDIS_MNEMONIC_TZCNT:
		lower = known ? (known & -known) - 1 : UINT64_MAX;
		it.undefined &= lower;
		break;
	case ZYDIS_MNEMONIC_BSR:
	case ZYDIS_MNEMONIC_LZCNT:
		lower = known ? UINT64_MAX >> __builtin_clzll(known) : 0;
		it.undefined &= ~lower;
		break;
	default:
		break;
	}
	undefined_flags_set(step->state, UINT32_MAX, false, 0);
	undefined_flags_set(step->state, FLAG_ZERO | FLAG_CARRY, it.undefined && !known, it.from);
	undefined_set(step, operand(step, 0), it.undefined ? 0x7f : 0, it.from);
	return true;
}

static bool test_bit(struct undefined_step *step)
{
	const ZydisMnemonic mnemonic = step->decoded.instruction.mnemonic;
	const unsigned bits = operand(step, 0)->size;
	value it, number;
	uint64_t bit;

	/* In memory, a number in a register goes beyond the operand. */
	if ((operand(step, 0)->type == ZYDIS_OPERAND_TYPE_MEMORY &&
		operand(step, 1)->type == ZYDIS_OPERAND_TYPE_REGISTER) ||
	    !undefined_get(step, operand(step, 0), &it) ||
	    !undefined_get(step, operand(step, 1), &number) || bits == 0)
		return false;
	bit = 1ull << (number.bits & (bits - 1));
	undefined_flags_set(step->state, UINT32_MAX, false, 0);
	undefined_flags_set(step->state, FLAG_CARRY,
	    (it.undefined & bit) || (number.undefined & (bits - 1)),
	    it.undefined ? it.from : number.from);
	if (mnemonic == ZYDIS_MNEMONIC_BTS || mnemonic == ZYDIS_MNEMONIC_BTR)
		undefined_set(step, operand(step, 0), it.undefined & ~bit, it.from);
	return true;
}

/* ---- Addresses, conditions ------------------------------------------------------------------- */

static value register_of(const struct undefined_step *step, ZydisRegister reg, uint64_t scale)
{
	const ZydisDecodedOperand named = {.type = ZYDIS_OPERAND_TYPE_REGISTER, .reg.value = reg};
	value it = {0};

	if (reg == ZYDIS_REGISTER_NONE || reg == ZYDIS_REGISTER_RIP ||
	    !undefined_get(step, &named, &it))
		return (value){0};
	it.bits *= scale;
	it.undefined *= scale;
	return it;
}

static bool load_address(struct undefined_step *step)
{
	const ZydisDecodedOperandMem *memory = &operand(step, 1)->mem;
	const value base = register_of(step, memory->base, 1);
	const value index = register_of(step, memory->index, memory->scale);
	const value offset = {.bits = (uint64_t)memory->disp.value};
	const value sum = add(&base, &index, &none);
	const value address = add(&sum, &offset, &none);

	undefined_set(step, operand(step, 0), address.undefined, address.from);
	return true;
}

static bool move_if(struct undefined_step *step)
{
	const unsigned condition = step->decoded.instruction.opcode & 15u;
	value kept, other;

	if (!undefined_get(step, operand(step, 0), &kept) ||
	    !undefined_get(step, operand(step, 1), &other))
		return false;
	if (undefined_condition(step, condition)) {
		const bool same = kept.bits == other.bits;

		undefined_set(step, operand(step, 0),
		    same ? kept.undefined | other.undefined : UINT64_MAX, step->state->flags_from);
		return true;
	}
	if (flow_condition_holds(condition, step->regs->eflags))
		kept = other;
	undefined_set(step, operand(step, 0), kept.undefined, kept.from);
	return true;
}

static bool set_if(struct undefined_step *step)
{
	undefined_set(step, operand(step, 0),
	    undefined_condition(step, step->decoded.instruction.opcode & 15u),
	    step->state->flags_from);
	return true;
}

/* cdq and the like: rax's sign. */
static bool extend(struct undefined_step *step, unsigned size, bool into_rdx)
{
	struct undefined *state = step->state;
	const uint64_t sign = state->general[RAX] >> (8 * size - 1) & 1;
	const uint64_t kept = size == 2 ? ~(uint64_t)UINT16_MAX : 0;

	if (into_rdx) {
		undefined_set_register(state, RDX,
		    (state->general[RDX] & kept) | (sign ? undefined_all(size) : 0),
		    state->general_from[RAX]);
		return true;
	}
	state->general[RAX] &= undefined_all(size);
	if (sign)
		state->general[RAX] |= undefined_all(2 * size) & ~undefined_all(size);
	return true;
}

static bool compare_exchange(struct undefined_step *step)
{
	const unsigned size = undefined_size(operand(step, 0));
	value it, other, expected = {0};

	if (!undefined_get(step, operand(step, 0), &it) ||
	    !undefined_get(step, operand(step, 1), &other))
		return false;
	expected = (value){.bits = step->regs->rax & undefined_all(size),
	    .undefined = step->state->general[RAX] & undefined_all(size),
	    .from = step->state->general_from[RAX]};
	undefined_flags_of_compare(step->state, &expected, &it, size);
	if (expected.bits == it.bits)
		undefined_set(step, operand(step, 0), other.undefined, other.from);
	else
		undefined_set_register(step->state, RAX, it.undefined, it.from);
	return true;
}

static bool arithmetic_of_register(struct undefined_step *step)
{
	switch (step->decoded.instruction.mnemonic) {
	case ZYDIS_MNEMONIC_LEA:
		return load_address(step);
	case ZYDIS_MNEMONIC_CBW:
		return false;
	case ZYDIS_MNEMONIC_CWDE:
		return extend(step, 2, false);
	case ZYDIS_MNEMONIC_CDQE:
		return extend(step, 4, false);
	case ZYDIS_MNEMONIC_CWD:
		return extend(step, 2, true);
	case ZYDIS_MNEMONIC_CDQ:
		return extend(step, 4, true);
	case ZYDIS_MNEMONIC_CQO:
		return extend(step, 8, true);
	case ZYDIS_MNEMONIC_CMPXCHG:
		return compare_exchange(step);
	case ZYDIS_MNEMONIC_BSF:
	case ZYDIS_MNEMONIC_BSR:
	case ZYDIS_MNEMONIC_TZCNT:
	case ZYDIS_MNEMONIC_LZCNT:
	case ZYDIS_MNEMONIC_POPCNT:
		return count_bits(step);
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTS:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTC:
		return test_bit(step);
	default:
		if (instruction_is_cmov(&step->decoded))
			return move_if(step);
		if (step->decoded.instruction.meta.category == ZYDIS_CATEGORY_SETCC)
			return set_if(step);
		return undefined_shift(step);
	}
}

bool undefined_arithmetic(struct undefined_step *step)
{
	if (step->decoded.instruction.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return false;
	switch (step->decoded.instruction.mnemonic) {
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_ADC:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_SBB:
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_TEST:
	case ZYDIS_MNEMONIC_OR:
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_XADD:
	case ZYDIS_MNEMONIC_XCHG:
		return two_operands(step);
	case ZYDIS_MNEMONIC_NOT:
	case ZYDIS_MNEMONIC_NEG:
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
		return one_operand(step);
	case ZYDIS_MNEMONIC_MUL:
	case ZYDIS_MNEMONIC_IMUL:
		return multiply(step);
	case ZYDIS_MNEMONIC_DIV:
	case ZYDIS_MNEMONIC_IDIV:
		return divide(step);
	default:
		return arithmetic_of_register(step);
	}
}
