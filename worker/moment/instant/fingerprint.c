/*
 * Reads what identifies an instant, and sets a breakpoint at it. Never moves the program.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/moment/instant/fingerprint.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/session/selection.h"

#define REGISTERS   "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15" /* gdb's general registers */
#define STACK_WORDS 16
#define WORD_CHARS  16 /* one word of 8 bytes, in hexadecimal */
#define QUOTED_ONCE (2 * FINGERPRINT_CONDITION_MAX)

#define STACK_POINTER  7 /* gdb's number */
#define FEW_REGISTERS  8 /* of those that are compared, where the condition is a part of one */
#define COMPILED_WORDS 6 /* of the stack: 480 bytes with all registers */

static json_t *read_registers(struct replay *replay, int thread)
{
	json_t *results = NULL, *list;

	/* The thread may be gone: then nothing is the same. */
	gdb_try(replay_gdb(replay), &results,
	    "-data-list-register-values --thread %d --frame 0 x " REGISTERS, thread);
	list = json_incref(json_object_get(results, "register-values"));
	json_decref(results);
	return list;
}

static char *read_stack(struct replay *replay, int thread)
{
	json_t *results = NULL;
	const char *contents = NULL;
	char *stack = NULL;

	if (gdb_command(replay_gdb(replay), &results,
		"-data-read-memory-bytes --thread %d --frame 0 $sp %d", thread,
		STACK_WORDS * 8) == GDB_DONE)
		contents =
		    mi_text(json_array_get(json_object_get(results, "memory"), 0), "contents");
	if (contents && strlen(contents) == (size_t)STACK_WORDS * WORD_CHARS)
		stack = strdup(contents);
	json_decref(results);
	return stack;
}

static int number_of(struct replay *replay, int tid)
{
	const struct selection *selected = replay_selected(replay);

	return selected->tid == tid ? selected->number : selection_number(replay, tid);
}

static struct fingerprint take_of(struct replay *replay, int tid)
{
	int thread = number_of(replay, tid);

	return (struct fingerprint){.moment = *replay_now(replay),
	    .registers = read_registers(replay, thread),
	    .stack = read_stack(replay, thread)};
}

/* The client may have selected another thread or frame than the one that stopped. */
struct fingerprint fingerprint_take(struct replay *replay)
{
	return take_of(replay, replay_now(replay)->tid);
}

void fingerprint_forget(struct fingerprint *print)
{
	json_decref(print->registers);
	free(print->stack);
	*print = (struct fingerprint){0};
}

static unsigned add_text(unsigned sum, const char *text)
{
	for (; text && *text; text++)
		sum = (sum ^ (unsigned char)*text) * 16777619U;
	return sum;
}

static unsigned sum_of(struct replay *replay, int tid)
{
	struct fingerprint now = take_of(replay, tid);
	unsigned sum = 2166136261U;
	json_t *row;
	size_t i;

	json_array_foreach(now.registers, i, row) sum = add_text(sum, mi_text(row, "value"));
	sum = add_text(sum, now.stack);
	if (i == 0)
		sum = 0;
	else if (sum == 0)
		sum = 1;
	fingerprint_forget(&now);
	return sum;
}

unsigned fingerprint_sum(struct replay *replay)
{
	return sum_of(replay, replay_now(replay)->tid);
}

bool fingerprint_has_thread_at(struct replay *replay, const struct moment *there)
{
	int tid = there->tid ? there->tid : replay_now(replay)->tid;
	json_t *results = NULL;
	const char *address;
	bool same;

	/* As above. */
	gdb_try(replay_gdb(replay), &results, "-stack-info-frame --thread %d --frame 0",
	    number_of(replay, tid));
	address = mi_text(json_object_get(results, "frame"), "addr");
	same = address && strtoull(address, NULL, 16) == there->pc && there->sum &&
	       sum_of(replay, tid) == there->sum;
	json_decref(results);
	return same;
}

