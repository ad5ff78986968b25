/*
 * The few system calls the software PMU makes for itself, without going through libc: several of
 * libc's wrappers are interposed by this library, and rr's errno must not change under it.
 * Every call returns a value >= 0, or -errno.
 */
#ifndef RR_WARDEN_SOFTPMU_KERNEL_H
#define RR_WARDEN_SOFTPMU_KERNEL_H

#ifndef __x86_64__
#error "the software counter decodes x86-64 code: build it only for x86-64"
#endif

#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

static inline long kernel_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* PEEK requests store the word at data, as the kernel does and libc's wrapper does not. */
static inline long kernel_ptrace(long request, pid_t tid, uint64_t address, uint64_t data)
{
	return kernel_call(SYS_ptrace, request, tid, (long)address, (long)data, 0, 0);
}

#endif
