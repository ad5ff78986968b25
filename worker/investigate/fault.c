/*
 * Tells which operand of the instruction faulted, and what its address belongs to. An instruction
 * may have several, and some of them unnamed: the one at fault is the one that cannot be accessed.
 */
#include "worker/investigate/fault.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi.h"
#include "worker/investigate/operand.h"
#include "worker/session/mappings.h"
#include "worker/session/values.h"

#define NULL_PAGES  0x10000ULL
#define STACK_NEAR  (8ULL * 1024 * 1024)
#define USER_TOP    0x800000000000ULL
#define MAPPING_MAX 400

enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_EXECUTE };

static const char *const access_names[] = {"read", "write", "execute"};

struct fault {
	unsigned long long address;
	enum access access;
	unsigned align; /* that the address lacks; 1: none */
	const struct memory_operand *operand;
};

static bool read_number(struct replay *replay, const char *expression, unsigned long long *number)
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
	if (!read_number(replay, expression, &value))
		return false;
	*address += value * scale;
	return true;
}

/* One lane of a vector that holds indexes. */
static bool add_lane(struct replay *replay, const struct memory_operand *operand, unsigned lane,
    unsigned long long *address)
{
	unsigned long long value;
	char expression[64];

	snprintf(expression, sizeof(expression), "(long)$%s.v%u_int%u[%u]", operand->index,
	    operand->lanes, operand->lane_bits, lane);
	if (!read_number(replay, expression, &value))
		return false;
	*address += value * operand->scale;
	return true;
}

static bool address_of(struct replay *replay, const struct memory_operand *operand, unsigned lane,
    unsigned long long *address)
{
	*address = (unsigned long long)operand->displacement;
	if (!add_register(replay, operand->base, 1, address) ||
	    (operand->lanes ? !add_lane(replay, operand, lane, address)
			    : !add_register(replay, operand->index, operand->scale, address)))
		return false;
	if (operand->address_bits == 32)
		*address &= 0xffffffffu;
	return add_register(replay, operand->segment, 1, address);
}

static bool allows(const struct mapping *mapping, bool writes)
{
	return mapping && (!mapping->rights[0] || mapping->rights[writes ? 1 : 0] != '-');
}

static bool may(const struct mappings *mappings, const struct memory_operand *operand,
    unsigned long long address)
{
	const struct mapping *mapping = mappings_find(mappings, address);

	return (!operand->reads || allows(mapping, false)) &&
	       (!operand->writes || allows(mapping, true));
}

/* Whether the access at an address fails, and where: an operand may reach into the next page. */
static bool fails_at(const struct mappings *mappings, const struct memory_operand *operand,
    unsigned long long address, struct fault *fault)
{
	unsigned long long last = address + (operand->size ? operand->size - 1 : 0);

	*fault = (struct fault){address, operand->writes ? ACCESS_WRITE : ACCESS_READ, 1, operand};
	if (!may(mappings, operand, address))
		return true;
	if (!may(mappings, operand, last)) {
		fault->address = mappings_find(mappings, address)->end;
		return true;
	}
	if (address % operand->align)
		fault->align = operand->align;
	return fault->align > 1;
}

/* The first access that fails; where none does, the one that writes, or any: false. */
static bool find_fault(struct replay *replay, const struct mappings *mappings,
    const struct instruction *instruction, struct fault *fault)
{
	struct fault likely = {0}, this;
	unsigned long long address;

	for (size_t i = 0; i < instruction->count; i++) {
		const struct memory_operand *operand = &instruction->operands[i];

		for (unsigned lane = 0; lane < (operand->lanes ? operand->lanes : 1); lane++) {
			if (!address_of(replay, operand, lane, &address))
				break;
			if (fails_at(mappings, operand, address, &this)) {
				*fault = this;
				return true;
			}
			if (!likely.operand ||
			    (this.access == ACCESS_WRITE && likely.access != ACCESS_WRITE))
				likely = this;
		}
	}
	*fault = likely;
	return likely.operand != NULL;
}

static void name_unmapped(struct replay *replay, const struct mappings *mappings,
    unsigned long long address, char *text, size_t size)
{
	const struct mapping *above = mappings_above(mappings, address);
	unsigned long long stack = 0;

	if (address < NULL_PAGES)
		snprintf(text, size, "not mapped: a null pointer, or an offset from one");
	else if (address >= USER_TOP)
		snprintf(text, size, "no address of a program: garbage, or freed memory reused");
	else if (above && above->start - address < STACK_NEAR &&
		 read_number(replay, "(unsigned long)$sp", &stack) && stack < above->end &&
		 stack + STACK_NEAR > above->start)
		snprintf(text, size, "not mapped: below the stack, which has overflowed");
	else
		snprintf(text, size, "not mapped");
}

