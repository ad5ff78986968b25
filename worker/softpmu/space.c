/*
 * Makes, flushes and frees the code cache of an address space.
 */
#include "worker/softpmu/space.h"

#include <stdlib.h>

static bool fill(
    struct space *space, pid_t tid, const struct user_regs_struct *regs, const char **reason)
{
	struct mappings mappings = {0};
	bool mapped;

	*reason = "its memory map cannot be read";
	if (!mappings_read(&mappings, tid))
		return false;
	mapped = arena_map(&space->arena, tid, regs, &mappings, reason);
	if (mapped) {
		*reason = "no memory";
		space->blocks = blocks_new(&space->arena);
		space->pages = codepages_new(&mappings);
	}
	mappings_free(&mappings);
	return mapped && space->blocks && space->pages;
}

struct space *space_new(
    pid_t tid, const struct user_regs_struct *regs, uint64_t id, const char **reason)
{
	struct space *space = calloc(1, sizeof *space);

	if (!space)
		return NULL;
	space->arena.id = id;
	if (!fill(space, tid, regs, reason)) {
		space_free(space);
		return NULL;
	}
	space_flush(space);
	return space;
}

void space_free(struct space *space)
{
	if (!space)
		return;
	blocks_free(space->blocks);
	codepages_free(space->pages);
	for (int i = 0; i < ARENA_PARTS; i++)
		places_free(&space->places[i]);
	arena_unmap(&space->arena);
	free(space);
}

void space_flush(struct space *space)
{
	static const struct place miss = {
	    .offset = 0, .kind = PLACE_AT_TARGET, .flags = PLACE_RCX_SAVED | PLACE_RAX_SAVED};

	blocks_clear(space->blocks);
	space->literals = 0;
	for (int i = 0; i < ARENA_PARTS; i++) {
		places_clear(&space->places[i]);
		if (!places_add(&space->places[i], &miss))
			space->broken = true;
		space->used[i] = ARENA_CODE_START;
		if (space->arena.part[i].address)
			space->arena.part[i].memory[0] = 0xcc;
	}
	for (uint32_t i = 0; i < ARENA_TABLE_SIZE; i++)
		*arena_slot(&space->arena, ARENA_TABLE + 8 * i) = space->arena.part[0].address;
}

const struct place *space_place(const struct space *space, uint64_t address)
{
	int part = arena_part_at(&space->arena, address);

	if (part < 0)
		return NULL;
	return places_find(
	    &space->places[part], (uint32_t)(address - space->arena.part[part].address));
}

void space_counters(const struct space *space, uint64_t *counter[BUDGET_COUNTERS])
{
	for (unsigned i = 0; i < BUDGET_COUNTERS; i++)
		counter[i] = arena_slot(&space->arena, arena_counter(i));
}
