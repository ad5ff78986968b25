/*
 * Maps the arena. Maps everything at the program's first run after an exec or a fork, before the
 * program can install a filter against it. Must never replace a mapping of the program.
 */
#include "worker/softpmu/cache/arena.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "worker/softpmu/base/inject.h"
#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/memfile.h"
#include "worker/softpmu/base/memory.h"

enum {
	LOW_CODE = ARENA_CODE_SIZE, /* behind the data part */
	STEPS_TO_A_GAP = 32,
	/* The arena may take this part of the address space that the program has left: it maps up
	 * to its limit sooner than without us. */
	PART_OF_ROOM = 8,
};

#define REACH	      0x7f000000ull /* of a 32-bit displacement, with room for a part */
#define LOW_END	      0x80000000ull
#define BELOW_PROGRAM 0x20000000ull
#define BELOW_SHARED  0x50000000ull /* libraries are mapped downwards from the loader */
#define SHARED	      0x7e0000000000ull
#define USER_END      0x800000000000ull
#define FILE_SIZE     (ARENA_DATA_SIZE + ARENA_FIRST_PARTS * (uint64_t)ARENA_CODE_SIZE)

/* The first addresses at which data parts are tried. */
static const uint32_t data_places[] = {0x50000000, 0x58000000, 0x30000000, 0x20000000};

uint64_t arena_id_in(pid_t tid, uint64_t data)
{
	uint64_t id = 0;

	return memory_read_word(tid, data + ARENA_ID, &id) ? id : 0;
}

static bool reaches(uint64_t part, uint64_t address)
{
	return address < part + REACH && address + REACH > part + ARENA_CODE_SIZE;
}

int arena_part_near(const struct arena *arena, uint64_t address)
{
	for (int i = 0; i < ARENA_PARTS; i++) {
		if (arena->part[i].address && reaches(arena->part[i].address, address))
			return i;
	}
	return -1;
}

int arena_part_at(const struct arena *arena, uint64_t address)
{
	for (int i = 0; i < ARENA_PARTS; i++) {
		if (arena->part[i].address && address - arena->part[i].address < ARENA_CODE_SIZE)
			return i;
	}
	return -1;
}

bool arena_overlaps(const struct arena *arena, uint64_t start, uint64_t end)
{
	if (start < arena->data + ARENA_DATA_SIZE && end > arena->data)
		return true;
	for (int i = 0; i < ARENA_PARTS; i++) {
		uint64_t part = arena->part[i].address;

		if (part && start < part + ARENA_CODE_SIZE && end > part)
			return true;
	}
	return false;
}

static bool place_low(struct arena *arena, const struct mappings *mappings)
{
	for (size_t i = 0; i < sizeof data_places / sizeof data_places[0]; i++) {
		uint64_t data = data_places[i];

		if (!mappings_is_free(mappings, data, data + LOW_CODE + ARENA_CODE_SIZE))
			continue;
		arena->data = data;
		arena->part[0].address = data + LOW_CODE;
		return true;
	}
	return false;
}

/* A free place for a part that reaches `code`, or 0. */
static uint64_t place_near(const struct mappings *mappings, uint64_t code)
{
	uint64_t below = code >= SHARED ? BELOW_SHARED : BELOW_PROGRAM;
	uint64_t at = (code & ~0xffffffull) - below;

	for (int i = 0; i < STEPS_TO_A_GAP && reaches(at, code); i++) {
		if (at > LOW_END && mappings_is_free(mappings, at, at + ARENA_CODE_SIZE))
			return at;
		at -= ARENA_CODE_SIZE;
	}
	return 0;
}

/* Whether it is code that no part reaches yet. */
static bool needs_part(const struct arena *arena, const struct mapping *mapping)
{
	return mapping->code && mapping->end <= USER_END &&
	       arena_part_near(arena, mapping->start) < 0;
}

