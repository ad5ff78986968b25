#ifndef RR_WARDEN_SOFTPMU_PROCESS_H
#define RR_WARDEN_SOFTPMU_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* The process of a task, or 0. */
pid_t process_of(pid_t tid);

/* Whether two tasks have the same memory. In a replay, each thread is a process to the kernel. */
bool process_shares_memory(pid_t one, pid_t other);

/* A process whose memory a descriptor of rr's is, or 0: not the one that rr opened it by, where
 * that has ended and left its memory to another one. */
pid_t process_of_memory(int fd);

/* The process has ended, or runs another program, and `heir`, another one, has its memory still. */
void process_leave_memory(pid_t process, pid_t heir);
/* It begins in a memory of its own: what was left or taken over by its number is past. */
void process_begin(pid_t process);

#endif
