#ifndef WORKER_X86_FORWARDS_H
#define WORKER_X86_FORWARDS_H
/*
 * Whether a short function hands its arguments on to the function that it calls, as wrappers of
 * malloc and memcpy do. Pure.
 */
#include <stddef.h>
#include <stdint.h>

#define FORWARDS_BYTES_MAX 256 /* from the beginning of the function to the call */

/*
 * `code` is what lies at `entry`, where the function begins; the call that it is about is at
 * `call`. `wanted` has a bit for each argument, as the calling convention counts, that the called
 * function makes use of. Returns the bits of the function's own arguments that these are; the
 * others are constants. 0: the function computes one of them, or hands nothing on, or does not come
 * there in a straight line.
 */
unsigned forwards_arguments(
    const uint8_t *code, size_t length, uint64_t entry, uint64_t call, unsigned wanted);

#endif
