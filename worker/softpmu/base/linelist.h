/*
 * The instructions whose passes are counted, see legs/linecount.h. Pure.
 */
#ifndef RR_WARDEN_SOFTPMU_LINELIST_H
#define RR_WARDEN_SOFTPMU_LINELIST_H

#include <stddef.h>
#include <stdint.h>

#include "worker/x86/tallymark.h"

struct line_list {
	size_t count;
	uint64_t address[LINES_MAX]; /* in their order, each once */
};

/* The number of this instruction; LINES_MAX: it is not one of them. */
static inline size_t line_list_find(const struct line_list *list, uint64_t address)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (list->address[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->count && list->address[low] == address ? low : LINES_MAX;
}

#endif
