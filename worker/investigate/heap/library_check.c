/*
 * gcc and clang keep the canary at %fs:0x28 and copy it to the stack where a function begins. The
 * checked functions of the C library get the size of their target as an argument.
 */
#include "worker/investigate/heap/library_check.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/search/backtrack.h"
#include "worker/investigate/search/last_writer.h"
#include "worker/read/values/accessed.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/read/names/symbol.h"

#define WORD	       8
#define CANARY	       0x28 /* from the thread's own memory on */
#define CODE_BYTES     4096 /* of a function, in which its canary is looked for */
#define STORED_WITHIN  12   /* instructions from its load to its store */
#define TEXT_BYTES_MAX 4096 /* of a text whose length is told */
#define NAME_BYTES     128

static const char *function_of(const json_t *frame)
{
	const char *name = mi_text(frame, "func");

	return name ? name : "";
}

/* ---- The canary ------------------------------------------------------------------------------ */

/* What loads the canary into a register, whose name is written: "rax". */
static bool loads_canary(const struct instruction *instruction, char reg[OPERAND_REGISTER_MAX])
{
	const struct memory_operand *operand = &instruction->operands[0];
	const char *to = strrchr(instruction->text, '%');

	return instruction->count == 1 && operand->access.segment == 'f' && !operand->base[0] &&
	       operand->access.displacement == CANARY && to &&
	       strncmp(instruction->text, "mov %fs:", 8) == 0 && sscanf(to, "%%%7s", reg) == 1;
}

static bool stores_canary(
    const struct instruction *instruction, const char *reg, struct memory_operand *slot)
{
	char begin[OPERAND_REGISTER_MAX + 8];
	const struct memory_operand *operand = &instruction->operands[0];

	snprintf(begin, sizeof(begin), "mov %%%s, ", reg);
	if (strncmp(instruction->text, begin, strlen(begin)) != 0 || instruction->count != 1 ||
	    (strcmp(operand->base, "rsp") != 0 && strcmp(operand->base, "rbp") != 0))
		return false;
	*slot = *operand;
	return true;
}

/* Where the function that begins there keeps it. */
static bool find_slot(struct replay *replay, unsigned long long entry, struct memory_operand *slot)
{
	uint8_t code[CODE_BYTES];
	size_t length = accessed_bytes(replay, entry, code, sizeof(code)), at = 0;
	char reg[OPERAND_REGISTER_MAX] = "";
	struct instruction instruction;
	int since = STORED_WITHIN;

	while (
	    at < length && operand_decode(code + at, length - at, entry + at, true, &instruction)) {
		if (since < STORED_WITHIN && stores_canary(&instruction, reg, slot))
			return true;
		since = loads_canary(&instruction, reg) ? 0 : since + 1;
		at += instruction.length;
	}
	return false;
}

struct canary {
	unsigned long long slot, whole; /* whole: what it was */
};

/* In front of the call of __stack_chk_fail, whose frame is still whole. */
static bool read_canary(struct replay *replay, unsigned long long entry, struct canary *canary)
{
	struct memory_operand slot;
	unsigned long long tls, now;

	return find_slot(replay, entry, &slot) &&
	       accessed_address(replay, &slot, 0, &canary->slot) &&
	       accessed_number(replay, "(unsigned long) $fs_base", &tls) &&
	       accessed_whole(replay, tls + CANARY, &canary->whole, WORD) &&
	       accessed_whole(replay, canary->slot, &now, WORD) && now != canary->whole;
}

static json_t *tell_canary(struct replay *replay, const json_t *frame)
{
	unsigned long long call = backtrack_call(replay, frame);
	struct canary canary = {0};
	struct last_writer writer = {0};
	struct symbol symbol;
	json_t *told = NULL;

	if (call && symbol_at(replay, call, &symbol) && backtrack_to(replay, call) &&
	    read_canary(replay, call - symbol.offset, &canary) &&
	    last_writer_find(replay, canary.slot, &writer))
		told = json_pack("{s:o,s:o,s:o}", "conclusion",
		    json_sprintf("%s wrote over the end of the local variables of %s: it was the "
				 "last to change the canary behind them, at 0x%llx (%s)",
			json_string_value(writer.by), function_of(frame), canary.slot, writer.text),
		    "moment", moment_name(replay, &writer.moment), "canary",
		    json_sprintf("0x%llx", canary.slot));
	json_decref(writer.by);
	return told;
}

/* ---- A call with a checked size -------------------------------------------------------------- */

