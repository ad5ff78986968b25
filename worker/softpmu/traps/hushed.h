/*
 * Writes to what rr watches of which nobody needs to hear. A search for the moment at which an
 * expression becomes true hands that over, as gdb has compiled it, in a packet that rr does not
 * know: `QRRWarden.hushed:` and the code in hexadecimal. Without code, every write is shown again.
 *
 * A write passes if the expression certainly does not hold behind it, and reads nothing but the
 * bytes that rr watches, with one register: then gdb would find nothing new and run on. rr compares
 * these bytes with those that it saw last, and does not show a write that leaves them the same. It
 * does not know of those that passed, so what it saw last must be something for which the
 * expression does not hold: whoever searches begins there. With two registers, old and new bytes
 * together could be something for which it holds.
 */
#ifndef RR_WARDEN_SOFTPMU_HUSHED_H
#define RR_WARDEN_SOFTPMU_HUSHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "worker/softpmu/traps/debugregs.h"

enum { HUSHED_BYTES = 512 };

struct hushed {
	size_t length; /* 0: every write is shown */
	uint8_t code[HUSHED_BYTES];
};

/* A whole packet of gdb's, which ends with a NUL. Code that is too long or no code at all hushes
 * nothing. */
void hushed_take(struct hushed *hushed, const char *packet);

/* Whether the expression certainly does not hold when these are the `size` bytes there, and reads
 * nothing else. */
bool hushed_is_false(const struct hushed *hushed, uint64_t address, size_t size, uint64_t bytes);

/* Tracee tid has hit these of rr's debug registers, bits 0 to 3: whether it can run on. */
bool hushed_may_pass(
    const struct hushed *hushed, pid_t tid, const struct debug_registers *registers, unsigned hits);

#endif
