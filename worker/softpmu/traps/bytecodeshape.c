/*
 * It must never accept what leaves the stack, jumps back, or has two depths at one opcode.
 */
#include "worker/softpmu/traps/bytecodeshape.h"

#include <string.h>

#include "worker/x86/keymark.h"
#include "worker/x86/passmark.h"

enum { REG_RIP = 16 };

/* By the opcode. A length of 0: it cannot be compiled. */
static const struct bytecode_shape shapes[UINT8_MAX + 1] = {
    [OP_ADD] = {1, 2, 1},
    [OP_SUB] = {1, 2, 1},
    [OP_MUL] = {1, 2, 1},
    [OP_DIV_SIGNED] = {1, 2, 1},
    [OP_DIV_UNSIGNED] = {1, 2, 1},
    [OP_REM_SIGNED] = {1, 2, 1},
    [OP_REM_UNSIGNED] = {1, 2, 1},
    [OP_LSH] = {1, 2, 1},
    [OP_RSH_SIGNED] = {1, 2, 1},
    [OP_RSH_UNSIGNED] = {1, 2, 1},
    [OP_BIT_AND] = {1, 2, 1},
    [OP_BIT_OR] = {1, 2, 1},
    [OP_BIT_XOR] = {1, 2, 1},
    [OP_EQUAL] = {1, 2, 1},
    [OP_LESS_SIGNED] = {1, 2, 1},
    [OP_LESS_UNSIGNED] = {1, 2, 1},
    [OP_LOG_NOT] = {1, 1, 1},
    [OP_BIT_NOT] = {1, 1, 1},
    [OP_REF8] = {1, 1, 1},
    [OP_REF16] = {1, 1, 1},
    [OP_REF32] = {1, 1, 1},
    [OP_REF64] = {1, 1, 1},
    [OP_EXT] = {2, 1, 1},
    [OP_ZERO_EXT] = {2, 1, 1},
    [OP_CONST8] = {2, 0, 1},
    [OP_CONST16] = {3, 0, 1},
    [OP_CONST32] = {5, 0, 1},
    [OP_CONST64] = {9, 0, 1},
    [OP_REG] = {3, 0, 1},
    [OP_IF_GOTO] = {3, 1, 0},
    [OP_GOTO] = {3, 0, 0},
    [OP_DUP] = {1, 1, 2},
    [OP_SWAP] = {1, 2, 2},
    [OP_POP] = {1, 1, 0},
    [OP_END] = {1, 1, 0},
};

bool bytecode_shape_of(enum bytecode_opcode opcode, struct bytecode_shape *shape)
{
	*shape = shapes[(uint8_t)opcode];
	return shape->length > 0;
}

uint64_t bytecode_operand(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 1; i <= size; i++)
		value = value << 8 | at[i];
	return value;
}

static bool operand_is_good(const uint8_t *at, size_t position)
{
	switch ((enum bytecode_opcode)at[0]) {
	case OP_REG:
		return bytecode_operand(at, 2) <= REG_RIP;
	case OP_EXT:
	case OP_ZERO_EXT:
		return at[1] > 0;
	case OP_IF_GOTO:
	case OP_GOTO:
		return bytecode_operand(at, 2) > position; /* no loops */
	default:
		return true;
	}
}

/* Notes the depth at an opcode, to which a jump or the opcode before leads. */
static bool note_depth(int *depths, size_t length, size_t at, int depth)
{
	if (at >= length || (depths[at] != BYTECODE_NO_DEPTH && depths[at] != depth))
		return false;
	depths[at] = depth;
	return true;
}

bool bytecode_depths(const uint8_t *code, size_t length, int depths[BYTECODE_LENGTH_MAX])
{
	struct bytecode_shape shape;

	for (size_t i = 0; i < BYTECODE_LENGTH_MAX; i++)
		depths[i] = BYTECODE_NO_DEPTH;
	depths[0] = 0;
	if (length > BYTECODE_LENGTH_MAX)
		return false;
	for (size_t at = 0, next; at < length; at = next) {
		const enum bytecode_opcode opcode = (enum bytecode_opcode)code[at];
		int depth = depths[at];

		/* gdb leaves no opcode that nothing leads to. */
		if (depth == BYTECODE_NO_DEPTH || !bytecode_shape_of(opcode, &shape) ||
		    shape.length > length - at || depth < shape.pops ||
		    !operand_is_good(code + at, at))
			return false;
		next = at + shape.length;
		for (size_t i = at + 1; i < next; i++) {
			if (depths[i] != BYTECODE_NO_DEPTH)
				return false;
		}
		depth += shape.pushes - shape.pops;
		if (depth > BYTECODE_DEPTH_MAX)
			return false;
		if ((opcode == OP_IF_GOTO || opcode == OP_GOTO) &&
		    !note_depth(depths, length, bytecode_operand(code + at, 2), depth))
			return false;
		if (opcode != OP_GOTO && opcode != OP_END &&
		    !note_depth(depths, length, next, depth))
			return false;
	}
	return length > 0;
}

static bool looks_at(
    const uint8_t *code, size_t length, uint64_t address, enum bytecode_opcode opcode)
{
	uint8_t look[2 + sizeof address] = {OP_CONST64};

	for (unsigned i = 0; i < sizeof address; i++)
		look[sizeof address - i] = (uint8_t)(address >> 8 * i);
	look[sizeof look - 1] = (uint8_t)opcode;
	return memmem(code, length, look, sizeof look);
}

bool bytecode_marks(const uint8_t *code, size_t length)
{
	return looks_at(code, length, PASSMARK, OP_REF8);
}

bool bytecode_sums(const uint8_t *code, size_t length)
{
	return looks_at(code, length, PASSMARK_SUM, OP_REF64);
}

bool bytecode_keys(const uint8_t *code, size_t length)
{
	return looks_at(code, length, KEYMARK, OP_REF64);
}

bool bytecode_adds(const uint8_t *code, size_t length)
{
	return looks_at(code, length, KEYMARK_VALUE, OP_REF64);
}

bool bytecode_asks_next(const uint8_t *code, size_t length)
{
	return looks_at(code, length, KEYMARK_NEXT, OP_REF64);
}
