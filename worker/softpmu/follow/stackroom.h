/*
 * The room that an instruction makes on the stack: bytes that nobody has written since. Below the
 * stack pointer, the next 128 bytes are a function's own, too. A call makes these anew, and what
 * moves the stack pointer down makes as many below them. Pure.
 */
#ifndef RR_WARDEN_SOFTPMU_STACKROOM_H
#define RR_WARDEN_SOFTPMU_STACKROOM_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

enum { STACKROOM_RED_ZONE = 128 };

struct stackroom {
	uint32_t size;	  /* bytes; 0: none */
	int64_t offset;	  /* where they begin, from rsp on as it is before the instruction */
	bool by_register; /* so many as a register says, which is its other operand */
};

struct stackroom stackroom_of(const ZydisDecodedInstruction *z);

#endif
