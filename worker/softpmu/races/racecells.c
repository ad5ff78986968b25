/*
 * It must never tell of two accesses that are ordered. One that is forgotten for want of room is
 * missed.
 */
#include "worker/softpmu/races/racecells.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 1 << 10 };

static size_t place_of(const struct racecells *cells, uint64_t start)
{
	size_t at = start * 0x9e3779b97f4a7c15ull >> 32 & (cells->room - 1);

	while (cells->list[at].start && cells->list[at].start != start)
		at = (at + 1) & (cells->room - 1);
	return at;
}

static bool grow(struct racecells *cells)
{
	const size_t room = cells->room ? 2 * cells->room : LEAST_ROOM;
	struct racecells larger = {.room = room, .used = cells->used};

	if (room > 2 * (size_t)RACECELLS_MAX)
		return false;
	larger.list = calloc(room, sizeof *larger.list);
	if (!larger.list)
		return false;
	for (size_t i = 0; i < cells->room; i++) {
		if (cells->list[i].start)
			larger.list[place_of(&larger, cells->list[i].start)] = cells->list[i];
	}
	free(cells->list);
	*cells = larger;
	return true;
}

static struct racecell *find(struct racecells *cells, uint64_t start)
{
	size_t at;

	if (2 * cells->used >= cells->room && !grow(cells)) {
		cells->full = true;
		return NULL;
	}
	at = place_of(cells, start);
	cells->used += cells->list[at].start == 0;
	cells->list[at].start = start;
	return &cells->list[at];
}

void racecells_free(struct racecells *cells)
{
	free(cells->list);
	*cells = (struct racecells){0};
}

static bool is_write(unsigned slot)
{
	return slot < RACECELL_WRITES;
}

/* How well the slot can be given up for a new access: its number is not needed, it is free, what
 * comes from here on is ordered with it, or it is old. */
static unsigned worth(const struct raceslot *slot, const struct raceslot *now,
    const struct raceclocks *clocks, unsigned thread)
{
	if (slot->number == 0)
		return 1;
	if (slot->thread == thread && (slot->mask & ~now->mask) == 0)
		return 0;
	if ((slot->mask & ~now->mask) == 0 &&
	    raceclocks_before(clocks, slot->thread, slot->time, thread))
		return 2;
	return raceclocks_before(clocks, slot->thread, slot->time, thread) ? 3 : 4;
}

static void keep(struct racecell *cell, bool writes, const struct raceslot *now,
    const struct raceclocks *clocks, unsigned thread)
{
	const unsigned first = writes ? 0 : RACECELL_WRITES;
	const unsigned end = writes ? RACECELL_WRITES : RACECELL_SLOTS;
	unsigned best = first;

	for (unsigned i = first + 1; i < end; i++) {
		const unsigned this = worth(&cell->slot[i], now, clocks, thread);
		const unsigned that = worth(&cell->slot[best], now, clocks, thread);

		if (this < that || (this == that && cell->slot[i].number < cell->slot[best].number))
			best = i;
	}
	cell->slot[best] = *now;
}

static struct race_access access_of(const struct racecell *cell, unsigned slot)
{
	const struct raceslot *from = &cell->slot[slot];

	return (struct race_access){.number = from->number,
	    .pc = from->pc,
	    .start = cell->start + (uint64_t)(int64_t)from->ahead,
	    .size = from->size,
	    .kind = is_write(slot) ? RACE_WRITE : RACE_READ};
}

void racecells_step(struct racecells *cells, const struct raceclocks *clocks,
    const struct racestep *step, racecells_found *found, void *context)
{
	const struct race_access *access = &step->access;
	const uint64_t end = access->start + access->size;
	const bool writes = access->kind != RACE_READ;
	bool told = false;

	for (uint64_t at = access->start & ~7ull; at < end; at += RACECELL_BYTES) {
		struct racecell *cell = find(cells, at);
		struct raceslot now = {.number = access->number,
		    .pc = access->pc,
		    .time = raceclocks_now(clocks, step->thread),
		    .thread = (uint8_t)step->thread,
		    .size = (uint8_t)access->size,
		    .ahead = (int8_t)(access->start - at)};

		if (!cell)
			return;
		for (unsigned i = 0; i < RACECELL_BYTES; i++) {
			if (at + i >= access->start && at + i < end)
				now.mask |= (uint8_t)(1u << i);
		}
		for (unsigned i = 0; i < RACECELL_SLOTS && !told; i++) {
			const struct raceslot *slot = &cell->slot[i];
			struct race_access earlier;

			if (slot->number == 0 || slot->thread == step->thread ||
			    !(slot->mask & now.mask) || (!writes && !is_write(i)) ||
			    raceclocks_before(clocks, slot->thread, slot->time, step->thread))
				continue;
			earlier = access_of(cell, i);
			found(context, &earlier, access);
			told = true;
		}
		keep(cell, writes, &now, clocks, step->thread);
	}
}

static void forget(struct racecell *cell)
{
	memset(cell->slot, 0, sizeof cell->slot);
}

void racecells_forget(struct racecells *cells, uint64_t start, uint64_t end)
{
	if (cells->used == 0 || end <= start)
		return;
	start &= ~7ull;
	if ((end - start) / RACECELL_BYTES < cells->room) {
		for (; start < end; start += RACECELL_BYTES)
			forget(&cells->list[place_of(cells, start)]);
		return;
	}
	for (size_t i = 0; i < cells->room; i++) {
		if (cells->list[i].start >= start && cells->list[i].start < end)
			forget(&cells->list[i]);
	}
}
