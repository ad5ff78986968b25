/*
 * The list of places, and the way back. It must never be asked about an address that is no place:
 * the tracee only ever stops between instructions, and each of these has one.
 */
#include "worker/softpmu/cache/places.h"

#include <stdlib.h>
#include <string.h>

#include "worker/x86/flagwriter.h"

enum { PLACES_FIRST = 1 << 12, INSTRUCTION_MAX = 15 };

bool places_add(struct places *places, const struct place *place)
{
	if (places->count > 0 && places->list[places->count - 1].offset == place->offset &&
	    places->list[places->count - 1].original == place->original)
		places->count--;
	if (places->count == places->room) {
		size_t room = places->room ? places->room * 2 : PLACES_FIRST;
		struct place *larger = realloc(places->list, room * sizeof *larger);

		if (!larger)
			return false;
		places->list = larger;
		places->room = room;
	}
	places->list[places->count++] = *place;
	return true;
}

const struct place *places_find(const struct places *places, uint32_t offset)
{
	size_t low = 0, high = places->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (places->list[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && places->list[low - 1].offset == offset ? &places->list[low - 1] : NULL;
}

const struct place *places_before(const struct places *places, const struct place *place)
{
	return place > places->list && place[-1].offset == place->offset ? place - 1 : NULL;
}

bool places_copy(struct places *places, const struct places *from)
{
	struct place *larger = realloc(places->list, from->room * sizeof *larger);

	if (!larger)
		return false;
	memcpy(larger, from->list, from->count * sizeof *larger);
	*places = (struct places){.list = larger, .count = from->count, .room = from->room};
	return true;
}

void places_clear(struct places *places)
{
	places->count = 0;
}

void places_free(struct places *places)
{
	free(places->list);
	*places = (struct places){0};
}

/* The instruction that sets the spoilt flags again, done here. */
static void do_flag_writer(const uint8_t *code, size_t length, struct user_regs_struct *regs)
{
	size_t n = 1;

	while (n < length && n < INSTRUCTION_MAX && !flagwriter_is(code, n))
		n++;
	flagwriter_apply(code, n, regs);
}

bool places_recover(const struct place *place, uint64_t rcx, uint64_t rax, const uint8_t *code,
    size_t length, struct user_regs_struct *regs)
{
	uint64_t target = regs->rcx;

	if (place->flags & PLACE_RCX_SAVED)
		regs->rcx = rcx;
	if (place->flags & PLACE_RAX_SAVED)
		regs->rax = rax;
	switch ((enum place_kind)place->kind) {
	case PLACE_AT:
	case PLACE_ASKS:
	case PLACE_LOOKS:
	case PLACE_LOOKED:
	case PLACE_PEEKED:
	case PLACE_JUDGES:
	case PLACE_CHANGES:
	case PLACE_CHECKS:
		regs->rip = place->original;
		break;
	case PLACE_PART:
		regs->rip = place->original;
		regs->rcx += rcx;
		break;
	case PLACE_RETURNED:
		regs->rip = place->original;
		regs->rsp -= sizeof(uint64_t);
		break;
	case PLACE_AT_TARGET:
		regs->rip = target;
		break;
	case PLACE_PAST_CHECK:
		regs->rip = target + place->original;
		break;
	case PLACE_SPOILT:
		regs->rip = place->original;
		if ((size_t)place->distance < length)
			do_flag_writer(
			    code + place->distance, length - (size_t)place->distance, regs);
		break;
	}
	return place->flags & PLACE_PENDING;
}
