/*
 * Arithmetic that changes nothing: `lea (%r13,%rax,8)` where rax is 0, a mask of bits that are 0
 * already, adding 0, multiplying by 1. Only told of an operand that is the result and cannot be it
 * by chance; where two operands are it, neither.
 */
#include <stdio.h>
#include <string.h>
#include "worker/investigate/values/origin.h"
#include "worker/read/values/accessed.h"

#define SOURCES_MAX 4
#define NAME_CHARS  "abcdefghijklmnopqrstuvwxyz0123456789"

/* What of its operands may pass through an instruction. */
static const struct {
	const char *name;
	bool last_only; /* only the one that it changes: x - 0, x << 0 */
} neutrals[] = {
    {"lea", false},
    {"add", false},
    {"or", true},
    {"xor", false},
    {"and", true},
    {"imul", false},
    {"sub", true},
    {"shl", true},
    {"sal", true},
    {"shr", true},
    {"sar", true},
    {"rol", true},
    {"ror", true},
    {"bts", true},
    {"btr", true},
};

struct sources {
	struct piece registers[SOURCES_MAX];
	size_t register_count;
	unsigned long long address; /* of memory, 0: none is read */
	unsigned size;
};

/* The mnemonic without a suffix for the size: "addq" as "add". -1: it is none of these. */
static int find_neutral(const char *text)
{
	size_t length = strcspn(text, " ");

	for (size_t i = 0; i < sizeof(neutrals) / sizeof(*neutrals); i++) {
		size_t own = strlen(neutrals[i].name);
		if (strncmp(text, neutrals[i].name, own) == 0 &&
		    (length == own || (length == own + 1 && strchr("bwlq", text[own]))))
			return (int)i;
	}
	return -1;
}

/* "eax" and "rax", "r8d" and "r8"; others are left alone, because a part of a register stays. */
static bool read_register(const char *name, size_t length, struct piece *piece)
{
	for (unsigned i = 0; i < FLOW_REGISTERS; i++) {
		const char *whole = flow_register_name(i);
		size_t own = strlen(whole);

		*piece = (struct piece){.number = i, .size = 8};
		if (length == own && strncmp(name, whole, own) == 0)
			return true;
		piece->size = 4;
		if (i < 8 && length == own && name[0] == 'e' &&
		    strncmp(name + 1, whole + 1, own - 1) == 0)
			return true;
		if (i >= 8 && length == own + 1 && name[own] == 'd' &&
		    strncmp(name, whole, own) == 0)
			return true;
	}
	return false;
}

static void add_register(struct sources *sources, const struct piece *piece)
{
	for (size_t i = 0; i < sources->register_count; i++)
		if (sources->registers[i].number == piece->number)
			return;
	if (sources->register_count < SOURCES_MAX)
		sources->registers[sources->register_count++] = *piece;
}

/* Where its last operand begins, outside of parentheses. */
static const char *last_operand(const char *text)
{
	const char *last = text + strcspn(text, " ");
	int depth = 0;

	for (const char *at = last; *at; at++) {
		depth += *at == '(';
		depth -= *at == ')';
		if (*at == ',' && depth == 0)
			last = at + 1;
	}
	return last;
}

static bool has_three_operands(const char *text)
{
	int depth = 0, commas = 0;

	for (; *text; text++) {
		depth += (*text == '(') - (*text == ')');
		commas += *text == ',' && depth == 0;
	}
	return commas == 2;
}

/* The registers whose value may be the result. Those in parentheses only make an address, but for
 * lea, where one with a scale is never the result alone. */
static void read_registers(const char *text, bool is_lea, bool last_only, struct sources *sources)
{
	const char *last = last_operand(text), *end = text + strlen(text);
	int depth = 0, commas = 0;
	struct piece piece;

	/* What only gets the result. */
	if (is_lea || (strncmp(text, "imul", 4) == 0 && has_three_operands(text)))
		end = last;
	for (const char *at = last_only ? last : text + strcspn(text, " "); at < end; at++) {
		if (*at == '(')
			depth++, commas = 0;
		else if (*at == ')')
			depth--;
		else if (*at == ',')
			commas++;
		if (*at != '%' || (depth > 0) != is_lea)
			continue;
		size_t length = strspn(at + 1, NAME_CHARS);
		bool scaled = is_lea && commas && at[1 + length] == ',' && at[2 + length] != '1';
		if (!scaled && read_register(at + 1, length, &piece))
			add_register(sources, &piece);
	}
}

static void read_memory(struct replay *replay, const struct instruction *instruction,
    bool last_only, struct sources *sources)
{
	for (size_t i = 0; i < instruction->count; i++) {
		const struct memory_operand *operand = &instruction->operands[i];

		if (!operand->access.reads || operand->access.lanes ||
		    operand->access.size > ORIGIN_BYTES_MAX ||
		    (last_only && !operand->access.writes) ||
		    !accessed_address(replay, operand, 0, &sources->address))
			continue;
		sources->size = operand->access.size;
	}
}

/* Whether these bytes are the value, where zeros fill up the rest. */
static bool is_value(const struct origin_bytes *now, const uint8_t *bytes, unsigned size)
{
	for (unsigned i = 0; i < now->size; i++)
		if (now->bytes[i] != (i < size ? bytes[i] : 0))
			return false;
	return true;
}

bool origin_through_neutral(struct origin *origin, const struct instruction *instruction, bool *on)
{
	struct origin_bytes *now = &origin->now;
	int number = find_neutral(instruction->text);
	struct sources sources = {0};
	const struct piece *found = NULL;
	uint8_t bytes[ORIGIN_BYTES_MAX];
	bool is_lea, last_only, in_memory;

	if (number < 0 || now->piece.offset || !strchr(instruction->text, ','))
		return false;
	is_lea = strcmp(neutrals[number].name, "lea") == 0;
	last_only = neutrals[number].last_only;
	read_registers(instruction->text, is_lea, last_only, &sources);
	if (!is_lea)
		read_memory(origin->replay, instruction, last_only, &sources);
	for (size_t i = 0; i < sources.register_count; i++) {
		struct piece *piece = &sources.registers[i];

		if (piece->size > now->size)
			piece->size = now->size;
		if (!origin_read_register(origin->replay, piece, bytes) ||
		    !is_value(now, bytes, piece->size))
			continue;
		if (found)
			return false;
		found = piece;
	}
	if (sources.size > now->size)
		sources.size = now->size;
	in_memory = sources.address &&
		    accessed_whole(origin->replay, sources.address, bytes, sources.size) &&
		    is_value(now, bytes, sources.size);
	if (in_memory == (found != NULL))
		return false;
	origin_add(origin, "left as it was by `%s`", instruction->text);
	*on = found ? origin_to_register(origin, found, instruction)
		    : origin_to_memory(origin, sources.address, sources.size, instruction);
	return true;
}
