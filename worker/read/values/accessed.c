/*
 * Reads registers and memory for the operands of an instruction. Bytes and registers belong to the
 * recorded program: an address is only a number here, and we never follow it ourselves.
 */
#include "worker/read/values/accessed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/read/values/values.h"
#include "worker/x86/eflags.h"

bool accessed_number(struct replay *replay, const char *expression, unsigned long long *number)
{
	char why[64];

	return values_number(replay, expression, number, why, sizeof(why));
}

bool accessed_thread_number(
    struct replay *replay, int thread, const char *expression, unsigned long long *number)
{
	json_auto_t *results = NULL;
	const char *value = NULL;

	if (gdb_command(replay_gdb(replay), &results,
		"-data-evaluate-expression --thread %d --frame 0 --language c \"%s\"", thread,
		expression) == GDB_DONE)
		value = mi_text(results, "value");
	if (value)
		*number = strtoull(value, NULL, 0);
	return value != NULL;
}

static bool read_named(struct replay *replay, const char *type, const char *name, uint64_t *value)
{
	unsigned long long number = 0;
	char expression[64];

	*value = 0;
	if (!name[0])
		return true;
	snprintf(expression, sizeof(expression), "(%s)$%s", type, name);
	if (!accessed_number(replay, expression, &number))
		return false;
	*value = number;
	return true;
}

/* One lane of a vector of indexes, or the whole register. */
static bool read_index(
    struct replay *replay, const struct memory_operand *operand, unsigned lane, uint64_t *value)
{
	const struct access *access = &operand->access;
	char name[64];

	if (!access->lanes)
		return read_named(replay, "unsigned long", operand->index, value);
	snprintf(name, sizeof(name), "%s.v%u_int%u[%u]", operand->index, access->lanes,
	    access->lane_bits, lane);
	return read_named(replay, "long", name, value);
}

bool accessed_address(struct replay *replay, const struct memory_operand *operand, unsigned lane,
    unsigned long long *address)
{
	struct access_values values;

	if (!read_named(replay, "unsigned long", operand->base, &values.base) ||
	    !read_index(replay, operand, lane, &values.index) ||
	    !read_named(replay, "unsigned long", operand->number, &values.number) ||
	    !read_named(replay, "unsigned long", operand->segment, &values.segment))
		return false;
	*address = access_address(&operand->access, &values);
	return true;
}

/* ACCESSED_MAYBE: the mask cannot be read. rr before 5.7 does not give k1 to k7 to gdb. */
static enum accessed_touch selects(
    struct replay *replay, const struct memory_operand *operand, unsigned element)
{
	unsigned bits = operand->access.element * 8, vector = operand->mask[0] == 'y' ? 256 : 128;
	unsigned long long mask;
	char expression[64];

	if (!operand->mask[0] || !bits)
		return ACCESSED_YES;
	if (operand->mask[0] == 'k')
		snprintf(expression, sizeof(expression), "(unsigned long)$%s", operand->mask);
	else
		snprintf(expression, sizeof(expression), "(long)$%s.v%u_int%u[%u] < 0",
		    operand->mask, vector / bits, bits, element);
	if (!accessed_number(replay, expression, &mask))
		return ACCESSED_MAYBE;
	if (operand->mask[0] == 'k')
		return element >= 64 || mask >> element & 1 ? ACCESSED_YES : ACCESSED_NOT;
	return mask ? ACCESSED_YES : ACCESSED_NOT;
}

bool accessed_is_selected(
    struct replay *replay, const struct memory_operand *operand, unsigned element)
{
	return selects(replay, operand, element) != ACCESSED_NOT;
}

bool accessed_register(
    struct replay *replay, const char *name, unsigned size, unsigned long long *value)
{
	char expression[40];

	snprintf(expression, sizeof(expression), "(unsigned long)$%s", name);
	if (!accessed_number(replay, expression, value))
		return false;
	if (size < sizeof(*value))
		*value &= (1ULL << (8 * size)) - 1;
	return true;
}

