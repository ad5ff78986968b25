/*
 * Passes of a hardware breakpoint, counted without a stop. Its condition asks for the byte at
 * PASSMARK, where no program has memory, last of all: whoever evaluates it here takes the
 * byte to be 0, so that it never stops. gdb reads the sum at PASSMARK_SUM. A condition may ask for
 * that too: it is the number of passes before this one, so that one of a certain number can stop.
 *
 * What is counted is each time that the instruction begins to run: in the code cache behind its
 * condition (conditioncode.c), and where a leg outside of the cache begins with it. A pass that is
 * interrupted and comes again counts once. rr and gdb cannot read the byte at the mark: of a pass
 * that they judge, gdb stops and says so, and takes the breakpoint out to go on; it is not counted.
 */
#ifndef RR_WARDEN_SOFTPMU_PASSCOUNT_H
#define RR_WARDEN_SOFTPMU_PASSCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

struct arena;
struct conditions;
struct tracee;

/* Whether such a breakpoint is at this address for this tracee. */
bool passcount_counts(
    const struct conditions *conditions, const struct tracee *tracee, uint64_t address);

/* Whether the tracee, which is set going with these registers, begins the instruction at rip: no
 * breakpoint of rr's stops it there. */
bool passcount_begins(const struct tracee *tracee, const struct user_regs_struct *regs);

/* A leg outside of the cache begins with these registers. */
void passcount_note(struct conditions *conditions, const struct tracee *tracee,
    const struct user_regs_struct *regs);

/* Before a leg in the cache: none is counted in the arena yet. Then: takes from it what the leg of
 * this tracee has counted so far. */
void passcount_begin(const struct conditions *conditions, const struct arena *arena);
void passcount_take(
    struct conditions *conditions, const struct tracee *tracee, const struct arena *arena);

#define PASSCOUNT_FACTOR 0x9e3779b1u

/* The place in the arena's small table at which the code looks for a key; see passkeys.h. */
uint32_t passcount_place(uint64_t key);

/* The code finds this key, which was named, from here on. False if it did before. */
bool passcount_know(const struct arena *arena, uint64_t key);

/* Whether the next pass with a key finds no room in the log. */
bool passcount_is_full(const struct arena *arena);

/* rr reads `size` bytes of a tracee there. True if they are ours, and now in buffer. */
bool passcount_read(
    const struct conditions *conditions, uint64_t address, void *buffer, size_t size);

#endif
