/*
 * What the translator must know about one instruction: whether a copy of it does the same in the
 * cache, and where control goes. Pure.
 */
#ifndef WORKER_X86_CLASSIFY_H
#define WORKER_X86_CLASSIFY_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum control {
	CONTROL_ON,	 /* to the next instruction */
	CONTROL_BRANCH,	 /* a conditional jump by flags; counted */
	CONTROL_LOOP,	 /* loop, loope, loopne, jrcxz; counted */
	CONTROL_JUMP,	 /* to a known target */
	CONTROL_CALL,	 /* the same */
	CONTROL_JUMP_TO, /* to a target in a register or in memory */
	CONTROL_CALL_TO, /* the same */
	CONTROL_RETURN,
	CONTROL_IN_PLACE, /* syscall and int3: done at its own address, which rr looks at */
	CONTROL_RR_CALL,  /* a syscall in rr's page that does not stop, and the ret behind it */
	CONTROL_FLAGS,	  /* popf: to the next instruction, unless it sets the trap flag */
	CONTROL_NATIVE,	  /* not in the cache: the hardware steps it in place */
};

struct classified {
	uint64_t address;
	const uint8_t *bytes;
	ZydisDecodedInstruction z;
	enum control control;
};

/* Decodes one; false if these bytes are not a whole instruction. */
bool classify(uint64_t address, const uint8_t *bytes, size_t length, struct classified *in);

bool classify_is_rip_relative(const struct classified *in);

/* In the page from which rr makes its own system calls, the same in every program. */
bool classify_is_in_rr_page(uint64_t address);

/* Whether it writes to memory, the stack included. */
bool classify_writes_memory(const struct classified *in);

/* Whether it loads the stack pointer, as longjmp and a change of stacks do: mov rsp, from a
 * register or memory. Not from rbp: so a function ends that keeps its frame there. */
bool classify_loads_stack_pointer(const struct classified *in);

/* Where a jump, call or branch with a known target goes. */
uint64_t classify_target(const struct classified *in);

#endif
