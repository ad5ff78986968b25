/*
 * Which expressions of gdb's can be compiled: how deep the stack is at each opcode. Pure.
 */
#ifndef RR_WARDEN_SOFTPMU_BYTECODESHAPE_H
#define RR_WARDEN_SOFTPMU_BYTECODESHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/softpmu/traps/bytecode.h"

enum {
	BYTECODE_LENGTH_MAX = 512, /* of an expression */
	BYTECODE_DEPTH_MAX = 16,
	BYTECODE_NO_DEPTH = -1,
};

/* How an opcode changes the depth, and what it needs there; length: with its operand. */
struct bytecode_shape {
	uint8_t length, pops, pushes;
};

/* False: it cannot be compiled. */
bool bytecode_shape_of(enum bytecode_opcode opcode, struct bytecode_shape *shape);

/* The operand of the opcode there: `size` bytes, the highest first. */
uint64_t bytecode_operand(const uint8_t *at, size_t size);

/* The depth at each opcode, BYTECODE_NO_DEPTH elsewhere. False: it cannot be compiled. */
bool bytecode_depths(const uint8_t *code, size_t length, int depths[BYTECODE_LENGTH_MAX]);

/* Whether an expression asks for the byte at PASSMARK, for the sum at PASSMARK_SUM, for the word at
 * KEYMARK, for that at KEYMARK_VALUE, or for that at KEYMARK_NEXT. */
bool bytecode_marks(const uint8_t *code, size_t length);
bool bytecode_sums(const uint8_t *code, size_t length);
bool bytecode_keys(const uint8_t *code, size_t length);
bool bytecode_adds(const uint8_t *code, size_t length);
bool bytecode_asks_next(const uint8_t *code, size_t length);

#endif