/* Makes parts for all code, as far as the first ones go. */
static void place_parts(struct arena *arena, const struct mappings *mappings)
{
	int next = 1;

	for (size_t i = mappings->count; i-- > 0 && next < ARENA_FIRST_PARTS;) {
		const struct mapping *mapping = &mappings->list[i];
		uint64_t place;

		if (!needs_part(arena, mapping))
			continue;
		place = place_near(mappings, mapping->start);
		if (place)
			arena->part[next++].address = place;
	}
}

bool arena_is_wanted_at(
    const struct arena *arena, const struct mappings *mappings, uint64_t address)
{
	for (size_t i = 0; i < mappings->count; i++) {
		const struct mapping *mapping = &mappings->list[i];

		if (address >= mapping->start && address < mapping->end)
			return needs_part(arena, mapping);
	}
	return false;
}

bool arena_fits(const struct arena *arena, const struct mappings *mappings)
{
	if (!mappings_is_free(mappings, arena->data, arena->data + ARENA_DATA_SIZE))
		return false;
	for (int i = 0; i < ARENA_PARTS; i++) {
		uint64_t part = arena->part[i].address;

		if (part && !mappings_is_free(mappings, part, part + ARENA_CODE_SIZE))
			return false;
	}
	for (size_t i = 0; i < mappings->count; i++) {
		const struct mapping *mapping = &mappings->list[i];

		if (needs_part(arena, mapping))
			return false;
	}
	return true;
}

/* Where `like` is, or anywhere. */
static bool place(struct arena *arena, const struct mappings *mappings, const struct arena *like)
{
	if (like) {
		arena->data = like->data;
		for (int i = 0; i < ARENA_PARTS; i++)
			arena->part[i].address = like->part[i].address;
		return true;
	}
	if (!place_low(arena, mappings))
		return false;
	place_parts(arena, mappings);
	return true;
}

_Static_assert(FILE_SIZE == 56 << 20, "it is named in a reason");

/* Maps the memory file here. */
static bool map_here(struct arena *arena, const struct memfile *file)
{
	arena->memory = memfile_map_here(file, FILE_SIZE, 0);
	for (int i = 0; i < ARENA_FIRST_PARTS && arena->memory; i++)
		arena->part[i].memory =
		    arena->memory + ARENA_DATA_SIZE + (uint64_t)i * ARENA_CODE_SIZE;
	return arena->memory;
}

/* All of it, or nothing. A forked child gets its own arena, because it would change its parent's
 * counts. */
static bool map_there(
    const struct arena *arena, struct injection *injection, const struct memfile *file)
{
	bool mapped = memfile_map_there(
	    file, injection, arena->data, ARENA_DATA_SIZE, PROT_READ | PROT_WRITE, 0, 0);
	int parts = 0;

	if (!mapped)
		return false;
	for (; parts < ARENA_FIRST_PARTS && mapped; parts++) {
		if (arena->part[parts].address)
			mapped = memfile_map_there(file, injection, arena->part[parts].address,
			    ARENA_CODE_SIZE, PROT_READ | PROT_EXEC, 0,
			    ARENA_DATA_SIZE + (uint64_t)parts * ARENA_CODE_SIZE);
	}
	if (mapped)
		return true;
	memfile_unmap_there(injection, arena->data, ARENA_DATA_SIZE);
	for (int i = 0; i < parts - 1; i++) {
		if (arena->part[i].address)
			memfile_unmap_there(injection, arena->part[i].address, ARENA_CODE_SIZE);
	}
	return false;
}

static uint64_t size_there(const struct arena *arena)
{
	uint64_t size = ARENA_DATA_SIZE;

	for (int i = 0; i < ARENA_PARTS; i++)
		size += arena->part[i].address ? ARENA_CODE_SIZE : 0;
	return size;
}

/* Whether the program's limit on its address space leaves enough for both. */
static bool leaves_room(
    const struct arena *arena, struct injection *injection, const struct mappings *mappings)
{
	const uint64_t ask[6] = {0, RLIMIT_AS, 0, INJECT_SCRATCH};
	struct rlimit limit = {0};
	uint64_t used = 0;

	if (inject_call(injection, SYS_prlimit64, ask) != 0 ||
	    !memory_read(injection->tid, INJECT_SCRATCH, &limit, sizeof limit) ||
	    limit.rlim_cur == RLIM_INFINITY)
		return true;
	for (size_t i = 0; i < mappings->count; i++)
		used += mappings->list[i].end - mappings->list[i].start;
	return limit.rlim_cur > used && limit.rlim_cur - used >= PART_OF_ROOM * size_there(arena);
}