/* In which register, as the calling convention counts, are the sizes. */
static const struct checked {
	const char *name;
	int wanted, room; /* 0: it is not an argument */
	int text;	  /* with its 0, it is as long as what would be written */
} checked[] = {{"memcpy", 3, 4, 0}, {"memmove", 3, 4, 0}, {"mempcpy", 3, 4, 0}, {"memset", 3, 4, 0},
    {"explicit_bzero", 2, 3, 0}, {"strcpy", 0, 3, 2}, {"stpcpy", 0, 3, 2}, {"strcat", 0, 3, 0},
    {"strncpy", 3, 4, 0}, {"stpncpy", 3, 4, 0}, {"strncat", 3, 4, 0}, {"sprintf", 0, 3, 0},
    {"vsprintf", 0, 3, 0}, {"snprintf", 2, 4, 0}, {"vsnprintf", 2, 4, 0}, {"gets", 0, 2, 0},
    {"fgets", 3, 2, 0}, {"read", 3, 4, 0}, {"pread", 3, 5, 0}, {"pread64", 3, 5, 0},
    {"recv", 3, 4, 0}, {"recvfrom", 3, 4, 0}, {"readlink", 3, 4, 0}, {"getcwd", 2, 3, 0},
    {"realpath", 0, 3, 0}, {"gethostname", 2, 3, 0}, {"confstr", 3, 4, 0}, {"wcscpy", 0, 3, 0},
    {"wmemcpy", 3, 4, 0}, {"strlcpy", 3, 4, 0}, {"strlcat", 3, 4, 0}};

/* The function of those that a name as __memcpy_chk@plt or __strcpy_chk means; NULL: none. */
static const struct checked *checked_of(const char *name)
{
	char short_name[NAME_BYTES];
	size_t length;

	while (*name == '_')
		name++;
	name += strncmp(name, "GI___", 5) == 0 ? 5 : 0;
	length = (size_t)(strstr(name, "_chk") ? strstr(name, "_chk") - name : 0);
	if (!length || length >= sizeof(short_name))
		return NULL;
	snprintf(short_name, sizeof(short_name), "%.*s", (int)length, name);
	for (size_t i = 0; i < sizeof(checked) / sizeof(*checked); i++)
		if (strcmp(short_name, checked[i].name) == 0)
			return &checked[i];
	return NULL;
}

static bool read_argument(struct replay *replay, int number, unsigned long long *value)
{
	static const char *const names[] = {"rdi", "rsi", "rdx", "rcx", "r8", "r9"};

	return number > 0 && accessed_register(replay, names[number - 1], WORD, value);
}

/* With its 0; 0: it has none within the bound. */
static unsigned long long text_bytes(struct replay *replay, int number)
{
	char text[TEXT_BYTES_MAX];
	unsigned long long address;
	size_t length;

	if (!read_argument(replay, number, &address))
		return 0;
	length = accessed_bytes(replay, address, (uint8_t *)text, sizeof(text));
	return memchr(text, '\0', length) ? strnlen(text, length) + 1 : 0;
}

/* In front of the call. */
static json_t *tell_sizes(struct replay *replay, const struct checked *function, const char *caller)
{
	unsigned long long wanted = 0, room;
	char bytes[80] = "more";

	if (!read_argument(replay, function->room, &room))
		return NULL;
	if (function->text)
		wanted = text_bytes(replay, function->text);
	else
		read_argument(replay, function->wanted, &wanted);
	if (wanted > room)
		snprintf(bytes, sizeof(bytes), "%llu bytes", wanted);
	return json_pack("{s:o,s:o}", "conclusion",
	    json_sprintf("%s calls %s to write %s where there is room for %llu", caller,
		function->name, bytes, room),
	    "moment", moment_name(replay, replay_now(replay)));
}

/* The call by which the program came to the check, in that frame. */
static json_t *tell_call(struct replay *replay, const json_t *frame)
{
	unsigned long long call = backtrack_call(replay, frame);
	const struct checked *function = NULL;
	struct instruction instruction;
	struct symbol symbol;

	if (call && accessed_instruction(replay, call, &instruction) &&
	    symbol_at(replay, instruction.target, &symbol))
		function = checked_of(symbol.name);
	if (!function || !backtrack_to(replay, call))
		return NULL;
	return tell_sizes(replay, function, function_of(frame));
}

json_t *library_check_find(struct replay *replay)
{
	json_t *stack = backtrack_stack(replay), *frame, *told = NULL;
	bool chk = false;
	size_t i;

	json_array_foreach(stack, i, frame)
	{
		const json_t *next = json_array_get(stack, i + 1);
		const char *name = function_of(frame);

		if (strstr(name, "stack_chk_fail")) {
			told = strstr(function_of(next), "stack_chk_fail")
				   ? NULL
				   : tell_canary(replay, next);
			if (told)
				break;
		}
		chk |= strstr(name, "chk_fail") != NULL;
		/* Written by hand, some of them are not on the stack themselves. */
		if (chk && !strstr(name, "_chk") && i > 0) {
			told = tell_call(replay, frame);
			if (told)
				break;
		}
	}
	json_decref(stack);
	return told;
}
