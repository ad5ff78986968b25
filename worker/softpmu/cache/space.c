/*
 * Makes, flushes and frees the code cache of an address space.
 */
#include "worker/softpmu/cache/space.h"

#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/cache/revive.h"

static void copy_slots(
    const struct arena *to, const struct arena *from, uint32_t offset, size_t size)
{
	memcpy(to->memory + offset, from->memory + offset, size);
}

/*
 * Takes over all that was translated, with the addresses the same. Nothing of it is in force until
 * its code has been compared: the other program may have changed its own since, or be another one.
 */
static bool inherit(struct space *space, const struct space *from)
{
	copy_slots(&space->arena, &from->arena, ARENA_TABLE, 8 * ARENA_TABLE_SIZE);
	copy_slots(&space->arena, &from->arena, ARENA_LITERALS, 8 * from->literals);
	if (from->watches.level != WATCH_NOTHING)
		copy_slots(
		    &space->arena, &from->arena, ARENA_WATCHED, WATCH_SIZES * WATCH_TABLE_SIZE);
	for (int i = 0; i < ARENA_PARTS; i++) {
		if (from->arena.part[i].memory)
			memcpy(
			    space->arena.part[i].memory, from->arena.part[i].memory, from->used[i]);
		space->used[i] = from->used[i];
		if (!places_copy(&space->places[i], &from->places[i]))
			return false;
	}
	space->literals = from->literals;
	space->turn = from->turn;
	space->watches = from->watches;
	space->inherited = blocks_count(from->blocks);
	return blocks_copy(space->blocks, from->blocks);
}

static bool fill(struct space *space, pid_t tid, const struct user_regs_struct *regs,
    const struct space *from, const char **reason)
{
	struct mappings mappings = {0};
	bool mapped;

	*reason = "its memory map cannot be read";
	if (!mappings_read(&mappings, tid))
		return false;
	if (from && !arena_fits(&from->arena, &mappings))
		from = NULL;
	mapped = arena_map(&space->arena, tid, regs, &mappings, from ? &from->arena : NULL, reason);
	if (mapped) {
		*reason = "no memory";
		space->blocks = blocks_new(&space->arena);
		space->pages = codepages_new(&mappings);
	}
	mappings_free(&mappings);
	if (!mapped || !space->blocks || !space->pages)
		return false;
	if (!from) {
		space_flush(space);
		return true;
	}
	if (!inherit(space, from))
		return false;
	space_note_mapped(space, 0, UINT64_MAX);
	space_revive_mapped(space, tid);
	return true;
}

struct space *space_new(pid_t tid, const struct user_regs_struct *regs, uint64_t id,
    const struct space *from, const char **reason)
{
	struct space *space = calloc(1, sizeof *space);

	if (!space)
		return NULL;
	space->arena.id = id;
	if (!fill(space, tid, regs, from, reason)) {
		space_free(space);
		return NULL;
	}
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
	space->literals = space->inherited = 0;
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

bool space_reach(struct space *space, pid_t tid, const struct user_regs_struct *regs)
{
	struct mappings mappings = {0};
	bool lost = false;

	if (space->at_its_reach || arena_part_near(&space->arena, regs->rip) >= 0 ||
	    !mappings_read(&mappings, tid))
		return true;
	if (arena_is_wanted_at(&space->arena, &mappings, regs->rip)) {
		space->at_its_reach =
		    !arena_extend(&space->arena, tid, regs, &mappings, regs->rip, &lost);
		if (!space->at_its_reach)
			space_flush(space);
	}
	mappings_free(&mappings);
	return !lost;
}

void space_note_mapped(struct space *space, uint64_t start, uint64_t end)
{
	bool first = space->mapped_end == 0;

	if (space->inherited == 0)
		return;
	if (first || start < space->mapped_start)
		space->mapped_start = start;
	if (end > space->mapped_end)
		space->mapped_end = end;
}

void space_revive_mapped(struct space *space, pid_t tid)
{
	if (space->mapped_end == 0)
		return;
	for (uint32_t number = 1; number < space->inherited; number++) {
		const struct block_entry *entry = blocks_get(space->blocks, number);

		if (!entry->body && !entry->native && entry->original >= space->mapped_start &&
		    entry->original < space->mapped_end)
			revive_block(space, tid, number);
	}
	space->mapped_start = space->mapped_end = 0;
}

size_t space_size(const struct space *space)
{
	size_t size = 0;

	for (int i = 0; i < ARENA_PARTS; i++)
		size += space->used[i];
	return size;
}

const struct place *space_place(const struct space *space, uint64_t address)
{
	int part = arena_part_at(&space->arena, address);

	if (part < 0)
		return NULL;
	return places_find(
	    &space->places[part], (uint32_t)(address - space->arena.part[part].address));
}

uint64_t *space_line(const struct space *space, uint64_t address)
{
	return &arena_slot(
	    &space->arena, ARENA_LINES)[line_list_find(space->watches.lines, address)];
}

void space_counters(const struct space *space, uint64_t *counter[BUDGET_COUNTERS])
{
	for (unsigned i = 0; i < BUDGET_COUNTERS; i++)
		counter[i] = arena_slot(&space->arena, arena_counter(i));
}
