/*
 * It must never leave out an order that was told to it: what has no room orders more, not less.
 */
#include "worker/softpmu/races/raceclocks.h"

#include <stdlib.h>
#include <string.h>

static uint32_t later(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void join(uint32_t *into, const uint32_t *from)
{
	for (unsigned i = 0; i < RACE_THREADS; i++)
		into[i] = later(into[i], from[i]);
}

void raceclocks_free(struct raceclocks *clocks)
{
	for (size_t i = 0; clocks->place && i < RACE_PLACES; i++)
		free(clocks->place[i].clock);
	free(clocks->place);
	free(clocks->rest.clock);
	memset(clocks, 0, sizeof *clocks);
}

unsigned raceclocks_add(struct raceclocks *clocks, unsigned parent)
{
	const unsigned thread = clocks->threads;

	if (thread == RACE_THREADS) {
		clocks->full = true;
		return RACE_NOBODY;
	}
	clocks->threads++;
	for (unsigned i = 0; i < thread; i++) {
		if (parent == RACE_NOBODY || i == parent) {
			join(clocks->clock[thread], clocks->clock[i]);
			clocks->clock[i][i]++;
		}
	}
	clocks->clock[thread][thread] = 1;
	return thread;
}

/* Its clock; NULL if memory is short. */
static uint32_t *clock_at(struct raceplace *place, uint64_t address)
{
	if (!place->clock)
		place->clock = calloc(RACE_THREADS, sizeof *place->clock);
	place->address = address;
	return place->clock;
}

static uint32_t *find(struct raceclocks *clocks, uint64_t address)
{
	size_t at = address * 0x9e3779b97f4a7c15ull >> 40 & (RACE_PLACES - 1);

	if (!clocks->place)
		clocks->place = calloc(RACE_PLACES, sizeof *clocks->place);
	if (!clocks->place)
		return clock_at(&clocks->rest, address);
	while (clocks->place[at].address && clocks->place[at].address != address)
		at = (at + 1) & (RACE_PLACES - 1);
	if (clocks->place[at].address)
		return clocks->place[at].clock;
	if (2 * clocks->places >= RACE_PLACES) {
		clocks->full = true;
		return clock_at(&clocks->rest, address);
	}
	clocks->places++;
	return clock_at(&clocks->place[at], address);
}

void raceclocks_use(
    struct raceclocks *clocks, unsigned thread, uint64_t address, bool acquires, bool releases)
{
	uint32_t *own = clocks->clock[thread], *place = find(clocks, address);

	if (!place) {
		clocks->full = true;
		return;
	}
	if (acquires)
		join(own, place);
	if (!releases)
		return;
	join(place, own);
	own[thread]++;
}

uint32_t raceclocks_now(const struct raceclocks *clocks, unsigned thread)
{
	return clocks->clock[thread][thread];
}

bool raceclocks_before(
    const struct raceclocks *clocks, unsigned earlier, uint32_t time, unsigned thread)
{
	return clocks->clock[thread][earlier] >= time;
}
