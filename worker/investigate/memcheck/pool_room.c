/*
 * Asks gdb for the variables. Must never let a finding through that may be the program's own use of
 * another variable.
 */
#include "worker/investigate/memcheck/pool_room.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/library.h"
#include "worker/gdb/must.h"
#include "worker/read/code/mappings.h"
#include "worker/read/names/symbol.h"
#include "worker/read/values/accessed.h"
#include "worker/serve/begins.h"

enum room { ROOM_SAME, ROOM_OTHER, ROOM_UNKNOWN };

static enum room static_room(
    struct replay *replay, unsigned long long block, unsigned long long address)
{
	struct symbol symbol;
	unsigned long long start;

	if (!symbol_at(replay, block, &symbol))
		return ROOM_UNKNOWN;
	start = block - symbol.offset;
	return symbol_at(replay, address, &symbol) && address - symbol.offset == start ? ROOM_SAME
										       : ROOM_OTHER;
}

static bool is_on_stack(struct replay *replay, unsigned long long address)
{
	cleanup_mappings struct mappings *mappings = mappings_read(replay);
	const struct mapping *mapping = mappings_find(mappings, address);
	unsigned long long sp = 0;

	return mapping && accessed_number(replay, "(unsigned long) $rsp", &sp) &&
	       sp >= mapping->start && sp < mapping->end;
}

static bool is_one_variable(
    struct replay *replay, unsigned long long block, unsigned long long address)
{
	struct gdb *gdb = replay_gdb(replay);

	return library_run(gdb, "stack_variables") == GDB_DONE &&
	       behind_mark(
		   gdb_shown(gdb, NULL, "python rr_same_variable(0x%llx, 0x%llx)", block, address),
		   "rr-said\tsame");
}

bool pool_room_has(struct replay *replay, const struct check_table *table)
{
	const unsigned long long block = table->block, address = table->address;

	if (!table->maker || (table->kind != CHECK_READ && table->kind != CHECK_WRITE) ||
	    address - block < table->block_size)
		return true;
	switch (static_room(replay, block, address)) {
	case ROOM_SAME:
		return true;
	case ROOM_OTHER:
		return false;
	case ROOM_UNKNOWN:
		break;
	}
	return !is_on_stack(replay, block) || is_one_variable(replay, block, address);
}
