/*
 * Finds which operand of the instruction faulted, and what its address belongs to. An instruction
 * can have several operands, some of them implicit: the one at fault is the one that cannot be
 * accessed. If all can be, none is named.
 */
#include "worker/investigate/fault/fault_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/investigate/code/belongs.h"
#include "worker/investigate/fault/departure.h"
#include "worker/investigate/fault/division.h"
#include "worker/investigate/fault/pointer.h"
#include "worker/investigate/fault/sender.h"
#include "worker/read/values/accessed.h"

#define FLAG_ALIGNMENT_CHECK 0x40000

struct operand_fault {
	unsigned long long address;
	enum right access;
	unsigned align;	  /* alignment that the address lacks; 1: none */
	bool behind_file; /* of a mapping, whose file ends before it */
	const struct memory_operand *operand;
};

/* One look at one instruction. */
struct look {
	struct replay *replay;
	const struct mappings *mappings;
	bool bus;	   /* the signal is SIGBUS */
	bool checks_align; /* the program has asked for it */
};

static bool may(
    const struct look *look, const struct memory_operand *operand, unsigned long long address)
{
	const struct mapping *mapping = mappings_find(look->mappings, address);

	return (!operand->access.reads || belongs_allows(mapping, ACCESS_READ)) &&
	       (!operand->access.writes || belongs_allows(mapping, ACCESS_WRITE));
}

/* A page behind the end of a file is in the mapping, and nothing but this signal tells of it. */
static bool may_be_behind_file(const struct look *look, unsigned long long address)
{
	const struct mapping *mapping = mappings_find(look->mappings, address);

	return look->bus && mapping && mapping->file[0] && mapping->file[0] != '[';
}

/* Whether an access of that many bytes fails, and where, because it may reach into the next page.
 */
static bool fails_at(const struct look *look, const struct memory_operand *operand,
    unsigned long long address, unsigned size, struct operand_fault *fault)
{
	unsigned long long last = address + (size ? size - 1 : 0);

	*fault = (struct operand_fault){.address = address,
	    .access = operand->access.writes ? ACCESS_WRITE : ACCESS_READ,
	    .align = 1,
	    .operand = operand};
	if (!may(look, operand, address)) {
		if (operand->access.reads &&
		    !belongs_allows(mappings_find(look->mappings, address), ACCESS_READ))
			fault->access = operand->access.writes ? ACCESS_WRITE : ACCESS_READ;
		return true;
	}
	if (!may(look, operand, last)) {
		fault->address = mappings_find(look->mappings, address)->end;
		return true;
	}
	if (address % operand->access.align)
		fault->align = operand->access.align;
	else if (look->bus && look->checks_align && operand->access.size &&
		 operand->access.size <= 16 &&
		 !(operand->access.size & (operand->access.size - 1)) &&
		 address % operand->access.size)
		fault->align = operand->access.size;
	return fault->align > 1;
}

/* Each element that the mask selects, on its own. */
static bool fails_in_elements(const struct look *look, const struct memory_operand *operand,
    unsigned long long address, struct operand_fault *fault)
{
	for (unsigned i = 0;
	     operand->access.element && i < operand->access.size / operand->access.element; i++)
		if (accessed_is_selected(look->replay, operand, i) &&
		    fails_at(look, operand,
			address + (unsigned long long)i * operand->access.element,
			operand->access.element, fault))
			return true;
	return false;
}

static bool fails(const struct look *look, const struct memory_operand *operand, unsigned lane,
    struct operand_fault *fault)
{
	unsigned long long address;

	if ((operand->access.lanes && !accessed_is_selected(look->replay, operand, lane)) ||
	    !accessed_address(look->replay, operand, lane, &address))
		return false;
	if (operand->mask[0] && !operand->access.lanes)
		return fails_in_elements(look, operand, address, fault);
	return fails_at(look, operand, address, operand->access.size, fault);
}

