/*
 * Takes an expression apart, writes the opcodes anew, and then the targets of its jumps. It must
 * never hand on an expression of which it has not understood each opcode.
 */
#include "worker/gdb/widths.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CODE_MAX 2048

enum opcode {
	OP_LSH = 0x09,
	OP_RSH_SIGNED = 0x0a,
	OP_RSH_UNSIGNED = 0x0b,
	OP_EXT = 0x16,
	OP_IF_GOTO = 0x20,
	OP_GOTO = 0x21,
	OP_CONST8 = 0x22,
	OP_CONST16 = 0x23,
	OP_CONST32 = 0x24,
	OP_CONST64 = 0x25,
	OP_REG = 0x26,
	OP_END = 0x27,
	OP_DUP = 0x28,
	OP_POP = 0x29,
	OP_ZERO_EXT = 0x2a,
	OP_SWAP = 0x2b,
	WORD = 64, /* bits */
	BYTE = 8,
};

struct code {
	uint8_t bytes[CODE_MAX];
	size_t length;
};

/* How long an opcode is, with its operand; 0: it is not known here. */
static size_t length_of(uint8_t opcode)
{
	switch (opcode) {
	case OP_EXT:
	case OP_ZERO_EXT:
	case OP_CONST8:
		return 2;
	case OP_IF_GOTO:
	case OP_GOTO:
	case OP_CONST16:
	case OP_REG:
		return 3;
	case OP_CONST32:
		return 5;
	case OP_CONST64:
		return 9;
	case OP_END:
	case OP_DUP:
	case OP_POP:
	case OP_SWAP:
		return 1;
	default:
		/* Operators, and reads of memory from 8 to 64 bits. */
		return (opcode >= 0x02 && opcode <= OP_RSH_UNSIGNED) ||
		       (opcode >= 0x0e && opcode <= 0x15) || (opcode >= 0x17 && opcode <= 0x1a);
	}
}

static bool add(struct code *code, const uint8_t *bytes, size_t length)
{
	if (length > sizeof(code->bytes) - code->length)
		return false;
	memcpy(code->bytes + code->length, bytes, length);
	code->length += length;
	return true;
}

/* What extends the value in `bits` bits to a whole word. rr does not doubt 8 bits and less. */
static bool add_extension(struct code *code, uint8_t opcode, uint8_t bits)
{
	const uint8_t as_it_is[] = {opcode, bits}, nothing[] = {OP_DUP, OP_POP};
	const uint8_t back = opcode == OP_EXT ? OP_RSH_SIGNED : OP_RSH_UNSIGNED;
	const uint8_t rest = (uint8_t)(WORD - bits);
	const uint8_t shifts[] = {OP_CONST8, rest, OP_LSH, OP_CONST8, rest, back};

	if (bits <= BYTE)
		return add(code, as_it_is, sizeof(as_it_is));
	return bits >= WORD ? add(code, nothing, sizeof(nothing))
			    : add(code, shifts, sizeof(shifts));
}

static size_t target_of(const uint8_t *jump)
{
	return (size_t)jump[1] << 8 | jump[2];
}

static bool is_jump(uint8_t opcode)
{
	return opcode == OP_IF_GOTO || opcode == OP_GOTO;
}

/* moved: where the opcode at each place of `from` has gone; CODE_MAX: none begins there. */
static bool turn_jumps(struct code *code, const size_t moved[CODE_MAX], size_t from_length)
{
	for (size_t at = 0; at < code->length; at += length_of(code->bytes[at])) {
		uint8_t *jump = code->bytes + at;
		size_t target;

		if (!is_jump(*jump))
			continue;
		target = target_of(jump) < from_length ? moved[target_of(jump)] : CODE_MAX;
		if (target == CODE_MAX)
			return false;
		jump[1] = (uint8_t)(target >> 8);
		jump[2] = (uint8_t)target;
	}
	return true;
}

static bool rewrite(const struct code *from, struct code *to)
{
	size_t moved[CODE_MAX], length;

	to->length = 0;
	for (size_t i = 0; i < CODE_MAX; i++)
		moved[i] = CODE_MAX;
	for (size_t at = 0; at < from->length; at += length) {
		const uint8_t *code = from->bytes + at;

		length = length_of(*code);
		moved[at] = to->length;
		if (!length || length > from->length - at ||
		    !(*code == OP_EXT || *code == OP_ZERO_EXT
			    ? code[1] > 0 && add_extension(to, *code, code[1])
			    : add(to, code, length)))
			return false;
	}
	return turn_jumps(to, moved, from->length);
}

/* `Xlength,hex`, up to the next; NULL: it is none. */
static const char *read_expression(const char *at, struct code *code)
{
	char *end;
	size_t length;

	if (*at != 'X')
		return NULL;
	length = strtoul(at + 1, &end, 16);
	if (*end != ',' || !length || length > CODE_MAX || strlen(end + 1) < 2 * length)
		return NULL;
	at = end + 1;
	for (size_t i = 0; i < length; i++, at += 2) {
		const char byte[] = {at[0], at[1], '\0'};

		code->bytes[i] = (uint8_t)strtoul(byte, &end, 16);
		if (end != byte + 2)
			return NULL;
	}
	code->length = length;
	return at;
}

static size_t write_expression(const struct code *code, char *to, size_t room)
{
	int head = snprintf(to, room, "X%zx,", code->length);

	if (head < 0 || (size_t)head + 2 * code->length + 1 >= room)
		return 0;
	for (size_t i = 0; i < code->length; i++)
		snprintf(to + head + 2 * i, 3, "%02x", code->bytes[i]);
	return (size_t)head + 2 * code->length;
}

size_t widths_rewrite(const char *body, size_t length, char to[WIDTHS_PACKET_MAX])
{
	const char *at = memchr(body, ';', length);
	char text[WIDTHS_PACKET_MAX];
	struct code from, plain;
	size_t done, part;

	if (length >= sizeof(text) || !at || strncmp(body, "Z0,", 3) != 0)
		return 0;
	memcpy(text, body, length);
	text[length] = '\0';
	done = (size_t)(at - body) + 1;
	memcpy(to, body, done);
	for (at = text + done; *at; done += part) {
		at = read_expression(at, &from);
		if (!at || !rewrite(&from, &plain))
			return 0;
		part = write_expression(&plain, to + done, WIDTHS_PACKET_MAX - done);
		if (!part)
			return 0;
	}
	return done;
}
