#ifndef WORKER_GUARDHEAP_CALLS_H
#define WORKER_GUARDHEAP_CALLS_H
/*
 * System calls without the C library, which may itself be in malloc, or not be initialized yet.
 * They leave errno alone and return -errno.
 */
#include <stddef.h>
#include <sys/syscall.h>
#include "worker/x86/kernel_call.h"

static inline long call3(long number, long a, long b, long c)
{
	return kernel_call(number, a, b, c, 0, 0, 0);
}

/* Anonymous private memory, at an address that is replaced, or anywhere (0). 0: it failed. */
unsigned long calls_map(unsigned long address, size_t size, int rights);

/* False if the kernel refuses, because the process has as many mappings as it may. */
_Bool calls_protect(unsigned long address, size_t size, int rights);

/* Reads a file of at most size - 1 bytes into text; "" if it cannot be read. */
void calls_read(const char *path, char *text, size_t size);

/* A page of a file, made if it is not there, that all processes share; NULL: it cannot be had. */
void *calls_share(const char *path);

#endif