/* Gives a part of ours that is none of the first a memory file of its own. */
static bool share_part(struct arena_part *part, struct injection *injection)
{
	struct memfile file = memfile_make(injection);
	bool mapped = false;

	if (file.here >= 0)
		part->memory = memfile_map_here(&file, ARENA_CODE_SIZE, 0);
	if (part->memory)
		mapped = memfile_map_there(
		    &file, injection, part->address, ARENA_CODE_SIZE, PROT_READ | PROT_EXEC, 0, 0);
	memfile_close(&file, injection);
	return mapped;
}

static bool share(struct arena *arena, struct injection *injection, const struct mappings *mappings,
    const char **reason)
{
	struct memfile file;
	bool mapped = false;

	*reason = "its limit on address space (ulimit -v) leaves too little for the cache";
	if (!leaves_room(arena, injection, mappings))
		return false;
	file = memfile_make(injection);
	*reason = file.there < 0 ? "the program is not allowed to make a memory file"
				 : "rr is not allowed to open a memory file of the program";
	if (file.here >= 0) {
		*reason = "no memory";
		mapped = map_here(arena, &file);
	}
	if (mapped) {
		*reason = "the program is not allowed to map it";
		mapped = map_there(arena, injection, &file);
	}
	memfile_close(&file, injection);
	for (int i = ARENA_FIRST_PARTS; i < ARENA_PARTS && mapped; i++)
		mapped = !arena->part[i].address || share_part(&arena->part[i], injection);
	return mapped;
}

bool arena_map(struct arena *arena, pid_t tid, const struct user_regs_struct *regs,
    const struct mappings *mappings, const struct arena *like, const char **reason)
{
	struct injection injection = {0};
	bool mapped = false;

	if (!place(arena, mappings, like)) {
		*reason = "its low memory is in use";
		return false;
	}
	if (!memfile_may_be(FILE_SIZE)) {
		*reason =
		    "the limit on the size of files (ulimit -f) is below the 56 MB of the cache";
		return false;
	}
	*reason = "rr's pages are not mapped";
	if (inject_begin(&injection, tid, regs)) {
		mapped = share(arena, &injection, mappings, reason);
		inject_end(&injection);
	}
	if (mapped)
		*arena_slot(arena, ARENA_ID) = arena->id;
	else
		arena_unmap(arena);
	if (injection.lost)
		*reason = NULL;
	return mapped;
}

static void unmap_part(struct arena_part *part)
{
	if (part->memory)
		memfile_unmap_here(part->memory, ARENA_CODE_SIZE);
	*part = (struct arena_part){0};
}

bool arena_extend(struct arena *arena, pid_t tid, const struct user_regs_struct *regs,
    const struct mappings *mappings, uint64_t code, bool *lost)
{
	struct injection injection = {0};
	struct arena_part *part = NULL;
	bool mapped = false;

	*lost = false;
	for (int i = ARENA_PARTS; i-- > ARENA_FIRST_PARTS;)
		part = arena->part[i].address ? part : &arena->part[i];
	if (!part || !memfile_may_be(ARENA_CODE_SIZE))
		return false;
	part->address = place_near(mappings, code);
	if (part->address && inject_begin(&injection, tid, regs)) {
		mapped = leaves_room(arena, &injection, mappings) && share_part(part, &injection);
		inject_end(&injection);
	}
	if (!mapped)
		unmap_part(part);
	*lost = injection.lost;
	return mapped;
}

void arena_unmap(struct arena *arena)
{
	for (int i = ARENA_FIRST_PARTS; i < ARENA_PARTS; i++)
		unmap_part(&arena->part[i]);
	if (arena->memory)
		memfile_unmap_here(arena->memory, FILE_SIZE);
	arena->memory = NULL;
}