/* The only operand that is in a file's mapping. */
static bool find_behind_file(
    const struct look *look, const struct instruction *instruction, struct operand_fault *fault)
{
	unsigned long long address;
	size_t found = 0;

	for (size_t i = 0; i < instruction->count; i++) {
		const struct memory_operand *operand = &instruction->operands[i];

		if (operand->access.lanes ||
		    !accessed_address(look->replay, operand, 0, &address) ||
		    !may_be_behind_file(look, address))
			continue;
		fails_at(look, operand, address, operand->access.size, fault);
		fault->behind_file = true;
		found++;
	}
	return found == 1;
}

/* The first access that fails. */
static bool find_fault(
    const struct look *look, const struct instruction *instruction, struct operand_fault *fault)
{
	for (size_t i = 0; i < instruction->count; i++) {
		const struct memory_operand *operand = &instruction->operands[i];

		for (unsigned lane = 0; lane < (operand->access.lanes ? operand->access.lanes : 1);
		     lane++)
			if (fails(look, operand, lane, fault))
				return true;
	}
	return find_behind_file(look, instruction, fault);
}

/* Right after a system call, no instruction has run that could fault, so the signal was sent, where
 * nothing else tells. */
static bool is_behind_syscall(struct replay *replay, unsigned long long pc)
{
	static const uint8_t syscall[] = {0x0f, 0x05};
	uint8_t bytes[sizeof(syscall)];

	return accessed_whole(replay, pc - sizeof(syscall), bytes, sizeof(syscall)) &&
	       memcmp(bytes, syscall, sizeof(syscall)) == 0;
}

static bool tell_sent(struct replay *replay, const struct mappings *mappings, const char *signal,
    unsigned long long pc, struct fault *fault)
{
	bool itself, sent = sender_is_there(replay, signal, &itself);

	if (!sent && !sender_is_instruction(replay, signal))
		sent = belongs_to_code(mappings, pc) && is_behind_syscall(replay, pc);
	if (sent)
		snprintf(fault->said, sizeof(fault->said),
		    "no instruction caused it: the signal was sent%s",
		    itself ? ", by the program itself" : "");
	return sent;
}

static void tell_mapping(
    const struct look *look, const struct operand_fault *found, char text[BELONGS_MAX])
{
	size_t length;

	belongs_tell(look->replay, look->mappings, found->address, found->access, text);
	length = strlen(text);
	if (found->align > 1)
		snprintf(text + length, BELONGS_MAX - length,
		    ", but the address is not a multiple of %u, which this instruction requires",
		    found->align);
	if (found->behind_file)
		snprintf(text + length, BELONGS_MAX - length,
		    ", but the file ends before: it was made shorter, or the mapping was made "
		    "longer than the file");
}

static void tell_operand(const struct look *look, const struct operand_fault *found,
    const char *instruction, struct fault *fault)
{
	static const char *const names[] = {"read", "write", "execute"};
	char text[BELONGS_MAX], hex[32], align[64] = "";
	const char *why = belongs_why(look->mappings, found->address, found->access);

	tell_mapping(look, found, text);
	snprintf(hex, sizeof(hex), "0x%llx", found->address);
	if (found->align > 1)
		snprintf(align, sizeof(align), "which is not a multiple of %u", found->align);
	fault->json =
	    json_pack("{s:s,s:s,s:s,s:s,s:s}", "address", hex, "access", names[found->access],
		"mapping", text, "operand", found->operand->text, "instruction", instruction);
	fault->stack_full = belongs_to_full_stack(look->replay, look->mappings, found->address);
	why = found->behind_file ? "behind the end of the mapped file" : align[0] ? align : why;
	snprintf(fault->said, sizeof(fault->said), "%s of %s%s%s%s", names[found->access], hex,
	    why[0] ? ", " : "", why, fault->stack_full ? ": the stack overflowed" : "");
	if (!found->behind_file && found->align == 1 && !fault->stack_full)
		pointer_tell(look->replay, look->mappings, found->operand, fault);
}

