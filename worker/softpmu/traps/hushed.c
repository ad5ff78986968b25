/*
 * Must never pass over a write that gdb would have stopped at: whatever it cannot tell is shown.
 */
#include "worker/softpmu/traps/hushed.h"

#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/traps/bytecode.h"

static const char packet_name[] = "QRRWarden.hushed:";

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void hushed_take(struct hushed *hushed, const char *packet)
{
	const char *at = packet + sizeof packet_name - 1;
	size_t length = 0;

	if (strncmp(packet, packet_name, sizeof packet_name - 1) != 0)
		return;
	hushed->length = 0;
	for (; *at; at += 2) {
		if (length == sizeof hushed->code || digit(at[0]) < 0 || digit(at[1]) < 0)
			return;
		hushed->code[length++] = (uint8_t)(digit(at[0]) << 4 | digit(at[1]));
	}
	hushed->length = length;
}

struct view {
	pid_t tid;
	uint64_t start, end; /* what is watched */
};

static bool read_watched(void *context, uint64_t address, void *to, size_t size)
{
	const struct view *view = context;

	return address >= view->start && address <= view->end && view->end - address >= size &&
	       memory_read(view->tid, address, to, size);
}

struct value {
	uint64_t address, bytes;
	size_t size;
};

static bool read_value(void *context, uint64_t address, void *to, size_t size)
{
	const struct value *value = context;
	const uint64_t at = address - value->address;

	if (address < value->address || at > value->size || value->size - at < size)
		return false;
	memcpy(to, (const uint8_t *)&value->bytes + at, size);
	return true;
}

bool hushed_is_false(const struct hushed *hushed, uint64_t address, size_t size, uint64_t bytes)
{
	struct value value = {address, bytes, size};
	const struct bytecode_world world = {.read = read_value, .context = &value};

	return hushed->length > 0 &&
	       bytecode_evaluate(hushed->code, hushed->length, &world) == TRUTH_FALSE;
}

bool hushed_may_pass(
    const struct hushed *hushed, pid_t tid, const struct debug_registers *registers, unsigned hits)
{
	struct view view = {.tid = tid};
	const struct bytecode_world world = {.read = read_watched, .context = &view};
	int watch;

	if (hushed->length == 0 || hits == 0)
		return false;
	watch = debug_registers_only_watch(registers, &view.start, &view.end);
	return watch >= 0 && hits == 1u << watch &&
	       bytecode_evaluate(hushed->code, hushed->length, &world) == TRUTH_FALSE;
}
