/*
 * Stretches of addresses, in a list of fixed size. Pure.
 */
#ifndef RR_WARDEN_SOFTPMU_RANGE_H
#define RR_WARDEN_SOFTPMU_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t start, end; /* [start, end) */
};

/* One more than fits is left out. */
static inline void range_add(
    struct range *list, size_t *count, size_t room, uint64_t start, uint64_t end)
{
	if (*count < room)
		list[(*count)++] = (struct range){start, end};
}

static inline bool range_has(const struct range *list, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++) {
		if (address >= list[i].start && address < list[i].end)
			return true;
	}
	return false;
}

#endif
