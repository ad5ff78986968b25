/*
 * From bytes of code to the operations the native runner knows.
 */
#ifndef RR_WARDEN_SOFTPMU_TRANSLATE_H
#define RR_WARDEN_SOFTPMU_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/softpmu/thunk.h"

enum { TRANSLATE_OPERATIONS = 24 }; /* in one block, at most */

enum operation_kind {
	OP_THUNK,
	OP_NOTHING,
	OP_LEA,
	OP_PUSH_REGISTER,
	OP_PUSH_IMMEDIATE,
	OP_PUSH_MEMORY,
	OP_POP_REGISTER,
	OP_LEAVE,
	OP_JUMP,
	OP_JUMP_INDIRECT,
	OP_CALL,
	OP_CALL_INDIRECT,
	OP_RETURN,
	OP_BRANCH,
	OP_ZERO_UPPER,
	OP_MOVE_STRING,
	OP_STORE_STRING,
	OP_END, /* not to be run here */
};

/* Kept small: there are many. */
struct operation {
	enum operation_kind kind : 8;
	uint8_t length, condition;
	uint8_t base, index, scale, segment; /* memory operand; base 0xff and no slot: none */
	uint8_t size;			     /* of the memory operand, bytes; 0: none */
	uint8_t align;			     /* it must be aligned so, or the tracee faults */
	uint8_t reg;			     /* register operand, by number */
	uint8_t width; /* bytes, of lea's result, divisions and string elements */
	bool reads : 1, writes : 1, divides : 1, divides_signed : 1, repeats : 1;
	struct thunk thunk;
	int64_t value; /* displacement (absolute for rip), immediate, or target */
};

/*
 * Decodes a block from the code at rip, at most TRANSLATE_OPERATIONS operations; how many, and in
 * *length the bytes they take. The last may be an OP_END. *full: the thunks' room is used up (0).
 */
unsigned translate_block(struct thunks *thunks, uint64_t rip, const uint8_t *code, size_t available,
    struct operation *operation, size_t *length, bool *full);

#endif
