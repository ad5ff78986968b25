/*
 * Instructions and memory mappings as text, with limits.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/mi/says.h"
#include "worker/serve/handlers.h"
#include "worker/read/names/brief_name.h"
#include "worker/read/code/code.h"
#include "worker/read/code/mappings.h"
#include "worker/session/replay.h"
#include "worker/read/names/scope.h"
#include "worker/read/names/ambiguous_statics.h"
#include "worker/read/values/values.h"
#include "worker/serve/sentence.h"

#define INSTRUCTION_BYTES 16 /* room for each: the longest is 15 */
#define LINE_MAX_BYTES	  500
#define RESULT_BUDGET	  (30 * 1024)
#define FILE_SHOWN	  300

/* "=> 0x401136 <main+4>: mov %edi,%eax" */
static json_t *instruction_line(const json_t *instruction, unsigned long long pc)
{
	const char *address = mi_text(instruction, "address"), *text = mi_text(instruction, "inst");
	const char *function = mi_text(instruction, "func-name");
	const char *offset = mi_text(instruction, "offset");
	char line[LINE_MAX_BYTES], where[BRIEF_NAME_MAX + 20] = "", brief[BRIEF_NAME_MAX];
	char shown[BRIEF_NAME_MAX];
	bool here = address && strtoull(address, NULL, 16) == pc;

	if (function)
		snprintf(where, sizeof(where), " <%s+%.10s>", brief_name(function, brief),
		    offset ? offset : "0");
	snprintf(line, sizeof(line), "%s %s%s: %s", here ? "=>" : "  ", address ? address : "??",
	    where, text ? brief_name(text, shown) : "");
	return scrub_json(line, strlen(line), LINE_MAX_BYTES, NULL);
}

/* One whole instruction after the other, as many as were asked for and fit. */
static json_t *instruction_lines(const json_t *instructions, unsigned long long pc, long long count)
{
	json_t *lines = json_array(), *instruction;
	size_t i, size = 0;

	json_array_foreach(instructions, i, instruction)
	{
		json_t *line = instruction_line(instruction, pc);

		size += json_string_length(line) + 4;
		if ((long long)i == count || size > RESULT_BUDGET) {
			json_decref(line);
			break;
		}
		json_array_append_new(lines, line);
	}
	return lines;
}

/* The number that an expression has in the selected frame. */
static bool read_number(
    struct replay *replay, const char *written, unsigned long long *number, struct failure *failure)
{
	char expression[REPLAY_EXPRESSION_MAX + 40], why[256] = "";
	bool ok;

	snprintf(expression, sizeof(expression), "(unsigned long) (%.*s)", REPLAY_EXPRESSION_MAX,
	    written);
	ok = values_number(replay, expression, number, why, sizeof(why));
	if (!ok) {
		bool calls = gdb_says(why, SAYS_CALLS_ARE_OFF);

		failure_set(failure, calls ? ERROR_NOT_ALLOWED : ERROR_INVALID_ARGUMENT,
		    calls
			? "only read values, without calls: rr_trace_calls with returns shows what "
			  "calls of a function returned"
			: "give an address, a pointer, a function, or an expression such as "
			  "$pc - 32",
		    "%.200s", why);
		scope_explain(replay, failure);
	}
	return ok;
}

bool code_address(struct replay *replay, const char *location, unsigned long long *address,
    struct failure *failure)
{
	if (!location)
		return read_number(replay, "$pc", address, failure);
	return ambiguous_statics_check(replay, location, failure) &&
	       read_number(replay, location[0] == '*' ? location + 1 : location, address, failure);
}

bool code_pointer(struct replay *replay, const char *pointer, unsigned long long *address,
    struct failure *failure)
{
	bool starred = pointer[0] == '*' && isdigit((unsigned char)pointer[1]);

	return ambiguous_statics_check(replay, pointer, failure) &&
	       read_number(replay, starred ? pointer + 1 : pointer, address, failure);
}

/* gdb starts at the given address even in the middle of an instruction, but a function starts with
 * a whole one. */
json_t *tool_disassemble(
    struct replay *replay, const struct disassemble_args *args, struct failure *failure)
{
	unsigned long long start = 0, pc = 0;
	json_auto_t *results = NULL;
	struct failure ignored = {0};
	enum gdb_outcome outcome;

	if (!code_address(replay, args->location, &start, failure))
		return NULL;
	code_address(replay, NULL, &pc, &ignored);
	outcome =
	    gdb_command(replay_gdb(replay), &results, "-data-disassemble -s 0x%llx -e 0x%llx -- 0",
		start, start + (unsigned long long)args->count * INSTRUCTION_BYTES);
	/* There is less to read near the end of a mapping. */
	for (int i = 0; outcome == GDB_REFUSED && i < 12; i++)
		outcome = gdb_command(replay_gdb(replay), &results,
		    "-data-disassemble -s 0x%llx -e 0x%llx -- 0", start,
		    start + ((unsigned long long)args->count * INSTRUCTION_BYTES >> (i + 1)) + 1);
	return gdb_check(replay_gdb(replay), outcome, ERROR_INVALID_ARGUMENT,
		   "rr_memory_map shows what is mapped at this moment", failure)
		   ? json_pack("{s:o}", "instructions",
			 instruction_lines(json_object_get(results, "asm_insns"), pc, args->count))
		   : NULL;
}

static json_t *mapping_json(const struct mappings *mappings, const struct mapping *mapping)
{
	char line[FILE_SHOWN + 120];
	int length = snprintf(
	    line, sizeof(line), "0x%llx-0x%llx %s", mapping->start, mapping->end, mapping->rights);

	if (mapping->file[0] == '/')
		length += snprintf(line + length, sizeof(line) - (size_t)length, " 0x%llx",
		    mapping->start - mappings_base(mappings, mapping));
	if (mapping->file[0])
		snprintf(line + length, sizeof(line) - (size_t)length, " %.*s", FILE_SHOWN,
		    mapping->file);
	return scrub_json(line, strlen(line), sizeof(line), NULL);
}

json_t *tool_memory_map(
    struct replay *replay, const struct memory_map_args *args, struct failure *failure)
{
	cleanup_mappings struct mappings *mappings = mappings_read(replay);
	unsigned long long address = 0;
	size_t size = 0, left = 0;
	json_t *lines, *result;

	if (!mappings) {
		failure_set(failure, ERROR_RR_FAILED, NULL,
		    "rr does not say what is mapped: %.200s", gdb_message(replay_gdb(replay)));
		return NULL;
	}
	if (args->address && !code_pointer(replay, args->address, &address, failure))
		return NULL;
	lines = json_array();
	for (size_t i = 0; i < mappings_count(mappings); i++) {
		const struct mapping *mapping = mappings_get(mappings, i);

		if (args->address && (address < mapping->start || address >= mapping->end))
			continue;
		json_auto_t *line = mapping_json(mappings, mapping);
		size += json_string_length(line) + 4;
		if (size > RESULT_BUDGET)
			left++;
		else
			json_array_append(lines, line);
	}
	result = json_pack("{s:o}", "mappings", lines);
	answer_add_count(result, "more", (json_int_t)left);
	return result;
}
