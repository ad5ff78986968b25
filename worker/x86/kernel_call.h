#ifndef WORKER_KERNEL_CALL_H
#define WORKER_KERNEL_CALL_H
/*
 * A system call without the C library, for the two libraries that are loaded into other programs:
 * libc's wrappers may be interposed there, be in malloc or not be initialized yet, and errno must
 * not change. Returns a value >= 0, or -errno.
 */
#ifndef __x86_64__
#error "this is x86-64's way: build it only for x86-64"
#endif

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

#endif
