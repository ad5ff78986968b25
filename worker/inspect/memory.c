/*
 * Reads memory and registers as text, with limits.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/serve/handlers.h"
#include "worker/inspect/memory.h"
#include "worker/read/names/scope.h"
#include "worker/read/names/ambiguous_statics.h"
#include "worker/gdb/mi/mi.h"

#define DUMP_BYTES_MAX 1024 /* of memory shown as lines beside the hex digits */
#define DUMP_PER_LINE  16
#define DUMP_LINE_MAX  96
#define REGISTERS_MAX  64

/* Shown by default, if the machine has them. */
static const char *const general[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8",
    "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rip", "eflags", "fs_base", "gs_base", NULL};

static int digit(char c)
{
	return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

void memory_dump(char *to, size_t size, unsigned long long address, const char *contents)
{
	size_t count = strlen(contents) / 2, out = 0;

	to[0] = '\0';
	for (size_t at = 0; at < count && out + DUMP_LINE_MAX < size; at += DUMP_PER_LINE) {
		size_t some = count - at < DUMP_PER_LINE ? count - at : DUMP_PER_LINE;
		out += (size_t)snprintf(to + out, size - out, "0x%llx ", address + at);
		for (size_t i = 0; i < DUMP_PER_LINE; i++)
			out += (size_t)snprintf(to + out, size - out, " %.2s",
			    i < some ? contents + 2 * (at + i) : "  ");
		out += (size_t)snprintf(to + out, size - out, "  |");
		for (size_t i = 0; i < some; i++) {
			const char *hex = contents + 2 * (at + i);
			int c = digit(hex[0]) * 16 + digit(hex[1]);
			to[out++] = c >= 0x20 && c < 0x7f ? (char)c : '.';
		}
		out += (size_t)snprintf(to + out, size - out, "|\n");
	}
}

static json_t *describe_memory(
    const json_t *memory, bool dump, long long count, struct failure *failure)
{
	const json_t *block = json_array_get(memory, 0);
	const char *begin = mi_text(block, "begin"), *contents = mi_text(block, "contents");
	const char *offset = mi_text(block, "offset");
	cleanup_free char *lines = malloc((DUMP_BYTES_MAX / DUMP_PER_LINE + 2) * DUMP_LINE_MAX);
	unsigned long long address = mi_address(block, "begin");
	json_t *result;

	if (!contents || !lines) {
		failure_set(failure, ERROR_NOT_FOUND, NULL, "gdb returned no memory");
		return NULL;
	}
	result = json_pack("{s:s,s:s}", "address", begin, "contents", contents);
	if (dump && strlen(contents) / 2 <= DUMP_BYTES_MAX) {
		memory_dump(
		    lines, (DUMP_BYTES_MAX / DUMP_PER_LINE + 2) * DUMP_LINE_MAX, address, contents);
		json_object_set_new(result, "dump", json_string(lines));
	}
	if ((long long)(strlen(contents) / 2) < count || (offset && strtoull(offset, NULL, 16)))
		json_object_set_new(
		    result, "truncated", json_integer(count - (json_int_t)(strlen(contents) / 2)));
	return result;
}

json_t *tool_read_memory(
    struct replay *replay, const struct read_memory_args *args, struct failure *failure)
{
	const struct selection *selected = replay_selected(replay);
	struct gdb *gdb = replay_gdb(replay);
	char quoted[GDB_QUOTED_MAX];
	json_auto_t *results = NULL;

	if (!gdb_quote(quoted, "address", args->address, failure) ||
	    !ambiguous_statics_check(replay, args->address, failure))
		return NULL;
	if (gdb_check(gdb,
		gdb_command(gdb, &results,
		    "-data-read-memory-bytes --thread %d --frame %d -- %s %lld", selected->number,
		    selected->frame, quoted, args->count),
		ERROR_INVALID_ARGUMENT,
		"address must be a number, or an expression with a number as its value", failure))
		return describe_memory(json_object_get(results, "memory"),
		    args->format != MEMORY_PLAIN, args->count, failure);
	scope_explain(replay, failure);
	return NULL;
}

static int register_number(const json_t *names, const char *name)
{
	json_t *entry;
	size_t i;

	if (name[0] == '$')
		name++;
	json_array_foreach(names, i,
	    entry) if (name[0] && strcasecmp(json_string_value(entry), name) == 0) return (int)i;
	return -1;
}

/* Builds " 1 2 3" for the registers that the call names; false with *failure filled. */
static bool number_list(
    const json_t *names, const json_t *wanted, char *numbers, size_t size, struct failure *failure)
{
	size_t length = 0, count = json_array_size(wanted);

	numbers[0] = '\0';
	for (size_t i = 0; count ? i < count : general[i] != NULL; i++) {
		const char *name =
		    count ? json_string_value(json_array_get(wanted, i)) : general[i];
		int number = name ? register_number(names, name) : -1;
		if (number >= 0 && length + 12 < size)
			length += (size_t)snprintf(numbers + length, size - length, " %d", number);
		else if (count) {
			failure_set(failure, ERROR_NOT_FOUND,
			    "use gdb's names, for instance rip, xmm0, eflags", "no register %.60s",
			    name ? name : "");
			return false;
		}
	}
	return length > 0;
}

static json_t *register_values(const json_t *names, const json_t *values)
{
	json_t *registers = json_object(), *row;
	size_t i;

	json_array_foreach(values, i, row)
	{
		const char *number = mi_text(row, "number"), *value = mi_text(row, "value");
		const char *name =
		    number ? json_string_value(json_array_get(names, strtoul(number, NULL, 10)))
			   : NULL;
		if (name && value)
			json_object_set_new(registers, name, json_string(value));
	}
	return registers;
}

json_t *tool_registers(
    struct replay *replay, const struct registers_args *args, struct failure *failure)
{
	const struct selection *selected = replay_selected(replay);
	struct gdb *gdb = replay_gdb(replay);
	json_auto_t *all = NULL, *results = NULL;
	json_t *result = NULL;
	const json_t *names;
	char numbers[REGISTERS_MAX * 12];

	if (json_array_size(args->register_names) > REGISTERS_MAX) {
		failure_set(failure, ERROR_LIMIT, NULL, "one call can read at most %d registers",
		    REGISTERS_MAX);
		return NULL;
	}
	if (!gdb_check(gdb, gdb_command(gdb, &all, "-data-list-register-names"), ERROR_GDB_FAILED,
		NULL, failure))
		return NULL;
	names = json_object_get(all, "register-names");
	if (number_list(names, args->register_names, numbers, sizeof(numbers), failure) &&
	    gdb_check(gdb,
		gdb_command(gdb, &results, "-data-list-register-values --thread %d --frame %d x%s",
		    selected->number, selected->frame, numbers),
		ERROR_GDB_FAILED, NULL, failure))
		result = json_pack("{s:o}", "registers",
		    register_values(names, json_object_get(results, "register-values")));
	return result;
}
