/*
 * Random code for the differ: blocks of instructions of every kind that a program may use, each
 * block with a conditional branch, and every way to get from one to another.
 */
#ifndef DIFFER_CODE_H
#define DIFFER_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CODE_SIZE = 1 << 14,
	CODE_BLOCKS = 12,
	DATA_SIZE = 1 << 14,
	STACK_SIZE = 1 << 13,
};

/* Where these are in both twins. */
#define CODE_BASE  0x10000000ull
#define DATA_BASE  0x11000000ull
#define STACK_BASE 0x11800000ull

struct code {
	uint8_t bytes[CODE_SIZE];
	size_t length;
	uint64_t block[CODE_BLOCKS];
};

/* The next number of a sequence that the seed determines. */
uint64_t code_random(uint64_t *seed);

/* Fills *code. changes: the code writes to itself, so it must lie where it may. */
void code_generate(struct code *code, uint64_t *seed, bool changes);

#endif
