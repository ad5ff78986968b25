/*
 * Finds which operand of the instruction faulted, and what its address belongs to. An instruction
 * can have several operands, some of them implicit: the one at fault is the one that cannot be
 * accessed.
 */
#include "worker/investigate/fault.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/session/accessed.h"
#include "worker/session/mappings.h"
#include "worker/session/symbol.h"

#define NULL_PAGES  0x10000ULL
#define STACK_NEAR  (8ULL * 1024 * 1024)
#define USER_TOP    0x800000000000ULL
#define MAPPING_MAX 400

enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_EXECUTE };

static const char *const access_names[] = {"read", "write", "execute"};

struct fault {
	unsigned long long address;
	enum access access;
	unsigned align; /* alignment that the address lacks; 1: none */
	const struct memory_operand *operand;
};

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

/* Whether the access at an address fails, and where, because an operand may reach into the next
 * page. */
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

/* The first access that fails. If none does, returns false with the one that writes, or any. */
static bool find_fault(struct replay *replay, const struct mappings *mappings,
    const struct instruction *instruction, struct fault *fault)
{
	struct fault likely = {0}, this;
	unsigned long long address;

	for (size_t i = 0; i < instruction->count; i++) {
		const struct memory_operand *operand = &instruction->operands[i];

		for (unsigned lane = 0; lane < (operand->lanes ? operand->lanes : 1); lane++) {
			if (!accessed_address(replay, operand, lane, &address))
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
		snprintf(text, size, "not mapped: a null pointer, or an offset from it");
	else if (address >= USER_TOP)
		snprintf(
		    text, size, "no valid address: garbage, or freed memory that was used again");
	else if (above && above->start - address < STACK_NEAR &&
		 accessed_number(replay, "(unsigned long)$sp", &stack) && stack < above->end &&
		 stack + STACK_NEAR > above->start)
		snprintf(text, size, "not mapped: below the stack, which overflowed");
	else
		snprintf(text, size, "not mapped");
}

/* What an address belongs to, in words. */
static void name_mapping(struct replay *replay, const struct mappings *mappings,
    const struct fault *fault, char *text, size_t size)
{
	const struct mapping *mapping = mappings_find(mappings, fault->address);
	unsigned long long stack = 0;
	struct symbol symbol;
	size_t length;

	if (!mapping) {
		name_unmapped(replay, mappings, fault->address, text, size);
		return;
	}
	if (accessed_number(replay, "(unsigned long)$sp", &stack) && stack >= mapping->start &&
	    stack < mapping->end)
		snprintf(text, size, "the stack");
	else if (symbol_at(replay, fault->address, &symbol))
		snprintf(text, size, "%.300s", symbol.said);
	else
		snprintf(text, size, "%.200s",
		    mapping->file[0] ? mapping->file : "the heap, or another mapping");
	length = strlen(text);
	if (fault->align > 1)
		snprintf(text + length, size - length,
		    ", but the address is not a multiple of %u, which this instruction requires",
		    fault->align);
	else if (mapping->rights[0])
		snprintf(text + length, size - length, ", mapped %s%s", mapping->rights,
		    fault->access == ACCESS_WRITE && mapping->rights[1] == '-' ? ": read-only"
									       : "");
}

/* Right after a system call, no instruction has run that could fault, so the signal was sent. */
static bool is_behind_syscall(struct replay *replay, unsigned long long pc)
{
	static const uint8_t syscall[] = {0x0f, 0x05};
	uint8_t bytes[sizeof(syscall)];

	return accessed_whole(replay, pc - sizeof(syscall), bytes, sizeof(syscall)) &&
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

static bool is_code(const struct mappings *mappings, unsigned long long address)
{
	const struct mapping *mapping = mappings_find(mappings, address);

	return mapping && (!mapping->rights[0] || mapping->rights[2] != '-');
}

/* A function that returned to where no code is: its return address was overwritten. The processor
 * refuses an address that none can be before it leaves the function, and others after that. */
static json_t *bad_return(
    struct replay *replay, const struct mappings *mappings, unsigned long long pc)
{
	struct fault fault = {.access = ACCESS_EXECUTE, .align = 1};
	bool left = !is_code(mappings, pc);
	struct instruction instruction;
	unsigned long long slot = 0;
	json_t *json;

	if (!accessed_number(replay, "(unsigned long)$sp", &slot))
		return NULL;
	slot -= left ? sizeof(slot) : 0;
	if (!accessed_whole(replay, slot, &fault.address, sizeof(fault.address)) ||
	    is_code(mappings, fault.address))
		return NULL;
	if (left ? fault.address != pc
		 : !accessed_instruction(replay, pc, &instruction) ||
		       strncmp(instruction.text, "ret", 3) != 0)
		return NULL;
	json = describe(replay, mappings, &fault, NULL);
	json_object_set_new(json, "return_address_at", json_sprintf("0x%llx", slot));
	return json;
}

static json_t *fault_at(
    struct replay *replay, const struct mappings *mappings, unsigned long long pc)
{
	struct fault fault = {.address = pc, .access = ACCESS_EXECUTE, .align = 1};
	struct instruction instruction;
	json_t *returned = bad_return(replay, mappings, pc);

	if (returned)
		return returned;
	if (!is_code(mappings, pc))
		return describe(replay, mappings, &fault, NULL);
	if (is_behind_syscall(replay, pc))
		return NULL;
	if (!accessed_instruction(replay, pc, &instruction) ||
	    !find_fault(replay, mappings, &instruction, &fault))
		return NULL;
	return describe(replay, mappings, &fault, instruction.text);
}

json_t *fault_json(struct replay *replay)
{
	struct mappings *mappings = mappings_read(replay);
	unsigned long long pc = 0;
	json_t *json = NULL;

	if (mappings && accessed_number(replay, "(unsigned long)$pc", &pc))
		json = fault_at(replay, mappings, pc);
	mappings_free(mappings);
	return json;
}
