/*
 * They are mapped far from where programs are, and never over the program's memory, see memfile.h.
 */
#include "worker/softpmu/races/racetables.h"

#include <string.h>
#include <sys/mman.h>

#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/memfile.h"

#define PLACE 0x110000000000ull /* in the program */

static void share(struct racetables *tables, struct injection *injection)
{
	struct memfile file = memfile_make(injection);
	uint8_t *memory = NULL;

	if (file.here >= 0 && memfile_may_be(RACE_TABLES_SIZE))
		memory = memfile_map_here(&file, RACE_TABLES_SIZE, MAP_NORESERVE);
	if (memory && memfile_map_there(&file, injection, PLACE, RACE_TABLES_SIZE,
			  PROT_READ | PROT_WRITE, MAP_NORESERVE, 0))
		*tables = (struct racetables){.memory = memory, .there = PLACE};
	else if (memory)
		memfile_unmap_here(memory, RACE_TABLES_SIZE);
	memfile_close(&file, injection);
}

bool racetables_map(struct racetables *tables, pid_t tid, const struct user_regs_struct *regs)
{
	struct injection injection = {0};

	if (inject_begin(&injection, tid, regs)) {
		share(tables, &injection);
		inject_end(&injection);
	}
	return tables->memory;
}

void racetables_free(struct racetables *tables)
{
	if (tables->memory) {
		racetables_clear(tables);
		memfile_unmap_here(tables->memory, RACE_TABLES_SIZE);
	}
	*tables = (struct racetables){0};
}

void racetables_clear(struct racetables *tables)
{
	if (tables->memory)
		kernel_call(
		    SYS_madvise, (long)tables->memory, RACE_TABLES_SIZE, MADV_REMOVE, 0, 0, 0);
}

bool racetables_note(
    struct racetables *tables, bool writes, unsigned size_log, uint64_t address, uint64_t turn)
{
	const uint64_t word = ~(address + (turn << RACE_TURN_BIT));
	uint8_t *at = tables->memory + racelayout_table(writes, size_log) + 8 * (address & 0xffff);
	uint64_t was;

	memcpy(&was, at, sizeof was);
	memcpy(at, &word, sizeof word);
	return was == word;
}
