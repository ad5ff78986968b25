/*
 * It is mapped far from where programs are, and never over the program's memory, see memfile.h.
 *
 * LIMIT: a program may map something over it later, at an address that it chooses itself. Then its
 * heap is not checked there; nothing else comes of it, because an access is judged by what is
 * mapped here.
 */
#include "worker/softpmu/scan/heapshadow.h"

#include <string.h>
#include <sys/mman.h>

#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/memfile.h"
#include "worker/softpmu/cache/space.h"

enum {
	LEAST_SEGMENTS = 8, /* a shadow that is smaller is none */
};

#define PLACE 0x100000000000ull /* in the program */

static uint64_t size_of(unsigned segments)
{
	return segments * SHADOW_STRIDE;
}

bool heapshadow_overlaps(const struct heapshadow *shadow, uint64_t start, uint64_t end)
{
	return shadow->memory && start < shadow->there + size_of(shadow->room) &&
	       end > shadow->there;
}

void heapshadow_free(struct heapshadow *shadow)
{
	if (shadow->memory) {
		kernel_call(SYS_madvise, (long)shadow->memory, (long)size_of(shadow->room),
		    MADV_REMOVE, 0, 0, 0);
		memfile_unmap_here(shadow->memory, size_of(shadow->room));
	}
	*shadow = (struct heapshadow){0};
}

/* Both have it mapped, or neither. */
static void map_both(struct heapshadow *shadow, struct injection *injection,
    const struct memfile *file, unsigned segments, int rights)
{
	const uint64_t size = size_of(segments);
	uint8_t *memory = memfile_may_be(size) ? memfile_map_here(file, size, MAP_NORESERVE) : NULL;

	if (!memory)
		return;
	if (memfile_map_there(file, injection, PLACE, size, rights, MAP_NORESERVE, 0)) {
		shadow->memory = memory;
		shadow->there = PLACE;
		shadow->room = segments;
	} else {
		memfile_unmap_here(memory, size);
	}
}

static void share(struct heapshadow *shadow, struct injection *injection, int rights)
{
	struct memfile file = memfile_make(injection);

	for (unsigned n = SHADOW_SEGMENTS; file.here >= 0 && !shadow->memory && n >= LEAST_SEGMENTS;
	     n /= 2)
		map_both(shadow, injection, &file, n, rights);
	memfile_close(&file, injection);
}

bool heapshadow_map(
    struct heapshadow *shadow, pid_t tid, const struct user_regs_struct *regs, bool written)
{
	struct injection injection = {0};

	if (inject_begin(&injection, tid, regs)) {
		share(shadow, &injection, written ? PROT_READ | PROT_WRITE : PROT_READ);
		inject_end(&injection);
	}
	return shadow->memory;
}

static unsigned place_of(uint64_t address)
{
	return (address >> SHADOW_BITS) & (SHADOW_PLACES - 1);
}

uint8_t *heapshadow_of(const struct heapshadow *shadow, uint64_t address)
{
	const uint64_t start = address & ~(SHADOW_SEGMENT - 1);
	const unsigned i = shadow->at[place_of(address)];

	if (i == 0 || shadow->start[i - 1] != start)
		return NULL;
	return shadow->memory + (i - 1) * SHADOW_STRIDE + (address - start);
}

/* Another segment may have its place in the table. */
static bool add(struct heapshadow *shadow, uint64_t address, uint8_t use)
{
	if (shadow->count == shadow->room || shadow->at[place_of(address)]) {
		shadow->full = true;
		return false;
	}
	shadow->use[shadow->count] = use;
	shadow->start[shadow->count++] = address & ~(SHADOW_SEGMENT - 1);
	shadow->at[place_of(address)] = (uint16_t)shadow->count;
	return true;
}

void heapshadow_cover(struct heapshadow *shadow, uint64_t address)
{
	const unsigned i = shadow->at[place_of(address)];

	if (i == 0)
		add(shadow, address, SHADOW_STACK);
	else if (shadow->start[i - 1] == (address & ~(SHADOW_SEGMENT - 1)))
		shadow->use[i - 1] |= SHADOW_STACK;
}

/* Where the part of [start, end) that begins at start and is in one segment ends. */
static uint64_t end_in_segment(uint64_t start, uint64_t end)
{
	const uint64_t next = (start | (SHADOW_SEGMENT - 1)) + 1;

	return end < next ? end : next;
}

void heapshadow_mark(struct heapshadow *shadow, uint64_t start, uint64_t end, uint8_t value)
{
	for (uint64_t next; start < end; start = next) {
		uint8_t *at = heapshadow_of(shadow, start);

		next = end_in_segment(start, end);
		if (!at && value != SHADOW_CLEAR && add(shadow, start, SHADOW_HEAP))
			at = heapshadow_of(shadow, start);
		if (!at)
			continue;
		if (value != SHADOW_CLEAR)
			shadow->use[shadow->at[place_of(start)] - 1] |= SHADOW_HEAP;
		memset(at, value, next - start);
	}
}

uint8_t heapshadow_at(const struct heapshadow *shadow, uint64_t address)
{
	const uint8_t *at = heapshadow_of(shadow, address);

	return at ? *at : SHADOW_CLEAR;
}

uint64_t heapshadow_first(const struct heapshadow *shadow, uint64_t start, uint64_t end)
{
	for (uint64_t next; start < end; start = next) {
		const uint8_t *at = heapshadow_of(shadow, start);

		next = end_in_segment(start, end);
		for (uint64_t i = 0; at && i < next - start; i++) {
			if (at[i] != SHADOW_CLEAR && at[i] != SHADOW_RETURN)
				return start + i;
		}
	}
	return end;
}

uint64_t heapshadow_next(
    const struct heapshadow *shadow, uint64_t start, uint64_t end, uint8_t value)
{
	for (uint64_t next; start < end; start = next) {
		const uint8_t *at = heapshadow_of(shadow, start), *found;

		next = end_in_segment(start, end);
		found = at ? memchr(at, value, next - start) : NULL;
		if (found)
			return start + (uint64_t)(found - at);
	}
	return end;
}

bool heapshadow_has_clear(const struct heapshadow *shadow, uint64_t start, uint64_t end)
{
	for (; start < end; start++) {
		if (heapshadow_first(shadow, start, start + 1) != start)
			return true;
	}
	return false;
}

void heapshadow_show(
    const struct heapshadow *shadow, const struct space *space, bool shown, bool followed)
{
	for (unsigned i = 0; i < shadow->count; i++) {
		const uint64_t low = shadow->start[i] & UINT32_MAX;
		const uint32_t place = place_of(shadow->start[i]);

		const uint64_t at = shadow->there + i * SHADOW_STRIDE - low;
		const bool heap = shadow->use[i] & SHADOW_HEAP,
			   stack = shadow->use[i] & SHADOW_STACK;

		*arena_slot(&space->arena, ARENA_SHADOWS + 8 * place) =
		    shown && (heap || followed) ? at : 0;
		*arena_slot(&space->arena, ARENA_WRITTEN + 8 * place) = shown || !heap ? at : 0;
		*arena_slot(&space->arena, ARENA_STACKS + 8 * place) = stack ? at : 0;
	}
}
