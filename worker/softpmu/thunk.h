/*
 * Runs single instructions of a tracee natively, here: the instruction itself, re-encoded where it
 * names memory or the stack pointer, between loads and stores of the registers it uses. The
 * processor computes the result, so that every flag is what it would have been.
 */
#ifndef RR_WARDEN_SOFTPMU_THUNK_H
#define RR_WARDEN_SOFTPMU_THUNK_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The registers of the tracee while it is run here. */
struct thunk_state {
	uint64_t gpr[16]; /* by number, as encoded */
	uint64_t eflags;
	uint64_t memory; /* where the instruction's memory operand really is */
	uint32_t mxcsr, host_mxcsr;
	_Alignas(32) uint8_t vector[16][32];
};

struct thunk {
	uint32_t at : 29;	     /* its code, from the state on */
	uint32_t vectors : 1;	     /* uses vector registers */
	uint32_t vectors_change : 1; /* writes them, or mxcsr */
	uint32_t floating : 1;	     /* depends on mxcsr: no exception may be unmasked */
};

struct thunks;

/* NULL when memory that can be executed is not to be had. */
struct thunks *thunks_new(void);

/* The state the thunks work on; one for all. */
struct thunk_state *thunks_state(struct thunks *thunks);

static inline void thunk_run(struct thunk_state *state, struct thunk thunk)
{
	((void (*)(void))((uintptr_t)state + thunk.at))();
}

/*
 * Makes a thunk of a decoded instruction. False when this instruction is not one that may be run
 * so. *full: there is no room: forget all thunks with thunks_clear and try again.
 */
bool thunks_make(struct thunks *thunks, const ZydisDecodedInstruction *instruction,
    const ZydisDecodedOperand *operands, const uint8_t *bytes, struct thunk *thunk, bool *full);

void thunks_clear(struct thunks *thunks);

#endif
