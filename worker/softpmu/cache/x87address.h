/*
 * The processor keeps the address of the last x87 instruction. Of one that has run in the code
 * cache that is an address there, which the program must not see.
 */
#ifndef RR_WARDEN_SOFTPMU_X87ADDRESS_H
#define RR_WARDEN_SOFTPMU_X87ADDRESS_H

#include <stddef.h>
#include <stdint.h>

struct tracee;

/*
 * The tracee is about to step this instruction. If that stores the address, makes it the program's
 * own. None of them runs in the cache, or between breakpoints.
 */
void x87address_correct(const struct tracee *tracee, const uint8_t *bytes, size_t length);

/* The same in the frame of a signal whose context is at this address (0: there is none). */
void x87address_correct_frame(const struct tracee *tracee, uint64_t context);

#endif
