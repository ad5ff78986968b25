/*
 * Must never map over the program's memory: it is mapped with MAP_FIXED_NOREPLACE, far from where
 * programs are.
 *
 * LIMIT: a program may map something over it later, at an address that it chooses itself. Then its
 * heap is not checked there; nothing else comes of it, because an access is judged by what is
 * mapped here.
 */
#include "worker/softpmu/scan/heapshadow.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "worker/softpmu/base/inject.h"
#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/cache/space.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum {
	PATH_SIZE = 64,
	NAME_SIZE = 64,	    /* in INJECT_SCRATCH */
	LEAST_SEGMENTS = 8, /* a shadow that is smaller is none */
	BEHIND = 4096,	    /* a look at the end of the last segment goes there */
};

#define PLACE 0x100000000000ull /* in the program */

static uint64_t size_of(unsigned segments)
{
	return segments * SHADOW_SEGMENT + BEHIND;
}

void heapshadow_free(struct heapshadow *shadow)
{
	if (shadow->memory) {
		kernel_call(SYS_madvise, (long)shadow->memory, (long)size_of(shadow->room),
		    MADV_REMOVE, 0, 0, 0);
		kernel_call(
		    SYS_munmap, (long)shadow->memory, (long)size_of(shadow->room), 0, 0, 0, 0);
	}
	*shadow = (struct heapshadow){0};
}

static void unmap_there(struct injection *injection, uint64_t address, uint64_t size)
{
	inject_call(injection, SYS_munmap, (const uint64_t[6]){address, size});
}

static bool map_there(struct injection *injection, long fd, uint64_t size)
{
	const uint64_t map[6] = {PLACE, size, PROT_READ,
	    MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, (uint64_t)fd, 0};
	const uint64_t advice[6] = {PLACE, size, MADV_DONTFORK};
	const long mapped = inject_call(injection, SYS_mmap, map);

	if (mapped < 0)
		return false;
	if ((uint64_t)mapped == PLACE && inject_call(injection, SYS_madvise, advice) == 0)
		return true;
	unmap_there(injection, (uint64_t)mapped, size);
	return false;
}

/* Both have it mapped, or neither. Past the limit on files, the kernel ends rr with a signal. */
static bool map_both(
    struct heapshadow *shadow, struct injection *injection, long there, int here, unsigned segments)
{
	const uint64_t size = size_of(segments);
	struct rlimit limit = {0};
	void *memory;

	if (kernel_call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0) >= 0 &&
	    limit.rlim_cur < size)
		return false;
	if (kernel_call(SYS_ftruncate, here, (long)size, 0, 0, 0, 0) < 0)
		return false;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, here, 0);
	if (memory == MAP_FAILED)
		return false;
	if (!map_there(injection, there, size)) {
		kernel_call(SYS_munmap, (long)memory, (long)size, 0, 0, 0, 0);
		return false;
	}
	*shadow = (struct heapshadow){.memory = memory, .there = PLACE, .room = segments};
	return true;
}

/* The tracee makes the file and rr opens it, for the reason that arena.c has. */
static void share(struct heapshadow *shadow, struct injection *injection)
{
	const uint64_t create_it[6] = {INJECT_SCRATCH, MFD_CLOEXEC};
	uint64_t name[NAME_SIZE / 8] = {0};
	char path[PATH_SIZE];
	long there;
	int here;

	snprintf((char *)name, sizeof name, "%s", arena_name());
	if (!memory_write(injection->tid, INJECT_SCRATCH, name, NAME_SIZE / 8))
		return;
	there = inject_call(injection, SYS_memfd_create, create_it);
	if (there < 0)
		return;
	snprintf(path, sizeof path, "/proc/%d/fd/%ld", injection->tid, there);
	here = (int)kernel_call(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CLOEXEC, 0, 0, 0);
	for (unsigned n = SHADOW_SEGMENTS; here >= 0 && !shadow->memory && n >= LEAST_SEGMENTS;
	     n /= 2)
		map_both(shadow, injection, there, here, n);
	if (here >= 0)
		kernel_call(SYS_close, here, 0, 0, 0, 0, 0);
	inject_call(injection, SYS_close, (const uint64_t[6]){(uint64_t)there});
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
