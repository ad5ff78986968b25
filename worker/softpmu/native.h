/*
 * Episodes: stretches of a tracee's program run here, in rr's process, on copies of its registers
 * and memory, while it stands still. They save two context switches a branch. Anything but plain
 * user instructions ends an episode in front of it; the tracee goes on from there itself.
 */
#ifndef RR_WARDEN_SOFTPMU_NATIVE_H
#define RR_WARDEN_SOFTPMU_NATIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct native;

struct native_episode {
	pid_t tid;
	bool keep_maps;		/* the mappings cannot have changed since the last episode */
	bool dry;		/* leave the tracee as it is, for native_agrees */
	uint64_t most_branches; /* end in front of the branch after so many */
	uint64_t most_instructions;
	struct {
		uint64_t start, end; /* never touched: watchpoints; start == end: none */
	} forbidden[4];
	uint64_t instructions, branches; /* results */
};

/* NULL when it is not to be had: no memory, or none that may be executed. */
struct native *native_new(void);

/*
 * Runs an episode from *regs, and leaves there the registers at its end, which the tracee then has
 * too. False when nothing could be run: all is as it was.
 */
bool native_run(
    struct native *native, struct native_episode *episode, struct user_regs_struct *regs);

/* After a dry episode: has the tracee itself come to the same memory and vector registers? */
bool native_agrees(struct native *native, uint64_t *where);

#endif
