/*
 * rdtsc and rdtscp, where the processor does not trap them. rr asks for the trap, a SIGSEGV, and
 * gives the program a value of its own. hlt traps in the same way wherever it stands, and so it
 * takes the place of such an instruction while the tracee runs.
 */
#ifndef RR_WARDEN_SOFTPMU_TIMESTAMP_H
#define RR_WARDEN_SOFTPMU_TIMESTAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/softpmu/traps/tracees.h"

enum { TIMESTAMP_TRAP = 0xf4 /* hlt */ };

/* Whether these bytes are such an instruction that needs the other in its place. */
bool timestamp_is_read(const uint8_t *bytes, size_t length);

/* Puts the other in its place, at rip, for one step. False if it cannot be written there. */
bool timestamp_cover(struct tracee *tracee, uint64_t rip);

/* The tracee has stopped: puts back what was there. */
void timestamp_uncover(struct tracee *tracee);

#endif
