/*
 * The few system calls the software PMU makes for itself, without going through libc: several of
 * libc's wrappers are interposed by this library, and rr's errno must not change under it.
 * Every call returns a value >= 0, or -errno.
 */
#ifndef RR_WARDEN_SOFTPMU_KERNEL_H
#define RR_WARDEN_SOFTPMU_KERNEL_H

#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include "worker/x86/kernel_call.h"

/* PEEK requests store the word at data, as the kernel does and libc's wrapper does not. */
static inline long kernel_ptrace(long request, pid_t tid, uint64_t address, uint64_t data)
{
	return kernel_call(SYS_ptrace, request, tid, (long)address, (long)data, 0, 0);
}

#endif
