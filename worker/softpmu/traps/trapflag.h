/*
 * Programs that set the trap flag themselves, and so step themselves. rr cannot record them, with
 * any counter: it clears the flag at each of its stops, so the program loses its traps, and replay
 * expects no trap that rr did not ask for. They are refused before they can run differently.
 */
#ifndef RR_WARDEN_SOFTPMU_TRAPFLAG_H
#define RR_WARDEN_SOFTPMU_TRAPFLAG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

/*
 * The tracee is about to execute the instruction in `bytes`, `length` of them. Ends rr with a
 * message if that sets the trap flag.
 */
void trapflag_check_instruction(
    pid_t tid, const uint8_t *bytes, size_t length, const struct user_regs_struct *regs);

/* The tracee enters a system call. Ends rr with a message if that returns with the trap flag set.
 */
void trapflag_check_call(pid_t tid, const struct user_regs_struct *regs);

#endif
