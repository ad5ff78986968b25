/*
 * A set of addresses in an array of fixed size, a power of two, of which half is used. Pure.
 */
#ifndef RR_WARDEN_SOFTPMU_ADDRESSSET_H
#define RR_WARDEN_SOFTPMU_ADDRESSSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the address is, or would be. */
static inline size_t addressset_place(const uint64_t *set, size_t room, uint64_t address)
{
	size_t at = address * 0x9e3779b97f4a7c15ull >> 40 & (room - 1);

	while (set[at] && set[at] != address)
		at = (at + 1) & (room - 1);
	return at;
}

static inline bool addressset_has(const uint64_t *set, size_t room, uint64_t address)
{
	return address && set[addressset_place(set, room, address)] == address;
}

/* False: it was there already, or there is no room. */
static inline bool addressset_add(uint64_t *set, size_t room, size_t *count, uint64_t address)
{
	const size_t at = addressset_place(set, room, address);

	if (set[at] || !address || 2 * *count >= room)
		return false;
	set[at] = address;
	(*count)++;
	return true;
}

#endif
