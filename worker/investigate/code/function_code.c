/*
 * Reads gdb's disassembly of a function, and the line table of its file.
 */
#include "worker/investigate/code/function_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/gdb/settings.h"
#include "worker/investigate/code/line_table.h"

static int by_address(const void *a, const void *b)
{
	const struct spot *one = a, *other = b;

	return one->address < other->address ? -1 : one->address > other->address;
}

struct spot *function_code_spot(const struct function_code *code, unsigned long long address)
{
	const struct spot wanted = {.address = address};

	return code->count ? bsearch(&wanted, code->spots, code->count, sizeof(wanted), by_address)
			   : NULL;
}

/* While the list is made, it is in no order. */
static struct spot *make_spot(struct function_code *code, unsigned long long address)
{
	for (size_t i = 0; i < code->count; i++)
		if (code->spots[i].address == address)
			return &code->spots[i];
	if (code->count == FUNCTION_SPOTS_MAX) {
		code->cut = true;
		return NULL;
	}
	code->spots[code->count].address = address;
	return &code->spots[code->count++];
}

/* "add" of "call   0x1139 <add>", "*%rdx" of "call   *%rdx", "*0x4010" of one through a table. */
static void read_target(const char *operand, char *target)
{
	const char *open = strchr(operand, '<'), *close = strrchr(operand, '>');
	const char *through = strstr(operand, "# 0x");

	if (operand[0] == '*' && through)
		snprintf(target, FUNCTION_NAME_MAX, "*%.*s", (int)strcspn(through + 2, " "),
		    through + 2);
	else if (operand[0] != '*' && open && close > open)
		snprintf(target, FUNCTION_NAME_MAX, "%.*s", (int)(close - open - 1), open + 1);
	else
		snprintf(target, FUNCTION_NAME_MAX, "%.*s", (int)strcspn(operand, " "), operand);
	if (strlen(target) > 4 && strcmp(target + strlen(target) - 4, "@plt") == 0)
		target[strlen(target) - 4] = '\0';
}

/* The name of a variable that an instruction names: "# 0x4010 <seen>". */
static void note_global(struct function_code *code, const char *text)
{
	const char *mark = strstr(text, "# 0x"), *open = mark ? strchr(mark, '<') : NULL;
	size_t length = open ? strcspn(open + 1, ">+@") : 0;

	if (!length || length >= FUNCTION_NAME_MAX || memchr(open + 1, '(', length) ||
	    strcspn(open + 1, "@") < strcspn(open + 1, ">") ||
	    code->global_count == FUNCTION_GLOBALS_MAX || strncmp(text, "call", 4) == 0)
		return;
	for (size_t i = 0; i < code->global_count; i++)
		if (strncmp(code->globals[i], open + 1, length) == 0 &&
		    strlen(code->globals[i]) == length)
			return;
	snprintf(
	    code->globals[code->global_count++], FUNCTION_NAME_MAX, "%.*s", (int)length, open + 1);
}

static const char *skip_prefixes(const char *text)
{
	static const char *const prefixes[] = {"bnd ", "notrack ", "repz ", "rep "};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0)
			text += strlen(prefixes[i]);
	return text;
}

/* A jump to the beginning of another function. One within its own shows an offset. */
static bool is_leaving(const char *text, const char *operand, const char *function)
{
	const char *open = strchr(operand, '<');
	size_t length = open ? strcspn(open + 1, ">+") : 0;

	if (strncmp(text, "jmp", 3) != 0 || !open || operand[0] == '*' || open[1 + length] == '+' ||
	    strstr(open, ".cold"))
		return false;
	return strlen(function) != length || strncmp(open + 1, function, length) != 0;
}

static void read_instruction(struct function_code *code, const json_t *one,
    unsigned long long address, unsigned long long next)
{
	const char *text = mi_text(one, "inst"), *function = mi_text(one, "func-name"), *operand;
	struct spot *spot;

	if (!text)
		return;
	note_global(code, text);
	text = skip_prefixes(text);
	operand = text + strcspn(text, " ");
	operand += strspn(operand, " ");
	if (strncmp(text, "call", 4) == 0 && (spot = make_spot(code, address))) {
		spot->calls = true;
		spot->next = next;
		read_target(operand, spot->target);
		if (next && (spot = make_spot(code, next)))
			spot->back = true;
	} else if (strncmp(text, "ret", 3) == 0 && (spot = make_spot(code, address))) {
		spot->returns = true;
	} else if (function && is_leaving(text, operand, function) &&
		   (spot = make_spot(code, address))) {
		spot->leaves = true;
		read_target(operand, spot->target);
	}
}

static void add_lines(struct function_code *code, const struct line_table *table, const json_t *all)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)all, i, one)
	{
		unsigned long long address = mi_address(one, "address");

		for (size_t row = 0; row < table->count; row++) {
			int line = table->rows[row].line;
			struct spot *spot =
			    table->rows[row].address == address ? make_spot(code, address) : NULL;

			if (!spot)
				continue;
			/* Of two lines at one instruction, the later row is the one that runs. */
			spot->line = line;
			code->first = !code->first || line < code->first ? line : code->first;
			code->last = line > code->last ? line : code->last;
		}
	}
}

static bool disassemble(
    struct replay *replay, unsigned long long entry, json_t **results, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);

	/* Names in calls as in the source. */
	cleanup_setting struct gdb_setting names =
	    gdb_setting_begin(gdb, "print asm-demangle", "on");

	return gdb_check(gdb, gdb_command(gdb, results, "-data-disassemble -a %llu -- 0", entry),
	    ERROR_GDB_FAILED, "rr_trace_calls shows its calls", failure);
}

/* Whether variables have places in the frame, which is made behind the function's first
 * instructions; *in_registers: whether others are in registers, as only optimized code has them.
 * LLVM marks parts of lines also in code that it did not optimize. */
static bool has_variables_in_frame(
    struct replay *replay, unsigned long long entry, bool *in_registers)
{
	const char *said = gdb_shown(replay_gdb(replay), NULL, "info scope *0x%llx", entry);

	*in_registers = said && strstr(said, "a variable in $");
	return said && strstr(said, " at frame base ");
}

bool function_code_read(struct replay *replay, unsigned long long entry, const char *path,
    struct function_code *code, struct failure *failure)
{
	struct line_table table = {0};
	json_t *results = NULL, *all, *one;
	bool ok, in_registers;
	size_t i;

	*code = (struct function_code){
	    .entry = entry, .spots = calloc(FUNCTION_SPOTS_MAX, sizeof(*code->spots))};
	snprintf(code->path, sizeof(code->path), "%s", path);
	if (!code->spots)
		return failure_no_memory(failure);
	ok = line_table_read(replay, path, &table, failure) &&
	     disassemble(replay, entry, &results, failure);
	all = ok ? json_object_get(results, "asm_insns") : NULL;
	code->late = has_variables_in_frame(replay, entry, &in_registers);
	code->optimized = table.is_optimized && (!code->late || in_registers);
	add_lines(code, &table, all);
	json_array_foreach(all, i, one) read_instruction(code, one, mi_address(one, "address"),
	    mi_address(json_array_get(all, i + 1), "address"));
	qsort(code->spots, code->count, sizeof(*code->spots), by_address);
	line_table_free(&table);
	json_decref(results);
	return ok;
}

void function_code_free(struct function_code *code)
{
	free(code->spots);
	code->spots = NULL;
	code->count = 0;
}
