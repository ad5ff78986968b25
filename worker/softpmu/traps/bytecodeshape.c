/*
 * It must never accept what leaves the stack, jumps back, or has two depths at one opcode.
 */
#include "worker/softpmu/traps/bytecodeshape.h"

#include <string.h>

#include "worker/x86/keymark.h"
#include "worker/x86/passmark.h"

enum { REG_RIP = 16 };

bool bytecode_shape_of(enum bytecode_opcode opcode, struct bytecode_shape *shape)
{
	switch (opcode) {
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
	case OP_DIV_SIGNED:
	case OP_DIV_UNSIGNED:
	case OP_REM_SIGNED:
	case OP_REM_UNSIGNED:
	case OP_LSH:
	case OP_RSH_SIGNED:
	case OP_RSH_UNSIGNED:
	case OP_BIT_AND:
	case OP_BIT_OR:
	case OP_BIT_XOR:
	case OP_EQUAL:
	case OP_LESS_SIGNED:
	case OP_LESS_UNSIGNED:
		*shape = (struct bytecode_shape){1, 2, 1};
		return true;
	case OP_LOG_NOT:
	case OP_BIT_NOT:
	case OP_REF8:
	case OP_REF16:
	case OP_REF32:
	case OP_REF64:
		*shape = (struct bytecode_shape){1, 1, 1};
		return true;
	case OP_EXT:
	case OP_ZERO_EXT:
		*shape = (struct bytecode_shape){2, 1, 1};
		return true;
	case OP_CONST8:
	case OP_CONST16:
	case OP_CONST32:
	case OP_CONST64:
		*shape = (struct bytecode_shape){(uint8_t)(1 + (1 << (opcode - OP_CONST8))), 0, 1};
		return true;
	case OP_REG:
		*shape = (struct bytecode_shape){3, 0, 1};
		return true;
	case OP_IF_GOTO:
		*shape = (struct bytecode_shape){3, 1, 0};
		return true;
	case OP_GOTO:
		*shape = (struct bytecode_shape){3, 0, 0};
		return true;
	case OP_DUP:
		*shape = (struct bytecode_shape){1, 1, 2};
		return true;
	case OP_SWAP:
		*shape = (struct bytecode_shape){1, 2, 2};
		return true;
	case OP_POP:
	case OP_END:
		*shape = (struct bytecode_shape){1, 1, 0};
		return true;
	}
	return false;
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
