/*
 * Looks for an address of the cache in the x87 state. Must never change anything else there.
 */
#include "worker/softpmu/cache/x87address.h"

#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <ucontext.h>

#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/traps/tracees.h"
#include "worker/x86/decoder.h"
#include "worker/x86/x87.h"

/* If the translation is gone, so is the address: 0 is what the processor begins with. */
static uint64_t original_of(const struct space *space, uint64_t address)
{
	const struct place *place = space_place(space, address);

	return place ? place->original : 0;
}

void x87address_correct(const struct tracee *tracee, const uint8_t *bytes, size_t length)
{
	ZydisDecodedInstruction instruction;
	struct user_fpregs_struct state = {0};

	if (!tracee->space ||
	    !ZYAN_SUCCESS(
		ZydisDecoderDecodeInstruction(decoder(), NULL, bytes, length, &instruction)) ||
	    !x87_stores_address(instruction.mnemonic) ||
	    kernel_ptrace(PTRACE_GETFPREGS, tracee->tid, 0, (uint64_t)&state) < 0 ||
	    arena_part_at(&tracee->space->arena, state.rip) < 0)
		return;
	state.rip = original_of(tracee->space, state.rip);
	kernel_ptrace(PTRACE_SETFPREGS, tracee->tid, 0, (uint64_t)&state);
}

void x87address_correct_frame(const struct tracee *tracee, uint64_t context)
{
	uint64_t state = 0, address = 0;

	if (context == 0 || !tracee->space ||
	    !memory_read_word(
		tracee->tid, context + offsetof(ucontext_t, uc_mcontext.fpregs), &state) ||
	    state == 0)
		return;
	state += offsetof(struct _libc_fpstate, rip);
	if (!memory_read_word(tracee->tid, state, &address) ||
	    arena_part_at(&tracee->space->arena, address) < 0)
		return;
	address = original_of(tracee->space, address);
	memory_write(tracee->tid, state, &address, 1);
}
