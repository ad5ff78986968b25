/*
 * Looks for an address of the cache in the x87 state. Must never change anything else there.
 */
#include "worker/softpmu/cache/x87address.h"

#include <sys/ptrace.h>
#include <sys/user.h>

#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/traps/tracees.h"
#include "worker/x86/decoder.h"
#include "worker/x86/x87.h"

void x87address_correct(const struct tracee *tracee, const uint8_t *bytes, size_t length)
{
	ZydisDecodedInstruction instruction;
	struct user_fpregs_struct state = {0};
	const struct place *place;

	if (!tracee->space ||
	    !ZYAN_SUCCESS(
		ZydisDecoderDecodeInstruction(decoder(), NULL, bytes, length, &instruction)) ||
	    !x87_stores_address(instruction.mnemonic) ||
	    kernel_ptrace(PTRACE_GETFPREGS, tracee->tid, 0, (uint64_t)&state) < 0 ||
	    arena_part_at(&tracee->space->arena, state.rip) < 0)
		return;
	/* If the translation is gone, so is the address: 0 is what the processor begins with. */
	place = space_place(tracee->space, state.rip);
	state.rip = place ? place->original : 0;
	kernel_ptrace(PTRACE_SETFPREGS, tracee->tid, 0, (uint64_t)&state);
}