/* While the kernel runs a call, its result reads as this error. gdb's register 0 is rax, or eax. */
bool fingerprint_is_in_call(struct replay *replay)
{
	json_t *results = NULL, *row;
	const char *value;
	bool in_call;

	/* As above. */
	gdb_try(replay_gdb(replay), &results,
	    "-data-list-register-values --thread %d --frame 0 x 0",
	    number_of(replay, replay_now(replay)->tid));
	row = json_array_get(json_object_get(results, "register-values"), 0);
	value = mi_text(row, "value");
	in_call = value && (int32_t)strtoull(value, NULL, 16) == -ENOSYS;
	json_decref(results);
	return in_call;
}

static bool same_stack(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

bool fingerprint_is_here(struct replay *replay, const struct fingerprint *print)
{
	const struct moment *a = replay_now(replay), *b = &print->moment;
	struct fingerprint now;
	bool same;

	if (a->event != b->event || a->ticks != b->ticks || a->tid != b->tid || a->pc != b->pc)
		return false;
	now = fingerprint_take(replay);
	same = json_equal(now.registers, print->registers) && same_stack(now.stack, print->stack);
	fingerprint_forget(&now);
	return same;
}

/* Without the flags, and without the segment registers that a 32-bit program has among its first
 * sixteen. */
static bool is_general(const char *name)
{
	size_t length = name ? strlen(name) : 0;

	return length >= 2 && strcmp(name, "eip") != 0 && strcmp(name, "eflags") != 0 &&
	       !(length == 2 && name[1] == 's');
}

static size_t add_registers(
    struct replay *replay, const struct fingerprint *print, char to[FINGERPRINT_CONDITION_MAX])
{
	json_t *results = NULL, *names, *row;
	size_t i, length = 0;

	gdb_must(replay_gdb(replay), &results, "-data-list-register-names " REGISTERS);
	names = json_object_get(results, "register-names");
	json_array_foreach(print->registers, i, row)
	{
		const char *name =
		    json_string_value(json_array_get(names, (size_t)mi_number(row, "number", 0)));
		const char *value = mi_text(row, "value");

		if (is_general(name) && value && length < FINGERPRINT_CONDITION_MAX / 2)
			length += (size_t)snprintf(to + length, FINGERPRINT_CONDITION_MAX - length,
			    "%s$%s == %.20s", length ? " && " : "", name, value);
	}
	json_decref(results);
	return length;
}

/* A word as it lies in memory, its lowest byte first. */
static unsigned long long word_at(const char *stack, int number)
{
	const char *at = stack + (ptrdiff_t)number * WORD_CHARS;
	unsigned long long word = 0;

	for (int i = 7; i >= 0; i--)
		word =
		    word << 8 |
		    strtoul((char[]){at[(ptrdiff_t)i * 2], at[(ptrdiff_t)i * 2 + 1], 0}, NULL, 16);
	return word;
}

/* An expression for gdb that is true at that instant, and hardly ever at other instants with that
 * pc. */
static void write_condition(
    struct replay *replay, const struct fingerprint *print, char to[FINGERPRINT_CONDITION_MAX])
{
	size_t length = add_registers(replay, print, to);

	for (int i = 0; print->stack && i < STACK_WORDS; i++)
		length += (size_t)snprintf(to + length, FINGERPRINT_CONDITION_MAX - length,
		    "%s((unsigned long long *)$sp)[%d] == 0x%llx", length ? " && " : "", i,
		    word_at(print->stack, i));
	if (!length)
		snprintf(to, FINGERPRINT_CONDITION_MAX, "1");
}

/* gdb's value of a general register; NULL: not known. */
static const char *value_of(const struct fingerprint *print, int number)
{
	const json_t *row;
	size_t i;

	json_array_foreach(print->registers, i, row)
	{
		if (mi_number(row, "number", -1) == number)
			return mi_text(row, "value");
	}
	return NULL;
}

/* Two of them are pointers to gdb. The numbers are gdb's, those of an x86-64 program. */
static const struct named_register {
	const char *name;
	int number;
} general[] = {{"$rax", 0}, {"$rbx", 1}, {"$rcx", 2}, {"$rdx", 3}, {"$rsi", 4}, {"$rdi", 5},
    {"$r8", 8}, {"$r12", 12}, {"(unsigned long) $rbp", 6}, {"$r9", 9}, {"$r10", 10}, {"$r11", 11},
    {"$r13", 13}, {"$r14", 14}, {"$r15", 15}};

#define GENERAL_COUNT (sizeof(general) / sizeof(*general))

/* The registers and the stack's first words in one sum of differences, which takes the fewest bytes
 * of gdb's bytecode: the software counter compiles 512 of them. */
static bool write_compiled(const struct fingerprint *print, size_t registers, int words,
    char to[FINGERPRINT_CONDITION_MAX])
{
	const char *stack = value_of(print, STACK_POINTER);
	size_t length;

	if (!stack || !print->moment.pc)
		return false;
	length = (size_t)snprintf(to, FINGERPRINT_CONDITION_MAX, "$rsp == %.20s && (", stack);
	for (size_t i = 0; i < registers; i++) {
		const char *value = value_of(print, general[i].number);

		if (!value)
			return false;
		length += (size_t)snprintf(to + length, FINGERPRINT_CONDITION_MAX - length,
		    "%s(%s ^ %.20s)", i ? " | " : "", general[i].name, value);
	}
	for (int i = 0; print->stack && i < words; i++)
		length += (size_t)snprintf(to + length, FINGERPRINT_CONDITION_MAX - length,
		    " | (((unsigned long *)$rsp)[%d] ^ 0x%llx)", i, word_at(print->stack, i));
	snprintf(to + length, FINGERPRINT_CONDITION_MAX - length, ") == 0");
	return true;
}

bool fingerprint_condition(const struct fingerprint *print, char to[FINGERPRINT_CONDITION_MAX])
{
	return write_compiled(print, FEW_REGISTERS, 0, to);
}

/* Only a 64-bit program has that name among its registers. */
static bool has_rsp(struct replay *replay)
{
	json_t *results = NULL;
	const char *name;
	bool has;

	gdb_must(replay_gdb(replay), &results, "-data-list-register-names %d", STACK_POINTER);
	name = json_string_value(json_array_get(json_object_get(results, "register-names"), 0));
	has = name && strcmp(name, "rsp") == 0;
	json_decref(results);
	return has;
}

/* Whether gdb can set a software breakpoint there now. */
static bool is_mapped(struct replay *replay, unsigned long long address)
{
	return gdb_command(replay_gdb(replay), NULL, "-data-read-memory-bytes 0x%llx 1", address) ==
	       GDB_DONE;
}

/* In a library that is not loaded yet, only a hardware breakpoint works. The processor has four,
 * and watchpoints use them too. */
int fingerprint_guard(struct replay *replay, const struct fingerprint *print)
{
	unsigned long long pc = print->moment.pc;
	char condition[FINGERPRINT_CONDITION_MAX], quoted[QUOTED_ONCE], where[QUOTED_ONCE + 40];

	if (!pc)
		return 0;
	/* What gdb can compile, rr judges by itself. */
	if (!has_rsp(replay) || !write_compiled(print, GENERAL_COUNT, STACK_WORDS, condition))
		write_condition(replay, print, condition);
	if (mi_quote(quoted, sizeof(quoted), condition) <= 0)
		return 0;
	snprintf(where, sizeof(where), "%s-c %s *0x%llx", is_mapped(replay, pc) ? "" : "-h ",
	    quoted, pc);
	return temporary_breakpoint_insert(replay, where);
}

int fingerprint_guard_in_hardware(struct replay *replay, const struct fingerprint *print)
{
	char condition[FINGERPRINT_CONDITION_MAX], quoted[QUOTED_ONCE], where[QUOTED_ONCE + 40];

	if (!has_rsp(replay) || !write_compiled(print, GENERAL_COUNT, COMPILED_WORDS, condition) ||
	    mi_quote(quoted, sizeof(quoted), condition) <= 0)
		return 0;
	snprintf(where, sizeof(where), "-c %s -h *0x%llx", quoted, print->moment.pc);
	return temporary_breakpoint_insert(replay, where);
}
