/*
 * Speaks to the software counter. It must never leave a count on: the next watchpoint would be
 * silent.
 */
#include "worker/investigate/counting/tallied_writes.h"

#include <ctype.h>
#include <stdio.h>
#include "worker/breaks/places/hardware.h"
#include "worker/gdb/must.h"
#include "worker/read/code/mappings.h"
#include "worker/read/values/accessed.h"

#define NUMBER_SIZE 17 /* with its separator */

bool tallied_writes_read(struct replay *replay, struct tally_table *table)
{
	return accessed_in_any_case(replay, TALLYMARK, table, sizeof(*table)) &&
	       table->state == TALLY_ON && table->count <= TALLY_ROWS;
}

static bool is_on(struct replay *replay, struct tally_table *table)
{
	return tallied_writes_read(replay, table) && table->count == 0;
}

/* kind: as in softpmu/traps/tally.h. rr does not show what another process writes to shared memory,
 * and the code cache takes all changes for those of the code that it runs. */
static bool begin(struct replay *replay, char kind, unsigned long long address,
    unsigned long long size, const uint64_t *numbers, size_t count)
{
	char command[128 + TALLY_WANTED_MAX * NUMBER_SIZE];
	uint8_t bytes[TALLY_SIZE_MAX];
	struct tally_table table;
	size_t length;

	if (!replay_counts_in_software(replay) || size == 0 || size > sizeof(bytes) ||
	    hardware_pieces(address, size) != 1 || count > TALLY_WANTED_MAX ||
	    !accessed_whole(replay, address, bytes, size))
		return false;
	if (mappings_sharing(replay, address) == 'p')
		kind = (char)toupper(kind);
	length =
	    (size_t)snprintf(command, sizeof(command), "tally:%c;%llx,%llx,", kind, address, size);
	for (size_t i = 0; i < size; i++)
		length +=
		    (size_t)snprintf(command + length, sizeof(command) - length, "%02x", bytes[i]);
	for (size_t i = 0; i < count; i++)
		length += (size_t)snprintf(command + length, sizeof(command) - length, ";%llx",
		    (unsigned long long)numbers[i]);
	gdb_must_packet(replay_gdb(replay), "%s", command);
	return is_on(replay, &table);
}

bool tallied_writes_begin(struct replay *replay, unsigned long long address,
    unsigned long long size, const uint64_t *numbers, size_t count)
{
	return begin(replay, numbers ? 'w' : 'n', address, size, numbers, numbers ? count : 0);
}

bool tallied_writes_begin_until(
    struct replay *replay, unsigned long long address, unsigned long long size)
{
	return begin(replay, 'p', address, size, NULL, 0);
}

void tallied_writes_stop_always(struct replay *replay, unsigned long long pc)
{
	gdb_must_packet(replay_gdb(replay), "always:%llx", pc);
}

void tallied_writes_end(struct replay *replay)
{
	if (!replay_worker(replay)->broken)
		gdb_must_packet(replay_gdb(replay), "tally:");
}
