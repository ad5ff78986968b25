/*
 * A process that runs the differ's code under ptrace: code, data and stack where code.h says, and a
 * page with a system call where rr has one.
 */
#ifndef DIFFER_TWIN_H
#define DIFFER_TWIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

enum { TWIN_STATE_MAX = 8192 };

struct twin {
	pid_t pid;
	int memory; /* /proc/PID/mem */
	size_t state_size;
};

struct stop {
	int status;
	int signal; /* 0: none but a trap of a step */
	int code;
	uint64_t address;
	struct user_regs_struct regs;
};

/* changes: its code may write to itself. */
void twin_start(struct twin *twin, bool changes);
void twin_end(struct twin *twin);
void twin_write(const struct twin *twin, uint64_t address, const void *bytes, size_t size);
void twin_read(const struct twin *twin, uint64_t address, void *bytes, size_t size);
void twin_set(const struct twin *twin, const struct user_regs_struct *regs);
void twin_get(const struct twin *twin, struct user_regs_struct *regs);

/* Vector and x87 registers, all of them, as XSAVE has them. */
void twin_get_state(struct twin *twin, uint8_t state[TWIN_STATE_MAX]);
void twin_set_state(const struct twin *twin, const uint8_t state[TWIN_STATE_MAX]);

/* Waits for the next stop. */
void twin_wait(const struct twin *twin, struct stop *stop);

/* One step, on the hardware. */
void twin_step(const struct twin *twin, struct stop *stop);

#endif
