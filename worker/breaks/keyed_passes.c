/*
 * Speaks to the software counter's library, in packets that rr does not know.
 */
#include "worker/breaks/keyed_passes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"

static void tell(struct replay *replay, const char *what, unsigned long long number)
{
	char command[80];

	snprintf(command, sizeof(command), "maint packet QRRWarden.%s:%llx", what, number);
	gdb_must_console(replay_gdb(replay), command);
}

static bool take_table(const char *hex, struct key_table *table)
{
	uint8_t *bytes = (uint8_t *)table;

	if (!hex || strlen(hex) != 2 * sizeof(*table))
		return false;
	for (size_t i = 0; i < sizeof(*table); i++)
		bytes[i] = (uint8_t)strtoul((char[]){hex[2 * i], hex[2 * i + 1], 0}, NULL, 16);
	return table->state == KEYS_ON && table->count <= KEYS_MAX;
}

static bool read_table(struct replay *replay, struct key_table *table)
{
	json_t *results = NULL;
	bool read;

	read =
	    gdb_command(replay_gdb(replay), &results, "-data-read-memory-bytes 0x%llx %zu",
		KEYMARK_TABLE, sizeof(*table)) == GDB_DONE &&
	    take_table(
		mi_text(json_array_get(json_object_get(results, "memory"), 0), "contents"), table);
	json_decref(results);
	return read;
}

bool keyed_passes_begin(struct replay *replay)
{
	struct key_table table;

	gdb_must_console(replay_gdb(replay), "maint packet QRRWarden.keys:");
	return read_table(replay, &table) && table.count == 0;
}

void keyed_passes_name(struct replay *replay, unsigned long long key)
{
	tell(replay, "key", key);
}

void keyed_passes_next(struct replay *replay, unsigned long long sum)
{
	tell(replay, "next", sum);
}

static bool read_all(struct replay *replay, struct key_row rows[KEYS_MAX], size_t *count)
{
	struct key_table table;

	*count = 0;
	do {
		tell(replay, "shown", *count);
		if (!read_table(replay, &table))
			return false;
		for (size_t i = 0; i < KEYS_SHOWN && *count < table.count; i++)
			rows[(*count)++] = table.row[i];
	} while (*count < table.count);
	return true;
}

bool keyed_passes_read(struct replay *replay, struct key_row rows[KEYS_MAX], size_t *count)
{
	bool read;

	gdb_shield(replay_gdb(replay), true);
	read = read_all(replay, rows, count);
	gdb_shield(replay_gdb(replay), false);
	return read;
}
