/*
 * One tracee's debug registers, shared: rr's (and so gdb's) watchpoints keep theirs, the free ones
 * carry our execution breakpoints, and rr never sees ours. Where those of the processor do nothing,
 * rr has registers that exist only here, and we have none.
 */
#ifndef RR_WARDEN_SOFTPMU_DEBUGREGS_H
#define RR_WARDEN_SOFTPMU_DEBUGREGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "worker/softpmu/base/region.h"

enum { DEBUG_REGISTERS = 4, DEBUG_STATUS = 6, DEBUG_CONTROL = 7 };

#define DEBUG_STATUS_STEP    0x4000ull
#define DEBUG_STATUS_TOUCHED 0xfull

struct debug_registers {
	uint64_t rr_address[DEBUG_REGISTERS]; /* as rr believes them to be */
	uint64_t rr_control;
	uint64_t rr_status;		   /* as rr wrote it last */
	uint64_t status_mask;		   /* bits of the real status that rr may see */
	uint64_t address[DEBUG_REGISTERS]; /* as the kernel has them */
	uint64_t control;
	bool unusable; /* the kernel refused ours */
	/* Bits 0 to 3 of the status that the processor has not set itself, see watches.h. */
	unsigned touched;
};

/* The offset in struct user of debug register index, for PTRACE_PEEKUSER and POKEUSER. */
uint64_t debug_registers_offset(unsigned index);

/* If address is the offset of a debug register: true, and its index. */
bool debug_registers_is_offset(uint64_t address, unsigned *index);

/* The tracee's debug registers are clear now (new, or after exec). */
void debug_registers_reset(struct debug_registers *registers);

/* rr writes, rr reads. Both return what kernel_ptrace would. */
long debug_registers_rr_poke(
    struct debug_registers *registers, pid_t tid, unsigned index, uint64_t value);
long debug_registers_rr_peek(
    struct debug_registers *registers, pid_t tid, unsigned index, uint64_t *value);

/* How many registers we may use. */
unsigned debug_registers_free(const struct debug_registers *registers);

/* Bits 0 to 3: which registers rr uses itself. */
unsigned debug_registers_rr_used(const struct debug_registers *registers);

/* The range rr's watchpoint in register i watches, for data; false when rr does not use it so. */
bool debug_registers_rr_watch(
    const struct debug_registers *registers, unsigned i, uint64_t *start, uint64_t *end);

/* True if rr has a breakpoint in register i. */
bool debug_registers_rr_executes(const struct debug_registers *registers, unsigned i);

/* True if rr watches for reads with register i, too. */
bool debug_registers_rr_reads(const struct debug_registers *registers, unsigned i);

/* The register that alone watches data, and for writes only, with its range; -1: there is none. */
int debug_registers_only_watch(
    const struct debug_registers *registers, uint64_t *start, uint64_t *end);

/* True if a breakpoint of ours is set at address now. */
bool debug_registers_holds(const struct debug_registers *registers, uint64_t address);

/* Puts our breakpoints at the region's stops, and at no other place inside it. 0 or -errno. */
int debug_registers_arm(struct debug_registers *registers, pid_t tid, const struct region *region);

/* Takes ours out of force; the tracee then runs as if there were none. 0 or -errno. */
int debug_registers_disarm(struct debug_registers *registers, pid_t tid);

/* The same, and those of rr's that watch data, until the next debug_registers_disarm. */
int debug_registers_blind(struct debug_registers *registers, pid_t tid);

#endif
