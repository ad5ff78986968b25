#include "tests/differ/passes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/differ/points.h"
#include "worker/softpmu/base/memory.h"
#include "worker/x86/decode.h"
#include "worker/x86/prefixes.h"

enum { ASKED = 24 };

static int compare(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

void passes_choose(struct passes *passes, const struct code *code, uint64_t *seed, int memory)
{
	uint64_t address[ASKED];
	char packet[32 * ASKED] = "QRRWarden.lines:a";
	size_t length = strlen(packet);

	for (size_t i = 0; i < ASKED; i++)
		address[i] = points_instruction(code, seed);
	qsort(address, ASKED, sizeof *address, compare);
	for (size_t i = 0; i < ASKED; i++)
		length += (size_t)snprintf(
		    packet + length, sizeof packet - length, ",%" PRIx64, address[i]);
	linecount_take(&passes->counted, 0, "QRRWarden.lines:b");
	linecount_take(&passes->counted, 0, packet);
	linecount_read(&passes->counted, memory, LINEMARK, address, sizeof *address);
	memset(passes->stepped, 0, sizeof passes->stepped);
	memset(passes->repeats, 0, sizeof passes->repeats);
}

static bool is_string_instruction(pid_t pid, uint64_t rip)
{
	uint8_t bytes[DECODE_INSTRUCTION_MAX];
	const size_t length = memory_read_code(pid, rip, bytes, sizeof bytes);
	const size_t at = prefixes_of(bytes, length).length;

	return at < length && (bytes[at] >= 0xa4 && bytes[at] <= 0xaf);
}

void passes_step(struct passes *passes, pid_t pid, uint64_t rip)
{
	const size_t line = line_list_find(&passes->counted.list, rip);

	if (line == LINES_MAX)
		return;
	passes->stepped[line]++;
	passes->total++;
	passes->repeats[line] |= is_string_instruction(pid, rip);
}

static uint64_t *slots(const struct space *space)
{
	return arena_slot(&space->arena, ARENA_LINES);
}

bool passes_print_difference(const struct passes *passes, const struct space *space)
{
	const bool counts = space && space->watches.lines_number;

	for (size_t i = 0; i < passes->counted.list.count; i++) {
		const uint64_t counted = passes->counted.passes[i] + (counts ? slots(space)[i] : 0);

		if (counted == passes->stepped[i] || passes->repeats[i])
			continue;
		printf("of the instruction at 0x%" PRIx64 ", %" PRIu64 " passes counted, %" PRIu64
		       " stepped\n",
		    passes->counted.list.address[i], counted, passes->stepped[i]);
		return true;
	}
	return false;
}

void passes_keep(struct passes *passes, const struct space *space)
{
	memcpy(passes->kept, slots(space), passes->counted.list.count * sizeof *passes->kept);
}

void passes_put_back(const struct passes *passes, const struct space *space)
{
	memcpy(slots(space), passes->kept, passes->counted.list.count * sizeof *passes->kept);
}
