/*
 * What both kinds of steps need: reading bytes, comparing them, and going on at the source of an
 * instruction.
 */
#include "sandbox/cleanup.h"
#include "worker/investigate/values/origin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/code/where.h"
#include "worker/read/values/accessed.h"
#include "worker/read/names/brief_name.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/read/names/symbol.h"
#include "worker/session/relatives.h"
#include "worker/read/values/values.h"

#define NAME_CHARS     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
#define OPERANDS_SHOWN 4
#define OPERANDS_TEXT  200
#define DID_MAX	       300
#define AVX_REGISTERS  16
#define AVX_BYTES      32

bool origin_finish(struct origin *origin, enum origin_end end, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(origin->text, sizeof(origin->text), format, arguments);
	va_end(arguments);
	origin->end = end;
	return false;
}

static bool same_line(const json_t *a, const json_t *b)
{
	const json_t *frame = json_object_get(a, "frame");

	return json_equal(json_object_get(frame, "at"), json_object_get(b, "at")) &&
	       json_equal(json_object_get(frame, "function"), json_object_get(b, "function")) &&
	       json_equal(json_object_get(frame, "in"), json_object_get(b, "in"));
}

json_t *origin_hop(struct origin *origin)
{
	struct replay *replay = origin->replay;
	json_t *hop = json_pack("{s:s,s:o,s:i,s:o}", "did", "", "moment",
	    moment_name(replay, replay_now(replay)), "tid", replay_now(replay)->tid, "frame",
	    where_own(replay));

	if (relatives_is_away(replay))
		json_object_set_new(hop, "pid", json_integer(replay_pid(replay)));
	return hop;
}

