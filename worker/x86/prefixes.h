/*
 * The prefixes of an instruction in 64-bit code, for those who look for a few opcodes only.
 */
#ifndef WORKER_X86_PREFIXES_H
#define WORKER_X86_PREFIXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prefixes {
	size_t length; /* of all; the opcode follows */
	bool short_operand;
	uint8_t rex; /* 0 where there is none, or where another prefix follows it */
};

/* Of an instruction that begins in `bytes`, `length` of them. lock is not one of them here. */
struct prefixes prefixes_of(const uint8_t *bytes, size_t length);

#endif
