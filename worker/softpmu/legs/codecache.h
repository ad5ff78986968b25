/*
 * Legs in the code cache: the program's own code, translated with a branch counter in it, runs in
 * the program's own process. Whenever rr sees the tracee, it stands in the original code with the
 * state that the original code would have; it is in the cache only while a leg runs.
 */
#ifndef RR_WARDEN_SOFTPMU_CODECACHE_H
#define RR_WARDEN_SOFTPMU_CODECACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#include "worker/softpmu/traps/conditions.h"
#include "worker/softpmu/traps/tracees.h"

struct codecache;

/* NULL when memory is short. conditions must outlive it. */
struct codecache *codecache_new(struct conditions *conditions);

/*
 * Begins a leg of a tracee that rr lets run, if the code at rip can run in the cache; then *result
 * is what ptrace returned. False: take another leg; nothing is changed.
 */
bool codecache_start(struct codecache *cache, struct tracees *tracees, struct tracee *tracee,
    const struct user_regs_struct *regs, long *result);

enum codecache_verdict {
	CODECACHE_RUNS,	    /* the tracee runs on in the cache */
	CODECACHE_LEG_ENDS, /* the stop is ours alone: another leg follows */
	CODECACHE_FOR_RR,   /* rr is to see it */
	CODECACHE_GONE,	    /* the tracee has ended in the meantime */
};

/*
 * Judges the stop that ends LEG_CACHE. Unless the tracee runs, *regs are its registers
 * then, the program's own, and *branches have retired. stay: it must not be let run on.
 */
enum codecache_verdict codecache_judge(struct codecache *cache, struct tracee *tracee, int status,
    bool stay, struct user_regs_struct *regs, uint64_t *branches);

/* rr resumes a tracee with these registers: it may be in a system call that changes mappings. */
void codecache_note_call(
    struct codecache *cache, struct tracee *tracee, const struct user_regs_struct *regs);

/* True when there is an address space with a cache. */
bool codecache_in_use(const struct codecache *cache);

/* rr has written to a tracee's memory. */
void codecache_note_write(struct codecache *cache, uint64_t address, uint64_t size);

/* The tracee runs another program now, or has ended. */
void codecache_forget(struct codecache *cache, struct tracee *tracee);

/* How many address spaces had a cache, and how many blocks were translated in all of them. */
uint64_t codecache_made(const struct codecache *cache);
uint64_t codecache_blocks(const struct codecache *cache);

/* Removes the cache's lines from the text of a /proc/PID/maps, in place. Returns the new length. */
size_t codecache_hide(char *text, size_t length);

#endif
