#ifndef RR_WARDEN_SOFTPMU_PROCESS_H
#define RR_WARDEN_SOFTPMU_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* The process of a task, or 0. */
pid_t process_of(pid_t tid);

/* Whether two tasks have the same memory. In a replay, each thread is a process to the kernel. */
bool process_shares_memory(pid_t one, pid_t other);

/* The process whose memory a descriptor of rr's is, or 0. */
pid_t process_of_memory(int fd);

#endif
