/*
 * Reads registers and memory for the operands of an instruction. Bytes and registers belong to the
 * recorded program: an address is only a number here, and we never follow it ourselves.
 */
#include "worker/session/accessed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi.h"
#include "worker/session/values.h"

#define FLAG_DIRECTION 0x400

bool accessed_number(struct replay *replay, const char *expression, unsigned long long *number)
{
	char *value = NULL, *type = NULL, why[64];
	bool fine = values_read(replay, expression, &value, &type, why, sizeof(why)) == 0;

	if (fine)
		*number = strtoull(value, NULL, 0);
	free(value);
	free(type);
	return fine;
}

static bool add_register(
    struct replay *replay, const char *name, unsigned scale, unsigned long long *address)
{
	unsigned long long value;
	char expression[40];

	if (!name[0])
		return true;
	snprintf(expression, sizeof(expression), "(unsigned long)$%s", name);
	if (!accessed_number(replay, expression, &value))
		return false;
	*address += value * scale;
	return true;
}

/* One lane of a vector of indexes. */
static bool add_lane(struct replay *replay, const struct memory_operand *operand, unsigned lane,
    unsigned long long *address)
{
	unsigned long long value;
	char expression[64];

	snprintf(expression, sizeof(expression), "(long)$%s.v%u_int%u[%u]", operand->index,
	    operand->lanes, operand->lane_bits, lane);
	if (!accessed_number(replay, expression, &value))
		return false;
	*address += value * operand->scale;
	return true;
}

/* What the number of a bit, or xlat's al, adds. */
static bool add_distance(
    struct replay *replay, const struct memory_operand *operand, unsigned long long *address)
{
	unsigned long long number = 0;
	char expression[40];

	if (operand->plus_al) {
		if (!accessed_number(replay, "(unsigned long)(unsigned char)$al", &number))
			return false;
		*address += number;
	}
	if (!operand->bit_number[0])
		return true;
	/* gdb's registers have a sign, as these numbers do. */
	snprintf(expression, sizeof(expression), "(long)$%s", operand->bit_number);
	if (!accessed_number(replay, expression, &number))
		return false;
	*address += (unsigned long long)(((long long)number >> (operand->size == 2	? 4
								   : operand->size == 4 ? 5
											: 6)) *
					 (long long)operand->size);
	return true;
}

bool accessed_address(struct replay *replay, const struct memory_operand *operand, unsigned lane,
    unsigned long long *address)
{
	*address = (unsigned long long)operand->displacement;
	if (!add_register(replay, operand->base, 1, address) ||
	    (operand->lanes ? !add_lane(replay, operand, lane, address)
			    : !add_register(replay, operand->index, operand->scale, address)) ||
	    !add_distance(replay, operand, address))
		return false;
	if (operand->address_bits == 32)
		*address &= 0xffffffffu;
	return add_register(replay, operand->segment, 1, address);
}

/* ACCESSED_MAYBE: the mask cannot be read. rr before 5.7 does not give k1 to k7 to gdb. */
static enum accessed_touch selects(
    struct replay *replay, const struct memory_operand *operand, unsigned element)
{
	unsigned bits = operand->element * 8, vector = operand->mask[0] == 'y' ? 256 : 128;
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

/* Bytes at an address; fewer at the end of what is mapped. */
size_t accessed_bytes(
    struct replay *replay, unsigned long long address, uint8_t *bytes, size_t most)
{
	json_t *results = NULL;
	const char *hex = NULL;
	size_t length = 0;

	for (size_t wanted = most; wanted && !hex; wanted--) {
		if (gdb_command(replay->gdb, &results, "-data-read-memory-bytes 0x%llx %zu",
			address, wanted) == GDB_DONE)
			hex = mi_text(
			    json_array_get(json_object_get(results, "memory"), 0), "contents");
		else if (replay->worker->broken)
			return 0;
		if (hex)
			for (; length < wanted && hex[2 * length]; length++)
				bytes[length] = (uint8_t)(digit(hex[2 * length]) * 16 +
							  digit(hex[2 * length + 1]));
		json_decref(results);
		results = NULL;
	}
	return length;
}

bool accessed_whole(struct replay *replay, unsigned long long address, void *bytes, size_t size)
{
	return accessed_bytes(replay, address, bytes, size) == size;
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

	for (unsigned i = 0; i < operand->size / operand->element; i++) {
		if (!overlap(
			bytes, at + (unsigned long long)i * operand->element, operand->element))
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
	if (operand->address_bits == 32)
		count &= 0xffffffffu;
	length = count * operand->size;
	return count &&
	       overlap(bytes, flags & FLAG_DIRECTION ? at - (length - operand->size) : at, length);
}

enum accessed_touch accessed_operand_touches(struct replay *replay,
    const struct instruction *instruction, const struct memory_operand *operand,
    enum accessed_when when, unsigned long long address, unsigned long long size)
{
	const struct bytes bytes = {address, size};
	bool masked = when == ACCESSED_AHEAD || !operand->mask_lost;
	unsigned lanes = operand->lanes ? operand->lanes : 1;
	unsigned long long at;

	if (when == ACCESSED_BEHIND && (operand->lost || (operand->lanes && operand->mask_lost)))
		return ACCESSED_YES;
	for (unsigned lane = 0; lane < lanes; lane++) {
		if (operand->lanes && !accessed_is_selected(replay, operand, lane))
			continue;
		if (!operand->size || !accessed_address(replay, operand, lane, &at))
			return ACCESSED_YES;
		if (operand->by_element && !operand->lanes)
			return touches_elements(replay, operand, masked, at, &bytes);
		if (strncmp(instruction->text, "rep", 3) == 0
			? touches_repeated(replay, operand, at, &bytes)
			: overlap(&bytes, at, operand->size))
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
		    replay, instruction, &instruction->operands[i], when, address, size);
		touch = one > touch ? one : touch;
	}
	return instruction->count ? touch : ACCESSED_YES;
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
		written = instruction.operands[i].writes && instruction.operands[i].size &&
			  accessed_operand_touches(replay, &instruction, &instruction.operands[i],
			      ACCESSED_AHEAD, address, 1) == ACCESSED_YES;
	return written;
}
