/*
 * The code caches of all address spaces, and a few of those that are gone. A new process inherits
 * what was translated for another one of the same program: a forked child from its parent or its
 * brother, a program that is run again from its last run.
 */
#ifndef RR_WARDEN_SOFTPMU_SPACES_H
#define RR_WARDEN_SOFTPMU_SPACES_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/traps/tracees.h"

struct spaces;

/* NULL when memory is short. */
struct spaces *spaces_new(void);

/* The space of a tracee, or NULL. */
struct space *spaces_find(struct spaces *spaces, struct tracee *tracee);

/*
 * Finds or makes it. NULL if it cannot be made; *killed: because the tracee is about to end. Says
 * so once when a process has to run without.
 */
struct space *spaces_get(struct spaces *spaces, struct tracees *tracees, struct tracee *tracee,
    const struct user_regs_struct *regs, bool *killed);

/* The tracee runs another program now, or has ended. */
void spaces_leave(struct spaces *spaces, struct tracee *tracee);

/* Says on standard error, once, why this thread runs outside its space, which is broken. */
void spaces_tell_broken(struct spaces *spaces, const struct space *space, pid_t tid);

/* The same of code that none of its parts reaches, where no more can be had. */
void spaces_tell_out_of_reach(struct spaces *spaces, pid_t tid);

/* None may be used or made any more. */
void spaces_give_up(struct spaces *spaces);

/* The first of those that are in use; the others follow. */
struct space *spaces_first(const struct spaces *spaces);

/* How many were made, and how many blocks were translated in all of them. */
uint64_t spaces_made(const struct spaces *spaces);
uint64_t spaces_blocks(const struct spaces *spaces);

#endif