/* What an address belongs to, in words. */
static void name_mapping(struct replay *replay, const struct mappings *mappings,
    const struct fault *fault, char *text, size_t size)
{
	const struct mapping *mapping = mappings_find(mappings, fault->address);
	unsigned long long stack = 0;
	const char *symbol;
	char command[64];
	size_t length;

	if (!mapping) {
		name_unmapped(replay, mappings, fault->address, text, size);
		return;
	}
	snprintf(command, sizeof(command), "info symbol 0x%llx", fault->address);
	if (read_number(replay, "(unsigned long)$sp", &stack) && stack >= mapping->start &&
	    stack < mapping->end)
		snprintf(text, size, "the stack");
	else if (gdb_console(replay->gdb, &symbol, command) == GDB_DONE &&
		 strncmp(symbol, "No symbol", 9) != 0)
		snprintf(text, size, "%.*s", (int)strcspn(symbol, "\n"), symbol);
	else
		snprintf(text, size, "%.200s",
		    mapping->file[0] ? mapping->file : "the heap or another mapping");
	length = strlen(text);
	if (fault->align > 1)
		snprintf(text + length, size - length,
		    ", but the address is no multiple of %u, as this instruction needs",
		    fault->align);
	else if (mapping->rights[0])
		snprintf(text + length, size - length, ", mapped %s%s", mapping->rights,
		    fault->access == ACCESS_WRITE && mapping->rights[1] == '-' ? ": read-only"
									       : "");
}

static int digit(char c)
{
	return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* Bytes at an address; fewer at the end of what is mapped. */
static size_t read_bytes(
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

/* Right behind a system call no instruction has run that could fault: the signal was sent. */
static bool is_behind_syscall(struct replay *replay, unsigned long long pc)
{
	static const uint8_t syscall[] = {0x0f, 0x05};
	uint8_t bytes[sizeof(syscall)];

	return read_bytes(replay, pc - sizeof(syscall), bytes, sizeof(syscall)) ==
		   sizeof(syscall) &&
	       memcmp(bytes, syscall, sizeof(syscall)) == 0;
}

static json_t *describe(struct replay *replay, const struct mappings *mappings,
    const struct fault *fault, const char *instruction)
{
	char text[MAPPING_MAX], hex[32];
	json_t *json;

	name_mapping(replay, mappings, fault, text, sizeof(text));
	snprintf(hex, sizeof(hex), "0x%llx", fault->address);
	json = json_pack("{s:s,s:s,s:s}", "address", hex, "access", access_names[fault->access],
	    "mapping", text);
	if (fault->operand) {
		json_object_set_new(json, "operand", json_string(fault->operand->text));
		json_object_set_new(json, "instruction", json_string(instruction));
	}
	return json;
}

static json_t *fault_at(
    struct replay *replay, const struct mappings *mappings, unsigned long long pc)
{
	const struct mapping *code = mappings_find(mappings, pc);
	struct instruction instruction;
	uint8_t bytes[INSTRUCTION_BYTES_MAX];
	unsigned long long pointer = 8;
	struct fault fault = {.address = pc, .access = ACCESS_EXECUTE, .align = 1};
	size_t length;

	if (!code || (code->rights[0] && code->rights[2] == '-'))
		return describe(replay, mappings, &fault, NULL);
	if (is_behind_syscall(replay, pc))
		return NULL;
	read_number(replay, "sizeof(void *)", &pointer);
	length = read_bytes(replay, pc, bytes, sizeof(bytes));
	if (!operand_decode(bytes, length, pc, pointer == 8, &instruction) ||
	    !find_fault(replay, mappings, &instruction, &fault))
		return NULL;
	return describe(replay, mappings, &fault, instruction.text);
}

json_t *fault_json(struct replay *replay)
{
	struct mappings *mappings = mappings_read(replay);
	unsigned long long pc = 0;
	json_t *json = NULL;

	if (mappings && read_number(replay, "(unsigned long)$pc", &pc))
		json = fault_at(replay, mappings, pc);
	mappings_free(mappings);
	return json;
}
