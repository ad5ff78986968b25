/*
 * Which way a conditional branch goes: x86-64 branch conditions, evaluated from eflags and rcx.
 * Pure: never touches a tracee.
 */
#ifndef WORKER_X86_BRANCH_H
#define WORKER_X86_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

/* The first sixteen are numbered as the low four bits of the opcode have them. */
enum branch_condition {
	BRANCH_O,
	BRANCH_NO,
	BRANCH_B,
	BRANCH_NB,
	BRANCH_Z,
	BRANCH_NZ,
	BRANCH_BE,
	BRANCH_NBE,
	BRANCH_S,
	BRANCH_NS,
	BRANCH_P,
	BRANCH_NP,
	BRANCH_L,
	BRANCH_NL,
	BRANCH_LE,
	BRANCH_NLE,
	BRANCH_LOOPNE, /* from here on as the low two bits of the opcode have them */
	BRANCH_LOOPE,
	BRANCH_LOOP,
	BRANCH_CXZ,
};

/*
 * True if the branch is taken when flags and rcx have these values before it. address_bits: 64, or
 * 32 if an address-size prefix makes LOOP and JECXZ use ecx.
 */
bool branch_is_taken(
    enum branch_condition condition, uint64_t eflags, uint64_t rcx, unsigned address_bits);

#endif