/* The instruction itself reaches beyond the end of the code. */
static bool tell_run_over(const struct look *look, unsigned long long pc, struct fault *fault)
{
	const struct mapping *mapping = mappings_find(look->mappings, pc);
	char text[BELONGS_MAX], hex[32];

	if (!mapping || pc + INSTRUCTION_BYTES_MAX <= mapping->end ||
	    belongs_to_code(look->mappings, mapping->end))
		return false;
	belongs_tell(look->replay, look->mappings, mapping->end, ACCESS_EXECUTE, text);
	snprintf(hex, sizeof(hex), "0x%llx", mapping->end);
	fault->json =
	    json_pack("{s:s,s:s,s:s}", "address", hex, "access", "execute", "mapping", text);
	snprintf(fault->said, sizeof(fault->said),
	    "the program runs over the end of its code, into %s, %s", hex,
	    belongs_why(look->mappings, mapping->end, ACCESS_EXECUTE));
	return true;
}

static void tell_privileged(const struct instruction *instruction, struct fault *fault)
{
	fault->json = json_pack("{s:s}", "instruction", instruction->text);
	snprintf(fault->said, sizeof(fault->said), "the instruction %s is for the kernel alone",
	    instruction->text);
}

static void find_in_memory(struct look *look, unsigned long long pc, struct fault *fault)
{
	struct instruction instruction;
	struct operand_fault found;
	unsigned long long flags = 0;

	if (!belongs_to_code(look->mappings, pc)) {
		departure_guess(look->replay, look->mappings, pc, fault);
		return;
	}
	if (!accessed_instruction(look->replay, pc, &instruction)) {
		tell_run_over(look, pc, fault);
		return;
	}
	look->checks_align = accessed_number(look->replay, "(unsigned long)$eflags", &flags) &&
			     flags & FLAG_ALIGNMENT_CHECK;
	if (departure_is_refused(look->replay, look->mappings, pc, &instruction, fault))
		return;
	if (find_fault(look, &instruction, &found))
		tell_operand(look, &found, instruction.text, fault);
	else if (instruction.privileged)
		tell_privileged(&instruction, fault);
	else
		tell_run_over(look, pc, fault);
}

/* Instructions that are there to end a program, or that the processor does not know. */
static void find_illegal(struct replay *replay, unsigned long long pc, struct fault *fault)
{
	struct instruction instruction;

	if (!accessed_instruction(replay, pc, &instruction)) {
		snprintf(fault->said, sizeof(fault->said), "its bytes are no instruction");
		return;
	}
	fault->json = json_pack("{s:s}", "instruction", instruction.text);
	if (strncmp(instruction.text, "ud", 2) == 0)
		snprintf(fault->said, sizeof(fault->said),
		    "the instruction %s, which compilers put where a program must not go on "
		    "(__builtin_trap, code that cannot be reached)",
		    instruction.text);
	else
		snprintf(fault->said, sizeof(fault->said),
		    "the processor, or the kernel, refuses the instruction %s", instruction.text);
}

/* Whether an instruction may cause the signal. */
static bool is_of_processor(const char *signal)
{
	static const char *const names[] = {"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(signal, names[i]) == 0)
			return true;
	return false;
}

static void find(struct replay *replay, const struct mappings *mappings, const char *signal,
    unsigned long long pc, struct fault *fault)
{
	struct look look = {.replay = replay, .mappings = mappings};

	look.bus = strcmp(signal, "SIGBUS") == 0;
	if (!is_of_processor(signal) || tell_sent(replay, mappings, signal, pc, fault))
		return;
	if (look.bus || strcmp(signal, "SIGSEGV") == 0)
		find_in_memory(&look, pc, fault);
	else if (strcmp(signal, "SIGFPE") == 0)
		division_find(replay, pc, fault);
	else if (strcmp(signal, "SIGILL") == 0)
		find_illegal(replay, pc, fault);
}

void fault_find(struct replay *replay, const char *signal, struct fault *fault)
{
	cleanup_mappings struct mappings *mappings = mappings_read(replay);
	unsigned long long pc = 0;

	*fault = (struct fault){0};
	if (mappings && signal && accessed_number(replay, "(unsigned long)$pc", &pc))
		find(replay, mappings, signal, pc, fault);
}
