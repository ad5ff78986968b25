/*
 * Speaks to the software counter. It must never leave a check on: it would cost the next run its
 * time.
 */
#include "worker/investigate/races/race_check.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/must.h"
#include "worker/read/code/mappings.h"
#include "worker/read/values/accessed.h"
#include "worker/serve/begins.h"

static void tell(
    struct replay *replay, const char *what, unsigned long long a, unsigned long long b)
{
	gdb_must_packet(replay_gdb(replay), "race:%s,%llx,%llx", what, a, b);
}

bool race_check_begin(struct replay *replay, bool anew)
{
	struct race_table table;

	if (!replay_counts_in_software(replay))
		return false;
	gdb_must_packet(replay_gdb(replay), "race:%s", anew ? "b" : "n");
	return race_check_read(replay, &table);
}

void race_check_tell_libraries(struct replay *replay)
{
	cleanup_mappings struct mappings *mappings = mappings_read(replay);

	for (size_t i = 0; i < mappings_count(mappings); i++) {
		const struct mapping *mapping = mappings_get(mappings, i);
		const char *name = strrchr(mapping->file, '/');

		if (mapping->rights[2] != 'x' || !name)
			continue;
		if (begins(name, "/libc.so") || begins(name, "/libc-") ||
		    begins(name, "/libpthread"))
			tell(replay, "l", mapping->start, mapping->end);
		else if (begins(name, "/ld-") || begins(name, "/librr"))
			tell(replay, "x", mapping->start, mapping->end);
	}
}

void race_check_show(struct replay *replay)
{
	tell(replay, "s", 1, 0);
}

void race_check_want(struct replay *replay, unsigned long long number)
{
	tell(replay, "w", number, 0);
}

void race_check_order(struct replay *replay, unsigned long long address)
{
	tell(replay, "y", address, 0);
}

bool race_check_read(struct replay *replay, struct race_table *table)
{
	return accessed_in_any_case(replay, RACEMARK, table, sizeof(*table)) &&
	       table->state & RACE_ON;
}

bool race_check_read_pairs(struct replay *replay, size_t first, struct race_table *table)
{
	struct gdb *gdb = replay_gdb(replay);

	gdb_shield(gdb, true);
	tell(replay, "p", first, 0);
	gdb_shield(gdb, false);
	return race_check_read(replay, table);
}

void race_check_end(struct replay *replay)
{
	if (!replay_worker(replay)->broken)
		gdb_must_packet(replay_gdb(replay), "race:");
}
