/*
 * An integer division fails if it is by zero, or if its result does not fit. The divisor's name
 * comes from the source line, and is told only if it has the value, and the place, that the
 * instruction divides by.
 */
#include "worker/investigate/fault/division.h"

#include <stdio.h>
#include <string.h>
#include "worker/investigate/search/phrases.h"
#include "worker/read/values/accessed.h"

struct divisor {
	unsigned long long value;
	unsigned long long address; /* 0: it is in a register */
	const char *operand;	    /* as assembly writes it */
	char register_text[16];
};

static bool read_divisor(
    struct replay *replay, const struct instruction *instruction, struct divisor *divisor)
{
	*divisor = (struct divisor){0};
	if (instruction->source_register[0]) {
		snprintf(divisor->register_text, sizeof(divisor->register_text), "%%%s",
		    instruction->source_register);
		divisor->operand = divisor->register_text;
		return accessed_register(replay, instruction->source_register,
		    instruction->source_size, &divisor->value);
	}
	if (!instruction->source_in_memory)
		return false;
	divisor->operand = instruction->operands[0].text;
	return accessed_address(replay, &instruction->operands[0], 0, &divisor->address) &&
	       accessed_whole(replay, divisor->address, &divisor->value, instruction->source_size);
}

static long long as_signed(unsigned long long value, unsigned size)
{
	unsigned unused = 64 - 8 * size;

	return size && size < 8 ? (long long)(value << unused) >> unused : (long long)value;
}

/* "-2147483648", if the dividend is as wide as the divisor; "" otherwise. */
static void tell_dividend(
    struct replay *replay, const struct instruction *instruction, char *text, size_t size)
{
	unsigned long long low = 0, high = 0;
	unsigned bytes = instruction->source_size;

	text[0] = '\0';
	if (bytes < 2 || !accessed_register(replay, "rax", bytes, &low) ||
	    !accessed_register(replay, "rdx", bytes, &high))
		return;
	if (instruction->is_signed &&
	    as_signed(high, bytes) == (as_signed(low, bytes) < 0 ? -1 : 0))
		snprintf(text, size, "%lld", as_signed(low, bytes));
	else if (!instruction->is_signed && high == 0)
		snprintf(text, size, "%llu", low);
}

static void tell(struct replay *replay, const struct instruction *instruction,
    const struct divisor *divisor, struct fault *fault)
{
	char name[PHRASE_MAX], dividend[32], value[32], place[64] = "";
	bool is_zero = divisor->value == 0;

	phrases_find_divisor(
	    replay, divisor->value, instruction->source_size, divisor->address, name);
	tell_dividend(replay, instruction, dividend, sizeof(dividend));
	if (instruction->is_signed)
		snprintf(value, sizeof(value), "%lld",
		    as_signed(divisor->value, instruction->source_size));
	else
		snprintf(value, sizeof(value), "%llu", divisor->value);
	fault->json = json_pack("{s:s,s:s,s:s}", "value", value, "operand", divisor->operand,
	    "instruction", instruction->text);
	if (name[0])
		json_object_set_new(fault->json, "divisor", json_string(name));
	if (divisor->address) {
		json_object_set_new(
		    fault->json, "address", json_sprintf("0x%llx", divisor->address));
		snprintf(place, sizeof(place), " at 0x%llx", divisor->address);
		if (is_zero)
			snprintf(fault->hint, sizeof(fault->hint),
			    "rr_origin_of of the divisor says where its value came from");
	}
	if (is_zero)
		snprintf(fault->said, sizeof(fault->said),
		    "a division by zero: the divisor, %s%s%s, is 0",
		    name[0] ? name : divisor->operand, name[0] && !place[0] ? " in " : "",
		    place[0]  ? place
		    : name[0] ? divisor->operand
			      : "");
	else
		snprintf(fault->said, sizeof(fault->said),
		    "a division whose result does not fit: %s%sby %s%s%s", dividend,
		    dividend[0] ? " " : "", value, name[0] ? ", which is " : "", name);
}

void division_find(struct replay *replay, unsigned long long pc, struct fault *fault)
{
	struct instruction instruction;
	struct divisor divisor;

	if (!accessed_instruction(replay, pc, &instruction))
		return;
	if (instruction.divides && read_divisor(replay, &instruction, &divisor))
		tell(replay, &instruction, &divisor, fault);
	else if (!instruction.divides)
		fault->json = json_pack("{s:s}", "instruction", instruction.text);
}
