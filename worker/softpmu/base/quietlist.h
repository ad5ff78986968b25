/*
 * The instructions whose accesses to what rr watches need not be shown, see scan/accesslog.h. Pure.
 */
#ifndef RR_WARDEN_SOFTPMU_QUIETLIST_H
#define RR_WARDEN_SOFTPMU_QUIETLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/x86/tallymark.h"

/* Of a word in the log in the arena, beside an address: the address behind the instruction, and
 * above it the access's size in bytes. */
enum { ACCESS_LOG_SIZE_BIT = 48 };

struct quiet_list {
	size_t count;
	uint64_t end[ACCESS_QUIET_MAX]; /* the addresses behind them */
};

static inline bool quiet_list_has(const struct quiet_list *list, uint64_t end)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->end[i] == end)
			return true;
	return false;
}

#endif
