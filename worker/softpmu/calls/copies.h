/*
 * The C library's functions that copy, and whose source and destination must not overlap: what a
 * call of one reads and writes.
 */
#ifndef RR_WARDEN_SOFTPMU_COPIES_H
#define RR_WARDEN_SOFTPMU_COPIES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "worker/x86/tallymark.h"

enum {
	/* Strings that begin farther apart are not looked at. */
	COPIES_NEAR = 1 << 14,
};

/* enum check_copier, by the function's name: also by that with checks of the destination's size. */
uint8_t copies_number(const char *name);

struct copies_call {
	uint64_t destination, destination_size;
	uint64_t source, source_size;
};

/* What a call with these registers copies. False: its strings cannot be read, or have no end. */
bool copies_of(
    uint8_t copier, pid_t tid, const struct user_regs_struct *regs, struct copies_call *call);

/* Whether a byte is in both. Blocks that are one and the same do not overlap: compilers copy a
 * struct to itself so. Strings do. */
bool copies_overlap(uint8_t copier, const struct copies_call *call);

#endif
