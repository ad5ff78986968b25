/*
 * Programs use a buffer again and again, often for the same text, so the last write to a byte need
 * not have changed it. gdb can stop at changes or at all accesses. So this goes through all
 * accesses and decodes for each whether it wrote.
 */
#include "worker/investigate/printed/formatted.h"

#include <stdio.h>
#include <string.h>
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/read/values/accessed.h"
#include "worker/read/code/mappings.h"
#include "worker/run/sweep/scan.h"
#include "worker/moment/signals.h"
#include "worker/breaks/watchpoint.h"

#define ACCESSES_MAX 100000 /* reads that we pass on the way back to the write */

struct byte {
	unsigned long long address;
	int watch; /* gdb's number */
};

static enum scan_verdict see_access(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	const struct byte *byte = context;
	bool changed = hit->old && hit->new &&strcmp(hit->old, hit->new) != 0;

	(void)failure;
	if (!hit->watched || hit->number != byte->watch)
		return SCAN_ON;
	/* No instruction makes the kernel's writes, but we see that the value changes. */
	return changed || accessed_is_written(replay, byte->address) ? SCAN_ENOUGH : SCAN_ON;
}

static bool is_constant(struct replay *replay, unsigned long long address)
{
	cleanup_mappings struct mappings *mappings = mappings_read(replay);
	const struct mapping *mapping = mappings_find(mappings, address);

	return mapping && mapping->rights[0] && mapping->rights[1] != 'w';
}

static enum formatted search(struct replay *replay, struct byte *byte, struct failure *failure)
{
	switch (scan_run(replay, BACKWARD, ACCESSES_MAX, see_access, byte, failure)) {
	case SCAN_FOUND:
		return FORMATTED_FOUND;
	case SCAN_EDGE:
		return FORMATTED_BEFORE;
	case SCAN_FAILED:
		break;
	}
	return FORMATTED_FAILED;
}

enum formatted formatted_find(
    struct replay *replay, unsigned long long address, struct failure *failure)
{
	struct byte byte = {.address = address};
	enum formatted result;
	char expression[48];

	if (is_constant(replay, address))
		return FORMATTED_CONSTANT;
	snprintf(expression, sizeof(expression), "*(char *) 0x%llx", address);
	byte.watch = watchpoint_insert(replay, expression, WATCH_ACCESS, true, NULL, failure);
	if (!byte.watch)
		return FORMATTED_FAILED;
	signals_pass_all(replay);
	result = search(replay, &byte, failure);
	signals_stop_again(replay);
	temporary_breakpoint_delete(replay, byte.watch);
	return result;
}
