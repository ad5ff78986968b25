/*
 * Which flags are undefined. Where two values were compared, by what both of them can be at least
 * and at most.
 */
#include "worker/softpmu/follow/undefinedstep.h"

#include "worker/x86/eflags.h"

enum {
	NIBBLE = 15,
	BYTE = 255,
};

static uint64_t sign_of(unsigned size)
{
	return 1ull << (8 * size - 1);
}

/* Without the bits that are undefined, and with all of them. */
static uint64_t least(const struct undefined_value *value)
{
	return value->bits & ~value->undefined;
}

static uint64_t most(const struct undefined_value *value)
{
	return value->bits | value->undefined;
}

/* The same for signed values, in an order that unsigned ones have. */
static uint64_t least_signed(const struct undefined_value *value, unsigned size)
{
	const uint64_t sign = sign_of(size);

	return (least(value) | (value->undefined & sign)) ^ sign;
}

static uint64_t most_signed(const struct undefined_value *value, unsigned size)
{
	const uint64_t sign = sign_of(size);

	return (most(value) & ~(value->undefined & sign)) ^ sign;
}

void undefined_flags_set(struct undefined *state, uint32_t flags, bool undefined, uint16_t from)
{
	state->compared = false;
	state->flags &= ~flags;
	if (!undefined)
		return;
	state->flags |= flags;
	if (from)
		state->flags_from = from;
}

void undefined_flags_of_result(
    struct undefined *state, const struct undefined_value *result, unsigned size)
{
	const uint64_t undefined = result->undefined;

	undefined_flags_set(state, FLAG_STATUS, false, 0);
	if (!undefined)
		return;
	state->flags_from = result->from;
	/* A bit that is defined, and set, is enough. */
	if (least(result) == 0)
		state->flags |= FLAG_ZERO;
	if (undefined & sign_of(size))
		state->flags |= FLAG_SIGN;
	if (undefined & BYTE)
		state->flags |= FLAG_PARITY;
}

void undefined_flags_of_compare(struct undefined *state, const struct undefined_value *one,
    const struct undefined_value *other, unsigned size)
{
	const uint64_t undefined = one->undefined | other->undefined, sign = sign_of(size);

	undefined_flags_set(state, FLAG_STATUS, false, 0);
	if (!undefined)
		return;
	state->flags_from = one->undefined ? one->from : other->from;
	state->compared = true;
	state->compared_size = size;
	state->one = *one;
	state->other = *other;
	if (((one->bits ^ other->bits) & ~undefined) == 0)
		state->flags |= FLAG_ZERO;
	if (most(one) >= least(other) && least(one) < most(other))
		state->flags |= FLAG_CARRY;
	if ((((least(one) - most(other)) ^ (most(one) - least(other))) | undefined) & sign)
		state->flags |= FLAG_SIGN | FLAG_OVERFLOW;
	if (undefined & BYTE)
		state->flags |= FLAG_PARITY;
	if (undefined & NIBBLE)
		state->flags |= FLAG_ADJUST;
}

/* ---- Conditions ------------------------------------------------------------------------------ */

struct condition_flags {
	uint32_t undefined, set; /* set: and defined */
};

/* One less than other, and perhaps equal to it. */
static bool order_is_undefined(const struct undefined *state, bool is_signed, bool or_equal)
{
	const unsigned size = state->compared_size;
	const uint64_t low = is_signed ? least_signed(&state->one, size) : least(&state->one);
	const uint64_t high = is_signed ? most_signed(&state->one, size) : most(&state->one);
	const uint64_t other_low =
	    is_signed ? least_signed(&state->other, size) : least(&state->other);
	const uint64_t other_high =
	    is_signed ? most_signed(&state->other, size) : most(&state->other);

	if (or_equal)
		return !(high <= other_low || low > other_high);
	return !(high < other_low || low >= other_high);
}

static bool below_or_equal(const struct condition_flags *flags)
{
	const uint32_t meant = FLAG_CARRY | FLAG_ZERO;

	return (flags->undefined & meant) && !(flags->set & meant);
}

static bool less(const struct condition_flags *flags)
{
	return flags->undefined & (FLAG_SIGN | FLAG_OVERFLOW);
}

static bool less_or_equal(const struct condition_flags *flags)
{
	const bool sign = flags->set & FLAG_SIGN, overflow = flags->set & FLAG_OVERFLOW;

	if (flags->set & FLAG_ZERO)
		return false;
	return less(flags) || ((flags->undefined & FLAG_ZERO) && sign == overflow);
}

bool undefined_condition(const struct undefined_step *step, unsigned condition)
{
	const struct undefined *state = step->state;
	const struct condition_flags flags = {
	    .undefined = state->flags, .set = (uint32_t)step->regs->eflags & ~state->flags};

	if (state->flags == 0)
		return false;
	switch (condition >> 1 & 7) {
	case 0:
		return flags.undefined & FLAG_OVERFLOW;
	case 1:
		return flags.undefined & FLAG_CARRY;
	case 2:
		return flags.undefined & FLAG_ZERO;
	case 3:
		return state->compared ? order_is_undefined(state, false, true)
				       : below_or_equal(&flags);
	case 4:
		return flags.undefined & FLAG_SIGN;
	case 5:
		return flags.undefined & FLAG_PARITY;
	case 6:
		return state->compared ? order_is_undefined(state, true, false) : less(&flags);
	default:
		return state->compared ? order_is_undefined(state, true, true)
				       : less_or_equal(&flags);
	}
}
