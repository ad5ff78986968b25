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
	BEHIND = 4096,	    /* a look at the end of the last segment goes there */
};

#define PLACE 0x100000000000ull /* in the program */

static uint64_t size_of(unsigned segments)
{
	return segments * SHADOW_SEGMENT + BEHIND;
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
    const struct memfile *file, unsigned segments)
{
	const uint64_t size = size_of(segments);
	uint8_t *memory = memfile_may_be(size) ? memfile_map_here(file, size, MAP_NORESERVE) : NULL;

	if (!memory)
		return;
	if (memfile_map_there(file, injection, PLACE, size, PROT_READ, MAP_NORESERVE, 0))
		*shadow = (struct heapshadow){.memory = memory, .there = PLACE, .room = segments};
	else
		memfile_unmap_here(memory, size);
}

static void share(struct heapshadow *shadow, struct injection *injection)
{
	struct memfile file = memfile_make(injection);

	for (unsigned n = SHADOW_SEGMENTS; file.here >= 0 && !shadow->memory && n >= LEAST_SEGMENTS;
	     n /= 2)
		map_both(shadow, injection, &file, n);
	memfile_close(&file, injection);
}

bool heapshadow_map(struct heapshadow *shadow, pid_t tid, const struct user_regs_struct *regs)
{
	struct injection injection = {0};

	if (inject_begin(&injection, tid, regs)) {
		share(shadow, &injection);
		inject_end(&injection);
	}
	return shadow->memory;
}

/* The shadow of an address; NULL: it has none. */
static uint8_t *shadow_of(const struct heapshadow *shadow, uint64_t address)
{
	const uint64_t start = address & ~(SHADOW_SEGMENT - 1);

	for (unsigned i = 0; i < shadow->count; i++) {
		if (shadow->start[i] == start)
			return shadow->memory + i * SHADOW_SEGMENT + (address - start);
	}
	return NULL;
}

static bool add(struct heapshadow *shadow, uint64_t address)
{
	if (shadow->count == shadow->room) {
		shadow->full = true;
		return false;
	}
	shadow->start[shadow->count++] = address & ~(SHADOW_SEGMENT - 1);
	return true;
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
		uint8_t *at = shadow_of(shadow, start);

		next = end_in_segment(start, end);
		if (!at && value != SHADOW_CLEAR && add(shadow, start))
			at = shadow_of(shadow, start);
		if (at)
			memset(at, value, next - start);
	}
}

uint8_t heapshadow_at(const struct heapshadow *shadow, uint64_t address)
{
	const uint8_t *at = shadow_of(shadow, address);

	return at ? *at : SHADOW_CLEAR;
}

uint64_t heapshadow_first(const struct heapshadow *shadow, uint64_t start, uint64_t end)
{
	for (uint64_t next; start < end; start = next) {
		const uint8_t *at = shadow_of(shadow, start);

		next = end_in_segment(start, end);
		for (uint64_t i = 0; at && i < next - start; i++) {
			if (at[i] != SHADOW_CLEAR)
				return start + i;
		}
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

void heapshadow_show(const struct heapshadow *shadow, const struct space *space, bool shown)
{
	for (unsigned i = 0; i < shadow->count; i++) {
		const uint64_t low = shadow->start[i] & UINT32_MAX;
		const uint32_t place = (uint32_t)(shadow->start[i] >> SHADOW_BITS) & 0xffff;

		*arena_slot(&space->arena, ARENA_SHADOWS + 8 * place) =
		    shown ? shadow->there + i * SHADOW_SEGMENT - low : 0;
	}
}
