/*
 * Must never take a stop that the program itself makes for one of a look.
 */
#include "worker/softpmu/legs/looks.h"

#include <signal.h>
#include <sys/ptrace.h>

#include "worker/softpmu/base/address.h"
#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/cache/space.h"

/* Whether a debug register that stops the tracee at this place has met a look of ours. */
static bool is_behind_look(const struct place *place, const struct user_regs_struct *regs)
{
	switch ((enum place_kind)place->kind) {
	case PLACE_LOOKED:
	case PLACE_PEEKED:
	case PLACE_JUDGES:
	case PLACE_CHANGES:
		return true;
	case PLACE_AT_TARGET: /* of a jump that will be undone, see recover.c */
		return !address_is_users(regs->rcx);
	case PLACE_AT:
	case PLACE_PAST_CHECK:
	case PLACE_SPOILT:
	case PLACE_ASKS:
	case PLACE_PART:
	case PLACE_LOOKS:
	case PLACE_RETURNED:
	case PLACE_CHECKS:
		return false;
	}
	return false;
}

bool looks_made(const struct space *space, const struct tracee *tracee, int status,
    const struct user_regs_struct *regs)
{
	const struct place *place = space_place(space, regs->rip);
	siginfo_t info = {0};

	if (!place || kernel_ptrace(PTRACE_GETSIGINFO, tracee->tid, 0, (uint64_t)&info) < 0)
		return false;
	if (status >> 8 == SIGTRAP && info.si_code == TRAP_HWBKPT)
		return is_behind_look(place, regs);
	return (status >> 8 == SIGSEGV || status >> 8 == SIGBUS) && info.si_code > 0 &&
	       (place->kind == PLACE_LOOKS || (place->kind == PLACE_JUDGES && place->distance < 0));
}

uint64_t looks_past(const struct space *space, const struct tracee *tracee, int status,
    const struct user_regs_struct *regs)
{
	const struct place *place = space_place(space, regs->rip);

	if (!place || (place->kind != PLACE_JUDGES && place->kind != PLACE_PEEKED) ||
	    !looks_made(space, tracee, status, regs))
		return 0;
	if (status >> 8 != SIGTRAP)
		return regs->rip + (uint64_t)(int64_t)place->distance;
	kernel_ptrace(PTRACE_POKEUSER, tracee->tid, debug_registers_offset(DEBUG_STATUS), 0);
	return regs->rip;
}
