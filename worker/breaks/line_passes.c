/*
 * Speaks to the software counter's library, in packets that rr does not know. It must never leave
 * the count on: it would cost the next run its time.
 */
#include "worker/breaks/line_passes.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/must.h"
#include "worker/read/values/accessed.h"

enum { ADDRESS_DIGITS = 18 };

static bool read_table(struct replay *replay, size_t count, struct line_table *table)
{
	return accessed_in_any_case(replay, LINEMARK, table, sizeof(*table)) &&
	       table->state & LINES_ON && table->count == count;
}

static void name(struct replay *replay, const unsigned long long *addresses, size_t count)
{
	char list[1 + LINES_NAMED * ADDRESS_DIGITS] = "";
	size_t length = 0;

	for (size_t i = 0; i < count; i++)
		length +=
		    (size_t)snprintf(list + length, sizeof(list) - length, ",%llx", addresses[i]);
	gdb_must_packet(replay_gdb(replay), "lines:a%s", list);
}

bool line_passes_begin(struct replay *replay, const unsigned long long *addresses, size_t count)
{
	struct line_table table;

	if (!replay_counts_in_software(replay))
		return false;
	gdb_must_packet(replay_gdb(replay), "lines:b");
	for (size_t i = 0; i < count; i += LINES_NAMED)
		name(replay, addresses + i, count - i < LINES_NAMED ? count - i : LINES_NAMED);
	return read_table(replay, count, &table);
}

static bool read_all(struct replay *replay, unsigned long long *passes, size_t count)
{
	struct line_table table;

	for (size_t first = 0; first < count; first += LINES_PAGE) {
		gdb_must_packet(replay_gdb(replay), "lines:p,%zx", first);
		if (!read_table(replay, count, &table))
			return false;
		for (size_t i = 0; i < LINES_PAGE && first + i < count; i++)
			passes[first + i] = table.passes[i];
	}
	return true;
}

bool line_passes_read(struct replay *replay, unsigned long long *passes, size_t count)
{
	bool read;

	gdb_shield(replay_gdb(replay), true);
	read = read_all(replay, passes, count);
	gdb_shield(replay_gdb(replay), false);
	return read;
}

void line_passes_end(struct replay *replay)
{
	if (!replay_worker(replay)->broken)
		gdb_must_packet(replay_gdb(replay), "lines:");
}
