/*
 * Answers system calls made past libc on one descriptor. It must never change what any other call
 * does, nor stay in force longer than that descriptor is open.
 */
#include "worker/softpmu/rrfix/rawcalls.h"

#include <dlfcn.h>
#include <link.h>
#include <linux/prctl.h>
#include <stdint.h>
#include <ucontext.h>

#include "worker/softpmu/base/kernel.h"

/* For the handler, which gets nothing else of ours. */
static struct raw_calls *answered;

struct range {
	uintptr_t wanted; /* an address in it */
	uintptr_t start, length;
};

static int find_code(struct dl_phdr_info *object, size_t size, void *context)
{
	struct range *range = context;

	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		uintptr_t start = object->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD || range->wanted < start ||
		    range->wanted - start >= part->p_memsz)
			continue;
		range->start = start;
		range->length = part->p_memsz;
		return 1;
	}
	return 0;
}

static void answer(int signal, siginfo_t *info, void *context)
{
	struct raw_calls *raw = answered;
	greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	(void)info;
	raw->selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	if (reg[REG_RAX] == SYS_ioctl && reg[REG_RDI] == raw->fd)
		reg[REG_RAX] = 0;
	else
		reg[REG_RAX] = kernel_call(reg[REG_RAX], reg[REG_RDI], reg[REG_RSI], reg[REG_RDX],
		    reg[REG_R10], reg[REG_R8], reg[REG_R9]);
	raw->selector = SYSCALL_DISPATCH_FILTER_BLOCK;
}

bool raw_calls_answer(struct raw_calls *raw, int fd)
{
	struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO};
	/* libc's own calls pass, and with them the return from the handler. */
	struct range libc = {.wanted = (uintptr_t)dlsym(RTLD_NEXT, "sigaction")};

	if (raw->on || !dl_iterate_phdr(find_code, &libc) ||
	    sigaction(SIGSYS, &action, &raw->before) != 0)
		return false;
	answered = raw;
	raw->fd = fd;
	raw->selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	raw->on = kernel_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON,
		      (long)libc.start, (long)libc.length, (long)&raw->selector, 0) == 0;
	if (raw->on)
		raw->selector = SYSCALL_DISPATCH_FILTER_BLOCK;
	else
		sigaction(SIGSYS, &raw->before, NULL);
	return raw->on;
}

void raw_calls_end(struct raw_calls *raw, int fd)
{
	if (!raw->on || raw->fd != fd)
		return;
	raw->selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	raw->on = false;
	kernel_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0, 0);
	sigaction(SIGSYS, &raw->before, NULL);
}
