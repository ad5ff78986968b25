/*
 * Makes system calls in a stopped tracee for ourselves. They use the `syscall` instruction in rr's
 * own page that rr's seccomp filters let pass, so that neither rr nor the program's filters see
 * them.
 */
#ifndef RR_WARDEN_SOFTPMU_INJECT_H
#define RR_WARDEN_SOFTPMU_INJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

/* Memory of the tracee for a call's arguments: rr's page of thread variables, where it is unused.
 */
#define INJECT_SCRATCH 0x70001800ull

enum { INJECT_SCRATCH_WORDS = 32 };

struct injection {
	pid_t tid;
	/* The program's, put back at the end: */
	const struct user_regs_struct *regs;
	uint64_t blocked; /* signals */
	uint64_t scratch[INJECT_SCRATCH_WORDS];
	bool lost; /* it was killed, and has another stop to tell, which rr must see */
};

/* True once rr's page is mapped, which it is not right after an exec. */
bool inject_is_possible(pid_t tid);

/* Begins; false if rr's pages are not mapped (yet), or if the tracee is lost. */
bool inject_begin(struct injection *injection, pid_t tid, const struct user_regs_struct *regs);

/* One call: its result, -errno, or -ESRCH when the tracee is being killed. */
long inject_call(struct injection *injection, long number, const uint64_t argument[6]);

/* Puts registers, signal mask and INJECT_SCRATCH back. */
void inject_end(struct injection *injection);

#endif