static int digit(char c)
{
	return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* Asks once. How many were read: none if one of them is not mapped. */
static size_t read_bytes(
    struct replay *replay, unsigned long long address, uint8_t *bytes, size_t size)
{
	json_auto_t *results = NULL;
	const char *hex = NULL;
	size_t length = 0;

	if (gdb_command(replay_gdb(replay), &results, "-data-read-memory-bytes 0x%llx %zu", address,
		size) == GDB_DONE)
		hex = mi_text(json_array_get(json_object_get(results, "memory"), 0), "contents");
	for (; hex && length < size && hex[2 * length]; length++)
		bytes[length] = (uint8_t)(digit(hex[2 * length]) * 16 + digit(hex[2 * length + 1]));
	return length;
}

size_t accessed_bytes(
    struct replay *replay, unsigned long long address, uint8_t *bytes, size_t most)
{
	size_t length = 0;

	for (size_t wanted = most; wanted && !length && !replay_worker(replay)->broken; wanted--)
		length = read_bytes(replay, address, bytes, wanted);
	return length;
}

bool accessed_whole(struct replay *replay, unsigned long long address, void *bytes, size_t size)
{
	return read_bytes(replay, address, bytes, size) == size;
}

bool accessed_in_any_case(
    struct replay *replay, unsigned long long address, void *bytes, size_t size)
{
	struct gdb *gdb = replay_gdb(replay);
	bool read;

	gdb_shield(gdb, true);
	read = accessed_whole(replay, address, bytes, size);
	gdb_shield(gdb, false);
	return read;
}

bool accessed_instruction(
    struct replay *replay, unsigned long long pc, struct instruction *instruction)
{
	unsigned long long pointer = 8;
	uint8_t bytes[INSTRUCTION_BYTES_MAX];
	size_t length = accessed_bytes(replay, pc, bytes, sizeof(bytes));

	accessed_number(replay, "sizeof(void *)", &pointer);
	return operand_decode(bytes, length, pc, pointer == 8, instruction);
}

struct bytes {
	unsigned long long address, size;
};

static bool overlap(const struct bytes *one, unsigned long long address, unsigned long long size)
{
	return one->address < address + size && address < one->address + one->size;
}

/* Masks begin with their first element wherever they stand for a length, so that one is not left in
 * doubt. */
static enum accessed_touch touches_elements(struct replay *replay,
    const struct memory_operand *operand, bool masked, unsigned long long at,
    const struct bytes *bytes)
{
	enum accessed_touch touch = ACCESSED_NOT, one;

	for (unsigned i = 0; i < operand->access.size / operand->access.element; i++) {
		if (!overlap(bytes, at + (unsigned long long)i * operand->access.element,
			operand->access.element))
			continue;
		one = masked ? selects(replay, operand, i) : ACCESSED_MAYBE;
		if (one == ACCESSED_YES || (one == ACCESSED_MAYBE && i == 0))
			return ACCESSED_YES;
		if (one == ACCESSED_MAYBE)
			touch = one;
	}
	return touch;
}

/* What all the repetitions of a string instruction that is about to run may touch. */
static bool touches_repeated(struct replay *replay, const struct memory_operand *operand,
    unsigned long long at, const struct bytes *bytes)
{
	unsigned long long count, flags, length;

	if (!accessed_number(replay, "(unsigned long)$rcx", &count) ||
	    !accessed_number(replay, "(unsigned long)$eflags", &flags))
		return true;
	if (operand->access.short_address)
		count &= 0xffffffffu;
	length = count * operand->access.size;
	return count &&
	       overlap(bytes, flags & FLAG_DIRECTION ? at - (length - operand->access.size) : at,
		   length);
}

enum accessed_touch accessed_operand_touches(struct replay *replay,
    const struct memory_operand *operand, enum accessed_when when, unsigned long long address,
    unsigned long long size)
{
	const struct bytes bytes = {address, size};
	bool masked = when == ACCESSED_AHEAD || !operand->access.mask_lost;
	unsigned lanes = operand->access.lanes ? operand->access.lanes : 1;
	unsigned long long at;

	if (when == ACCESSED_BEHIND &&
	    (operand->access.lost || (operand->access.lanes && operand->access.mask_lost)))
		return ACCESSED_YES;
	for (unsigned lane = 0; lane < lanes; lane++) {
		if (operand->access.lanes && !accessed_is_selected(replay, operand, lane))
			continue;
		if (!operand->access.size || !accessed_address(replay, operand, lane, &at))
			return ACCESSED_YES;
		if (operand->access.by_element && !operand->access.lanes)
			return touches_elements(replay, operand, masked, at, &bytes);
		if (operand->access.kind == ACCESS_STRING
			? touches_repeated(replay, operand, at, &bytes)
			: overlap(&bytes, at, operand->access.size))
			return ACCESSED_YES;
	}
	return ACCESSED_NOT;
}

enum accessed_touch accessed_touches(struct replay *replay, const struct instruction *instruction,
    enum accessed_when when, unsigned long long address, unsigned long long size)
{
	enum accessed_touch touch = ACCESSED_NOT, one;

	for (size_t i = 0; i < instruction->count; i++) {
		one = accessed_operand_touches(
		    replay, &instruction->operands[i], when, address, size);
		touch = one > touch ? one : touch;
	}
	return instruction->count ? touch : ACCESSED_YES;
}

bool accessed_can_mislead(const struct instruction *instruction)
{
	for (size_t i = 0; i < instruction->count; i++)
		if (instruction->operands[i].access.by_element ||
		    instruction->operands[i].access.size > 8)
			return true;
	return false;
}

bool accessed_is_written(struct replay *replay, unsigned long long address)
{
	struct instruction instruction;
	unsigned long long pc;
	bool written = false;

	if (!accessed_number(replay, "(unsigned long)$pc", &pc) ||
	    !accessed_instruction(replay, pc, &instruction))
		return false;
	for (size_t i = 0; i < instruction.count && !written; i++)
		written = instruction.operands[i].access.writes &&
			  instruction.operands[i].access.size &&
			  accessed_operand_touches(replay, &instruction.operands[i], ACCESSED_AHEAD,
			      address, 1) == ACCESSED_YES;
	return written;
}
