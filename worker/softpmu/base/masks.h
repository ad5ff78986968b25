/*
 * The vector registers and the mask registers of AVX-512, k0 to k7, of a task that has stopped, and
 * what masks select. rr 5.6 does not know the registers that came with AVX-512.
 */
#ifndef RR_WARDEN_SOFTPMU_MASKS_H
#define RR_WARDEN_SOFTPMU_MASKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "worker/x86/accesses.h"

enum { MASK_REGISTERS = 8, MASK_VECTORS = 32, MASK_VECTOR_BYTES = 64 };

/* `size` bytes of vector register `number` of a task, from this byte on. False if the processor has
 * none such, or they cannot be read. */
bool masks_read_vector(pid_t tid, unsigned number, unsigned offset, unsigned size, void *bytes);

/* False if the processor has none, or they cannot be read. */
bool masks_read(pid_t tid, uint64_t masks[MASK_REGISTERS]);

/* accesses_selected of a task that stands before a masked access. False: its mask cannot be read.
 */
bool masks_select(pid_t tid, const struct access *access, uint64_t *selected);

#endif
