/*
 * Recognizes the calls by their number, their result and their argument. Must never speak for
 * memory that the kernel can read: rr's own reading has failed before.
 */
#include "worker/softpmu/rrfix/badpaths.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "worker/softpmu/base/kernel.h"

static const struct {
	long number;
	int64_t result;	 /* where rr reads: behind the call, or at its entry */
	size_t argument; /* where in the registers the name is */
} calls[] = {
    {SYS_open, -EFAULT, offsetof(struct user_regs_struct, rdi)},
    {SYS_creat, -EFAULT, offsetof(struct user_regs_struct, rdi)},
    {SYS_openat, -EFAULT, offsetof(struct user_regs_struct, rsi)},
    {SYS_memfd_create, -ENOSYS, offsetof(struct user_regs_struct, rdi)},
};

bool badpaths_is_one(pid_t tid, uint64_t address)
{
	struct user_regs_struct regs = {0};
	uint64_t name;

	if (tid <= 0 || kernel_ptrace(PTRACE_GETREGS, tid, 0, (uint64_t)&regs) < 0)
		return false;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if ((int64_t)regs.orig_rax != calls[i].number ||
		    (int64_t)regs.rax != calls[i].result)
			continue;
		name = *(const uint64_t *)((const char *)&regs + calls[i].argument);
		return address >= name && address - name <= PATH_MAX;
	}
	return false;
}
