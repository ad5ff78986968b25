/*
 * Reads one disassembled instruction. The text is gdb's, of bytes that the recorded program chose:
 * nothing is assumed of it but that it ends.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/fault.h"
#include "worker/mi.h"
#include "worker/values.h"

#define NULL_PAGES   0x10000ULL
#define STACK_NEAR   (8ULL * 1024 * 1024)
#define USER_TOP     0x800000000000ULL
#define REGISTER_MAX 16

/* Instructions whose last operand in memory is only read. */
static const char *const readers[] = {
    "cmp", "test", "push", "call", "jmp", "ucomis", "comis", "bt "};

static const char *find_operand(const char *text, const char **end)
{
	const char *open = strchr(text, '('), *close = open ? strchr(open, ')') : NULL;
	const char *start = open;

	if (!close)
		return NULL;
	while (start > text && start[-1] != ' ' && start[-1] != ',' && start[-1] != '\t' &&
	       start[-1] != '*')
		start--;
	*end = close + 1;
	return start;
}

/* Appends "+$reg" or "+$reg*scale" of one part between the parentheses. */
static bool add_register(char *to, size_t size, const char *from, size_t length, const char *scale)
{
	size_t at = strlen(to);

	if (length == 0)
		return true;
	if (from[0] != '%' || length > REGISTER_MAX)
		return false;
	for (size_t i = 1; i < length; i++)
		if (!isalnum((unsigned char)from[i]))
			return false;
	snprintf(to + at, size - at, "+(unsigned long)$%.*s%s%s", (int)length - 1, from + 1,
	    scale ? "*" : "", scale ? scale : "");
	return true;
}

static bool build_expression(struct fault_operand *operand)
{
	const char *text = operand->text, *open = strchr(text, '('), *inside = open + 1;
	const char *close = strchr(inside, ')'), *comma;
	char scale[2] = "1", displacement[32];
	size_t length = (size_t)(open - text);

	/* Segment-relative addresses (%fs:0x28) are thread-local: their base is not in the text. */
	if (length >= sizeof(displacement) || memchr(text, ':', length))
		return false;
	snprintf(displacement, sizeof(displacement), "%.*s", (int)length, text);
	for (const char *c = displacement; *c; c++)
		if (!isxdigit((unsigned char)*c) && *c != 'x' && *c != '-')
			return false;
	snprintf(operand->expression, sizeof(operand->expression), "(unsigned long)%s",
	    length ? displacement : "0");
	comma = memchr(inside, ',', (size_t)(close - inside));
	if (!add_register(operand->expression, sizeof(operand->expression), inside,
		(size_t)((comma ? comma : close) - inside), NULL))
		return false;
	if (!comma)
		return true;
	inside = comma + 1;
	comma = memchr(inside, ',', (size_t)(close - inside));
	if (comma && comma[1] >= '1' && comma[1] <= '8')
		scale[0] = comma[1];
	return add_register(operand->expression, sizeof(operand->expression), inside,
	    (size_t)((comma ? comma : close) - inside), scale);
}

bool fault_parse(const char *instruction, struct fault_operand *operand)
{
	const char *end, *start = find_operand(instruction, &end);

	if (!start || (size_t)(end - start) >= sizeof(operand->text) ||
	    strncmp(instruction, "lea", 3) == 0)
		return false;
	snprintf(operand->text, sizeof(operand->text), "%.*s", (int)(end - start), start);
	/* The destination is the last operand; a comment may follow it. */
	operand->writes = *end == '\0' || *end == ' ' || *end == '\t';
	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++)
		if (strncmp(instruction, readers[i], strlen(readers[i])) == 0)
			operand->writes = false;
	return build_expression(operand);
}

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

/* What an address belongs to, in words. */
static void name_mapping(struct replay *replay, unsigned long long address, char *text, size_t size)
{
	unsigned long long stack = 0, byte;
	char command[64];
	const char *symbol;

	snprintf(command, sizeof(command), "*(unsigned char *) 0x%llx", address);
	if (address < NULL_PAGES)
		snprintf(text, size, "not mapped: a null pointer, or an offset from one");
	else if (address >= USER_TOP)
		snprintf(text, size, "no address of a program: garbage, or freed memory reused");
	else if (!read_number(replay, command, &byte))
		snprintf(text, size, "not mapped, or not readable");
	else if (read_number(replay, "(unsigned long)$sp", &stack) &&
		 address + STACK_NEAR > stack && address < stack + STACK_NEAR)
		snprintf(text, size, "the stack");
	else {
		snprintf(command, sizeof(command), "info symbol 0x%llx", address);
		if (gdb_console(replay->gdb, &symbol, command) == GDB_DONE &&
		    strncmp(symbol, "No symbol", 9) != 0)
			snprintf(text, size, "%.*s", (int)strcspn(symbol, "\n"), symbol);
		else
			snprintf(text, size, "mapped: heap or another mapping");
	}
}

json_t *fault_json(struct replay *replay)
{
	struct fault_operand operand = {0};
	unsigned long long address = 0;
	json_t *results = NULL, *json = NULL;
	char mapping[200], hex[32];
	const char *instruction;

	if (gdb_command(replay->gdb, &results, "-data-disassemble -s $pc -e \"$pc + 1\" -- 0") !=
	    GDB_DONE)
		return NULL;
	instruction = mi_text(json_array_get(json_object_get(results, "asm_insns"), 0), "inst");
	if (instruction && fault_parse(instruction, &operand) &&
	    read_number(replay, operand.expression, &address)) {
		name_mapping(replay, address, mapping, sizeof(mapping));
		snprintf(hex, sizeof(hex), "0x%llx", address);
		json = json_pack("{s:s,s:s,s:s,s:s,s:s}", "address", hex, "access",
		    operand.writes ? "write" : "read", "mapping", mapping, "operand", operand.text,
		    "instruction", instruction);
	}
	json_decref(results);
	return json;
}
