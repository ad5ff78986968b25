/*
 * A byte of the program's code that another one takes the place of, for one step of a tracee: what
 * was there before rr's breakpoint, which the tracee passes over, or a trap.
 */
#ifndef RR_WARDEN_SOFTPMU_COVER_H
#define RR_WARDEN_SOFTPMU_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/softpmu/traps/tracees.h"

enum { COVER_HLT = 0xf4 };

/* Puts it there. False if it cannot be written there. */
bool cover_byte(struct tracee *tracee, uint64_t address, uint8_t byte);

/*
 * Whether these bytes are rdtsc or rdtscp, and the processor does not trap them. rr asks for the
 * trap, a SIGSEGV, and gives the program a value of its own.
 */
bool cover_is_timestamp(const uint8_t *bytes, size_t length);

/* If so, puts a hlt there, which traps in the same way wherever it stands. False as above. */
bool cover_timestamp(struct tracee *tracee, uint64_t rip, const uint8_t *bytes, size_t length);

/* The tracee has stopped: puts back what was there. */
void cover_end(struct tracee *tracee);

#endif
