/*
 * Where accesses go: arithmetic on registers, which belong to the recorded program.
 */
#include "worker/x86/accesses.h"

#include "worker/x86/decode.h"
#include "worker/x86/eflags.h"

enum {
	RCX = 1,
	STATE_BYTES = 1 << 14, /* what xsave may write; more than any processor has */
};

uint32_t access_most(const struct access *access)
{
	return access->size ? access->size : STATE_BYTES;
}

/* The address of the bits in a string of bits where this one is. */
static int64_t bit_distance(const struct access *access, uint64_t number)
{
	switch (access->size) {
	case 2:
		return ((int16_t)number >> 4) * 2;
	case 4:
		return ((int32_t)number >> 5) * (int64_t)4;
	default:
		return ((int64_t)number >> 6) * 8;
	}
}

uint64_t access_address(const struct access *access, const struct access_values *values)
{
	uint64_t address =
	    (uint64_t)access->displacement + values->base + values->index * access->scale;

	if (access->kind == ACCESS_BITS)
		address += (uint64_t)bit_distance(access, values->number);
	else if (access->kind == ACCESS_TABLE)
		address += (uint8_t)values->number;
	if (access->short_address)
		address = (uint32_t)address;
	return address + values->segment;
}

static uint64_t register_or_nothing(const struct user_regs_struct *regs, uint8_t number)
{
	return number == ACCESS_NO_REGISTER ? 0 : decode_register(regs, number);
}

static void repeat(const struct access *access, const struct user_regs_struct *regs, bool all,
    uint64_t *start, uint64_t *end)
{
	uint64_t times = decode_register(regs, RCX), more;

	if (access->short_address)
		times = (uint32_t)times;
	if (times == 0) {
		*end = *start;
		return;
	}
	more = all ? (times - 1) * access->size : 0;
	if (times - 1 > UINT64_MAX / access->size) {
		*start = 0;
		*end = UINT64_MAX;
	} else if (regs->eflags & FLAG_DIRECTION) {
		*start = *start < more ? 0 : *start - more;
	} else {
		*end = *end > UINT64_MAX - more ? UINT64_MAX : *end + more;
	}
}

static uint64_t ones(unsigned count)
{
	return count >= 64 ? UINT64_MAX : (1ull << count) - 1;
}

/* From the first element that is written to the last; between them may be others. */
static void select_elements(
    const struct access *access, uint64_t mask, uint64_t *start, uint64_t *end)
{
	const unsigned count = access->size / access->element;
	uint64_t first = *start;

	mask &= ones(count);
	*end = first;
	if (mask == 0)
		return;
	*start = first + (uint64_t)__builtin_ctzll(mask) * access->element;
	*end = first + (64 - (uint64_t)__builtin_clzll(mask)) * access->element;
}

void accesses_range(const struct access *access, const struct user_regs_struct *regs,
    const uint64_t *masks, bool all, uint64_t *start, uint64_t *end)
{
	const uint32_t size = access_most(access);
	const struct access_values values = {
	    .base = register_or_nothing(regs, access->base),
	    .index = register_or_nothing(regs, access->index),
	    .number = register_or_nothing(regs, access->number),
	    .segment = access->segment == 'f'	? regs->fs_base
		       : access->segment == 'g' ? regs->gs_base
						: 0,
	};
	uint64_t address;

	if (access->kind == ACCESS_VECTOR) {
		*start = 0;
		*end = UINT64_MAX;
		return;
	}
	address = access_address(access, &values);
	*start = address;
	*end = address > UINT64_MAX - size ? UINT64_MAX : address + size;
	/* What reads with a mask may read the rest, too. */
	if (access->mask && access->by_element && access->writes && masks && *end == address + size)
		select_elements(access, masks[access->mask], start, end);
	if (access->kind == ACCESS_STRING)
		repeat(access, regs, all, start, end);
}

uint64_t accesses_selected(const struct access *access, uint64_t elements)
{
	const unsigned count = access->element ? access->size / access->element : 0;
	uint64_t selected = 0;

	if (count == 0 || access->size > 64)
		return 0;
	if (access->packed)
		return ones(
		    (unsigned)__builtin_popcountll(elements & ones(count)) * access->element);
	/* One element, for one or for all of the vector's. */
	if (!access->by_element)
		return count == 1 && elements ? ones(access->element) : 0;
	for (unsigned i = 0; i < count; i++) {
		if (elements >> i & 1)
			selected |= ones(access->element) << i * access->element;
	}
	return selected;
}

bool accesses_next_run(uint64_t *selected, unsigned *first, unsigned *count)
{
	uint64_t rest;

	if (*selected == 0)
		return false;
	*first = (unsigned)__builtin_ctzll(*selected);
	rest = ~(*selected >> *first);
	*count = rest ? (unsigned)__builtin_ctzll(rest) : 64;
	if (*count > 64 - *first)
		*count = 64 - *first;
	*selected &= ~(ones(*count) << *first);
	return true;
}

uint64_t accesses_first(
    const struct access *access, const struct user_regs_struct *regs, uint64_t start, uint64_t end)
{
	uint64_t first, last;

	accesses_range(access, regs, NULL, false, &first, &last);
	if (first < end && start < last)
		return 0;
	if (regs->eflags & FLAG_DIRECTION)
		return first < start ? UINT64_MAX : (first - end) / access->size + 1;
	return first > start ? UINT64_MAX : (start - first) / access->size;
}