void origin_add_hop(struct origin *origin, json_t *hop, const char *format, ...)
{
	char did[DID_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(did, sizeof(did), format, arguments);
	va_end(arguments);
	json_object_set_new(hop, "did", json_string(did));
	json_array_append_new(origin->hops, hop);
}

void origin_note(struct origin *origin, const char *format, ...)
{
	const json_t *last = json_array_get(origin->hops, json_array_size(origin->hops) - 1);
	json_auto_t *where = where_own(origin->replay);
	char did[DID_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(did, sizeof(did), format, arguments);
	va_end(arguments);
	if (!last || !same_line(last, where))
		origin_add_hop(origin, origin_hop(origin), "%s", did);
}

static bool same_text(const json_t *a, const json_t *b, const char *name)
{
	const char *one = mi_text(a, name), *other = mi_text(b, name);

	return one && other && strcmp(one, other) == 0;
}

void origin_add(struct origin *origin, const char *format, ...)
{
	json_t *last = json_array_get(origin->hops, json_array_size(origin->hops) - 1), *did;
	const json_t *frame = json_object_get(last, "frame");
	json_auto_t *where = where_own(origin->replay);
	char more[DID_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(more, sizeof(more), format, arguments);
	va_end(arguments);
	if (last && same_text(frame, where, "at") && same_text(frame, where, "function")) {
		did = json_sprintf("%s, %s", mi_text(last, "did"), more);
		json_object_set_new(last, "did", did);
	} else {
		origin_note(origin, "%s", more);
	}
}

bool origin_is_hidden(const struct piece *piece)
{
	return piece->vector &&
	       (piece->number >= AVX_REGISTERS || piece->offset + piece->size > AVX_BYTES);
}

bool origin_read_register(struct replay *replay, const struct piece *piece, uint8_t *bytes)
{
	unsigned long long lane;
	unsigned at;
	char expression[64];

	for (unsigned i = 0; i < piece->size; i++) {
		unsigned byte = piece->offset + i;

		if (i == 0 || byte % 8 == 0) {
			if (!piece->vector)
				snprintf(expression, sizeof(expression), "(unsigned long) $%s",
				    flow_register_name(piece->number));
			else
				snprintf(expression, sizeof(expression),
				    byte < 16 ? "(unsigned long) $xmm%u.v2_int64[%u]"
					      : "(unsigned long) $ymm%u.v4_int64[%u]",
				    piece->number, byte / 8);
			if (byte >= AVX_BYTES || !accessed_number(replay, expression, &lane))
				return false;
		}
		at = byte % 8;
		bytes[i] = (uint8_t)(lane >> (8 * at));
	}
	return true;
}

/* gdb shows the flags as the names of those that are set: "[ CF ZF IF ]". */
bool origin_read_flags(struct replay *replay, unsigned long long *flags)
{
	static const struct {
		const char *name;
		unsigned bit;
	} names[] = {{" CF ", 0x1}, {" PF ", 0x4}, {" ZF ", 0x40}, {" SF ", 0x80}, {" DF ", 0x400},
	    {" OF ", 0x800}};
	char why[64];
	cleanup_free char *value = values_text(replay, "$eflags", why, sizeof(why));

	*flags = 0;
	for (size_t i = 0; value && i < sizeof(names) / sizeof(*names); i++)
		if (strstr(value, names[i].name))
			*flags |= names[i].bit;
	return value != NULL;
}

void origin_narrow(struct origin_bytes *now, unsigned long long begin, unsigned long long end)
{
	unsigned low = now->address < begin ? (unsigned)(begin - now->address) : 0;
	unsigned high = now->address + now->size > end ? (unsigned)(end - now->address) : now->size;

	memmove(now->bytes, now->bytes + low, high - low);
	now->address += low;
	now->skipped += low;
	now->narrowed |= high - low < now->size;
	now->size = high - low;
}

void origin_narrow_hop(struct origin *origin, unsigned long long begin, unsigned long long end)
{
	struct origin_bytes *now = &origin->now;
	unsigned size = now->size;

	origin_narrow(now, begin, end);
	if (now->size < size)
		json_object_set_new(json_array_get(origin->hops, json_array_size(origin->hops) - 1),
		    "only",
		    json_sprintf(
			"bytes %u to %u: the others were written before that, or never; ask "
			"for each by its address",
			now->skipped, now->skipped + now->size - 1));
}

/* "__GI___libc_malloc" and "__memmove_avx_unaligned" as callers know them. Names without an
 * underscore at their beginning may be the program's own, and stay whole. */
static void make_plain(const char *symbol, char *name, size_t size)
{
	static const char *const before[] = {"_", "GI_", "libc_"};
	const char *ends = symbol[0] == '_' ? "_@( " : "@( ";

	if (strncmp(symbol, "operator ", 9) == 0) {
		snprintf(name, size, "%.*s", (int)strcspn(symbol, "("), symbol);
		return;
	}
	for (size_t i = 0; i < sizeof(before) / sizeof(*before);)
		if (strncmp(symbol, before[i], strlen(before[i])) == 0) {
			symbol += strlen(before[i]);
			i = 0;
		} else {
			i++;
		}
	snprintf(name, size, "%.*s", (int)strcspn(symbol, ends), symbol);
}

static void name_function(struct replay *replay, unsigned long long pc, char *name, size_t size)
{
	struct symbol symbol;

	name[0] = '\0';
	if (symbol_at(replay, pc, &symbol))
		make_plain(symbol.name, name, size);
}

void origin_function(struct replay *replay, char *name, size_t size)
{
	name_function(replay, replay_now(replay)->pc, name, size);
}

void origin_called(struct replay *replay, char *name, size_t size)
{
	struct instruction instruction;
	unsigned long long pc = replay_now(replay)->pc, address, target = 0;
	const char *direct;

	name[0] = '\0';
	if (!accessed_instruction(replay, pc, &instruction) || !instruction.calls)
		return;
	direct = strstr(instruction.text, "0x");
	if (instruction.count && instruction.operands[0].access.reads &&
	    accessed_address(replay, &instruction.operands[0], 0, &address))
		accessed_whole(replay, address, &target, sizeof(target));
	else if (direct && !strchr(instruction.text, '%'))
		target = strtoull(direct, NULL, 16);
	if (target)
		name_function(replay, target, name, size);
}

bool origin_stop(struct origin *origin, struct failure *failure)
{
	struct replay *replay = origin->replay;

	if (replay_worker(replay)->broken || !replay_worker(replay)->interrupt) {
		if (!failure->message[0])
			failure_set(failure, ERROR_GDB_FAILED, NULL, "the session does not answer");
		return origin_finish(origin, ORIGIN_FAILED, "%s", "");
	}
	failure_forget(failure);
	return origin_finish(origin, ORIGIN_CUT, "the time is over");
}

/* What fills up the bytes above the source: zeros, or the sign. */
static bool is_filled(const struct origin_bytes *now, const struct flow *flow)
{
	uint8_t fill = flow->is_signed && now->bytes[flow->size - 1] & 0x80 ? 0xff : 0;

	for (unsigned i = flow->size; i < now->size; i++)
		if (now->bytes[i] != fill)
			return false;
	return true;
}

static bool go_to(
    struct origin *origin, const struct flow *flow, const uint8_t *bytes, const char *instruction)
{
	struct origin_bytes *now = &origin->now;

	if (memcmp(bytes, now->bytes, flow->size) != 0 || !is_filled(now, flow))
		return origin_finish(origin, ORIGIN_CHANGED,
		    "the value changed here: `%s` copies other bytes than those that were found "
		    "later",
		    instruction);
	now->size = flow->size;
	return true;
}

/* The only operand that is read and not written. */
static bool source_address(
    struct replay *replay, const struct instruction *instruction, unsigned long long *address)
{
	const struct memory_operand *source = NULL;

	for (size_t i = 0; i < instruction->count; i++) {
		const struct memory_operand *operand = &instruction->operands[i];

		if (operand->access.writes || !operand->access.reads)
			continue;
		if (source)
			return false;
		source = operand;
	}
	return source && !source->access.lanes && accessed_address(replay, source, 0, address);
}

/* Whether it may store a register on the stack only to restore it later. */
static bool saves(const struct instruction *instruction)
{
	return strncmp(instruction->text, "push", 4) == 0 || strstr(instruction->text, "(%rsp") ||
	       strstr(instruction->text, "(%rbp");
}

static bool from_register(
    struct origin *origin, const struct flow *flow, const struct instruction *instruction)
{
	uint8_t bytes[ORIGIN_BYTES_MAX];
	struct piece piece = flow->piece;

	piece.size = flow->size;
	if (!origin_read_register(origin->replay, &piece, bytes)) {
		if (origin_is_hidden(&piece))
			memcpy(bytes, origin->now.bytes, piece.size);
		else
			return origin_finish(origin, ORIGIN_UNKNOWN,
			    "`%s` copies it from a register that cannot be read",
			    instruction->text);
	}
	if (!go_to(origin, flow, bytes, instruction->text))
		return false;
	origin->now.in_register = true;
	origin->now.must_be_set = !saves(instruction);
	origin->now.piece = piece;
	return true;
}

/* "table[3]" for "table + 24 in section .bss", where gdb knows the size of an element; else
 * "table + 24"; else the address. */
static void name_place(struct replay *replay, unsigned long long address, char *name, size_t size)
{
	struct symbol symbol;
	unsigned long long element = 0;
	char expression[sizeof(symbol.name) + 32], brief[BRIEF_NAME_MAX];

	snprintf(name, size, "0x%llx", address);
	if (!symbol_at(replay, address, &symbol))
		return;
	if (strspn(symbol.name, NAME_CHARS) == strlen(symbol.name)) {
		snprintf(expression, sizeof(expression), "sizeof(%s[0])", symbol.name);
		accessed_number(replay, expression, &element);
	}
	if (element && element <= symbol.offset + 1 && symbol.offset % element == 0)
		snprintf(name, size, "%s[%llu]", brief_name(symbol.name, brief),
		    symbol.offset / element);
	else if (symbol.offset)
		snprintf(name, size, "%s + %llu", brief_name(symbol.name, brief), symbol.offset);
	else
		snprintf(name, size, "%s", brief_name(symbol.name, brief));
}

/* Names the place of a load. */
static void note_load(struct origin *origin, unsigned long long address)
{
	char place[300];

	name_place(origin->replay, address, place, sizeof(place));
	origin_add(origin, "loaded from %s", place);
}

static bool from_memory(struct origin *origin, const struct flow *flow,
    const struct instruction *instruction, unsigned long long shift)
{
	uint8_t bytes[ORIGIN_BYTES_MAX];
	unsigned long long address;

	if (!source_address(origin->replay, instruction, &address))
		return origin_finish(origin, ORIGIN_UNKNOWN,
		    "`%s` copies it from memory whose address cannot be told", instruction->text);
	address += flow->offset + shift;
	if (!accessed_whole(origin->replay, address, bytes, flow->size))
		return origin_finish(origin, ORIGIN_UNKNOWN,
		    "`%s` copies it from memory that cannot be read", instruction->text);
	if (!go_to(origin, flow, bytes, instruction->text))
		return false;
	origin->now.in_register = false;
	origin->now.address = address;
	note_load(origin, address);
	return true;
}

bool origin_to_register(
    struct origin *origin, const struct piece *piece, const struct instruction *instruction)
{
	const struct flow flow = {.kind = FLOW_REGISTER, .piece = *piece, .size = piece->size};

	return from_register(origin, &flow, instruction);
}

bool origin_to_memory(struct origin *origin, unsigned long long address, unsigned size,
    const struct instruction *instruction)
{
	const struct flow flow = {.kind = FLOW_MEMORY, .size = size};
	uint8_t bytes[ORIGIN_BYTES_MAX];

	if (!accessed_whole(origin->replay, address, bytes, size))
		return origin_finish(origin, ORIGIN_UNKNOWN,
		    "`%s` reads memory that cannot be read", instruction->text);
	if (!go_to(origin, &flow, bytes, instruction->text))
		return false;
	origin->now.in_register = false;
	origin->now.address = address;
	return true;
}

/* Adds to the text; what does not fit is left out. */
static void tell_operand(char text[OPERANDS_TEXT], const char *name, long long value)
{
	size_t length = strlen(text);

	snprintf(
	    text + length, OPERANDS_TEXT - length, "%s%s = %lld", length ? ", " : "", name, value);
}

/* " (eax = 70000, edx = 40000)": the registers and the memory that an instruction names. */
static void tell_operands(
    struct replay *replay, const struct instruction *instruction, char text[OPERANDS_TEXT])
{
	unsigned count = 0;

	text[0] = '\0';
	for (const char *at = strchr(instruction->text, '%'); at && count < OPERANDS_SHOWN;
	     at = strchr(at + 1, '%')) {
		char name[16], expression[32];
		unsigned long long value;

		snprintf(name, sizeof(name), "%.*s",
		    (int)strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789"), at + 1);
		snprintf(expression, sizeof(expression), "(long) $%s", name);
		if (strstr(text, name) || !accessed_number(replay, expression, &value))
			continue;
		count++;
		tell_operand(text, name, (long long)value);
	}
	for (size_t i = 0; i < instruction->count && strlen(text) < OPERANDS_TEXT / 2; i++) {
		const struct memory_operand *operand = &instruction->operands[i];
		unsigned long long address, value = 0;

		if (operand->access.reads && !operand->access.lanes && operand->access.size <= 8 &&
		    accessed_address(replay, operand, 0, &address) &&
		    accessed_whole(replay, address, &value, operand->access.size))
			tell_operand(text, operand->text,
			    operand->access.size == 4 ? (long long)(int)value : (long long)value);
	}
}

static bool from_constant(
    struct origin *origin, const struct flow *flow, const struct instruction *instruction)
{
	if (memcmp(flow->bytes, origin->now.bytes, origin->now.size) != 0)
		return origin_finish(origin, ORIGIN_CHANGED,
		    "the value changed here: `%s` stores another constant", instruction->text);
	return origin_finish(
	    origin, ORIGIN_CONSTANT, "a constant in the code, `%s`", instruction->text);
}

static bool from_address(struct origin *origin, const struct instruction *instruction)
{
	unsigned long long value = 0;
	struct symbol symbol;
	char operands[OPERANDS_TEXT];

	memcpy(&value, origin->now.bytes, origin->now.size);
	if (symbol_at(origin->replay, value, &symbol))
		return origin_finish(origin, ORIGIN_ADDRESS, "the address of %s, `%s`", symbol.said,
		    instruction->text);
	tell_operands(origin->replay, instruction, operands);
	return origin_finish(
	    origin, ORIGIN_COMPUTED, "arithmetic: `%s` (%s)", instruction->text, operands);
}

/* The program is about to make a system call, whose result it is. */
static bool from_result(struct origin *origin)
{
	const struct inputs *inputs = &origin->writes->inputs;
	const struct moment *now = replay_now(origin->replay);

	for (size_t i = 0; i < inputs->count; i++) {
		const struct input_call *call = &inputs->calls[i];

		if (call->is_call && call->entered == now->event && call->tid == now->tid &&
		    call->pc == now->pc)
			return origin_finish(
			    origin, ORIGIN_INPUT, "the result of the system call %s", call->name);
	}
	return origin_finish(origin, ORIGIN_INPUT, "the result of a system call");
}

bool origin_to_source(struct origin *origin, const uint8_t *code, size_t length,
    const struct flow *flow, unsigned long long shift)
{
	struct replay *replay = origin->replay;
	struct instruction instruction;
	unsigned long long flags;
	char operands[OPERANDS_TEXT];
	bool on;

	if (!operand_decode(code, length, replay_now(replay)->pc, true, &instruction))
		return origin_finish(origin, ORIGIN_UNKNOWN, "the instruction cannot be decoded");
	switch (flow->kind) {
	case FLOW_NONE:
		return true;
	case FLOW_REGISTER:
		return from_register(origin, flow, &instruction);
	case FLOW_MEMORY:
		return from_memory(origin, flow, &instruction, shift);
	case FLOW_MAYBE:
		if (!origin_read_flags(replay, &flags))
			return origin_finish(origin, ORIGIN_UNKNOWN, "the flags cannot be read");
		if (!flow_condition_holds(flow->condition, flags))
			return true;
		return flow->from_memory ? from_memory(origin, flow, &instruction, shift)
					 : from_register(origin, flow, &instruction);
	case FLOW_CONSTANT:
		return from_constant(origin, flow, &instruction);
	case FLOW_ADDRESS:
		return origin_through_neutral(origin, &instruction, &on)
			   ? on
			   : from_address(origin, &instruction);
	case FLOW_COMPUTED:
		if (origin_through_neutral(origin, &instruction, &on))
			return on;
		tell_operands(replay, &instruction, operands);
		return origin_finish(origin, ORIGIN_COMPUTED, "arithmetic: `%s`%s%s%s",
		    instruction.text, operands[0] ? " (" : "", operands, operands[0] ? ")" : "");
	case FLOW_OTHER:
		return origin_finish(origin, ORIGIN_UNKNOWN,
		    "`%s` writes it: whether that copies it, and from where, is not understood",
		    instruction.text);
	case FLOW_MACHINE:
		return origin_finish(
		    origin, ORIGIN_INPUT, "the processor, asked by `%s`", instruction.text);
	case FLOW_KERNEL:
		return from_result(origin);
	case FLOW_CALL:
		return origin_finish(origin, ORIGIN_ADDRESS, "the return address that `%s` pushed",
		    instruction.text);
	case FLOW_PART:
		break;
	}
	return origin_finish(origin, ORIGIN_UNKNOWN,
	    "`%s` writes only a part of it: it is put together from several values",
	    instruction.text);
}
