/*
 * A tracee can be killed at any moment, also while it stands at a stop. It leaves that stop then,
 * and makes one more, PTRACE_EVENT_EXIT, which is its last and which rr must see. A stop that it
 * has left is nobody's any more: what the tracee has done counts at the last one.
 */
#ifndef RR_WARDEN_SOFTPMU_KILLED_H
#define RR_WARDEN_SOFTPMU_KILLED_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* PTRACE_GETSIGINFO of a stop that is not the last one: 0, or a negative error; -ESRCH if tid has
 * been killed since that stop. */
long killed_siginfo(pid_t tid, siginfo_t *info);

/* Whether tid has been killed since the signal stop that we know of; if not, *info is the stop's.
 */
bool killed_since(pid_t tid, siginfo_t *info);

/* Waits until a tracee that has been killed stands at its last stop, where it can be written to.
 * The stop remains to be waited for. */
void killed_await_stop(pid_t tid);

#endif
