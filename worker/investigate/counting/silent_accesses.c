/*
 * Speaks to the software counter. It must never leave a log on: the next watchpoint would be
 * silent.
 */
#include "worker/investigate/counting/silent_accesses.h"

#include <stdio.h>
#include "worker/breaks/places/hardware.h"
#include "worker/gdb/must.h"
#include "worker/read/values/accessed.h"

static void tell(struct replay *replay, const char *what, unsigned long long number)
{
	gdb_must_packet(replay_gdb(replay), "access:%s,%llx", what, number);
}

bool silent_accesses_read(struct replay *replay, struct access_table *table)
{
	return accessed_in_any_case(replay, ACCESSMARK, table, sizeof(*table)) &&
	       table->state == ACCESS_ON;
}

bool silent_accesses_begin(
    struct replay *replay, unsigned long long address, unsigned long long size)
{
	struct access_table table;

	if (!replay_counts_in_software(replay) || hardware_pieces(address, size) != 1)
		return false;
	gdb_must_packet(replay_gdb(replay), "access:b,%llx,%llx", address, size);
	return silent_accesses_read(replay, &table);
}

void silent_accesses_hush(struct replay *replay, unsigned long long pc)
{
	tell(replay, "q", pc);
}

void silent_accesses_want(struct replay *replay, unsigned long long number)
{
	tell(replay, "w", number);
}

bool silent_accesses_read_rows(struct replay *replay, size_t first, struct access_table *table)
{
	tell(replay, "p", first);
	return silent_accesses_read(replay, table);
}

void silent_accesses_forget(struct replay *replay)
{
	gdb_must_packet(replay_gdb(replay), "access:f");
}

void silent_accesses_end(struct replay *replay)
{
	if (!replay_worker(replay)->broken)
		gdb_must_packet(replay_gdb(replay), "access:");
}
