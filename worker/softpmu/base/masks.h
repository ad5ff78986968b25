/*
 * The mask registers of AVX-512, k0 to k7, of a task that has stopped. rr 5.6 does not know them.
 */
#ifndef RR_WARDEN_SOFTPMU_MASKS_H
#define RR_WARDEN_SOFTPMU_MASKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { MASK_REGISTERS = 8 };

/* Eight bytes of vector register `number` of a task, from this byte on. False where they are not in
 * the first half of a register, or of one with a number above 15. */
bool masks_read_vector(pid_t tid, unsigned number, unsigned offset, uint64_t *bytes);

/* False if the processor has none, or they cannot be read. */
bool masks_read(pid_t tid, uint64_t masks[MASK_REGISTERS]);

#endif
