/*
 * Refuses calls that rr does not know, between rr's look at the entry and its look at the exit: rr
 * sees the program's own registers at both. Must never touch a call that rr records.
 */
#include "worker/softpmu/rrfix/newcalls.h"

#include <errno.h>
#include <linux/audit.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "sandbox/pmu/pmu_event.h"
#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/message.h"
#include "worker/softpmu/traps/tracees.h"

#define NO_ARGUMENT (-1)

struct newcall {
	long number_first, number_last;
	int argument;	      /* that decides, counted from 0; -1: none does */
	uint32_t first, last; /* its values */
	int error;
	unsigned since; /* PMU_RR_VERSION of the first rr that records it; 0: none */
	bool loud;
	const char *name;
};

#define NEWER_CALLS(first, last, since, loud, name)                                                \
	{first, last, NO_ARGUMENT, 0, 0, ENOSYS, since, loud, name},
#define NEWER_VALUES(number, argument, first, last, error, since, loud, name)                      \
	{number, number, argument, first, last, error, since, loud, name},
static const struct newcall rows[] = {
#include "sandbox/pmu/newer_calls.def"
};
#undef NEWER_CALLS
#undef NEWER_VALUES

enum { ROWS = sizeof rows / sizeof rows[0] };

/* The row for a call that rr of this version does not know, or NULL. Version 0: any of them. */
static const struct newcall *find(unsigned rr_version, long number, const uint64_t arguments[6])
{
	for (size_t i = 0; i < ROWS; i++) {
		const struct newcall *row = &rows[i];
		uint32_t value = row->argument < 0 ? 0 : (uint32_t)arguments[row->argument];

		if (number < row->number_first || number > row->number_last || value < row->first ||
		    value > row->last)
			continue;
		return row->since == 0 || rr_version < row->since ? row : NULL;
	}
	return NULL;
}

/* Once a row: a program may make the call in a loop. */
static void tell(const struct newcall *row)
{
	static bool told[ROWS];

	if (!row->loud || told[row - rows])
		return;
	told[row - rows] = true;
	message_warn("this rr cannot record %s: the program gets %s, as on an older Linux",
	    row->name, strerrorname_np(row->error));
}

static long poke(const struct tracee *tracee, size_t offset, uint64_t value)
{
	return kernel_ptrace(PTRACE_POKEUSER, tracee->tid, offset, value);
}

void newcalls_refuse(unsigned rr_version, struct tracee *tracee, int request)
{
	struct __ptrace_syscall_info info = {0};
	const struct newcall *row;

	/* Where a call has two stops at its entry, rr looks at the second, seccomp's, or at both.
	 */
	if ((request != PTRACE_SYSCALL && request != PTRACE_CONT) ||
	    kernel_ptrace(PTRACE_GET_SYSCALL_INFO, tracee->tid, sizeof info, (uint64_t)&info) <=
		0 ||
	    info.op != PTRACE_SYSCALL_INFO_SECCOMP || info.arch != AUDIT_ARCH_X86_64)
		return;
	row = find(rr_version, (long)info.seccomp.nr, (uint64_t *)info.seccomp.args);
	if (!row ||
	    poke(tracee, offsetof(struct user, regs.rax), (uint64_t) - (int64_t)row->error) < 0 ||
	    poke(tracee, offsetof(struct user, regs.orig_rax), UINT64_MAX) < 0)
		return;
	tracee->refused = true;
	tracee->refused_number = info.seccomp.nr;
	tell(row);
}

void newcalls_restore(struct tracee *tracee)
{
	if (!tracee->refused)
		return;
	tracee->refused = false;
	poke(tracee, offsetof(struct user, regs.orig_rax), tracee->refused_number);
}
