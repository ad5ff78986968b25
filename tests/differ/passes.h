/*
 * How often instructions of the random code begin: counted as for rr_lines_executed, beside the
 * reference's steps.
 */
#ifndef DIFFER_PASSES_H
#define DIFFER_PASSES_H

#include <sys/user.h>

#include "tests/differ/code.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/legs/linecount.h"

struct passes {
	struct linecount counted;
	uint64_t stepped[LINES_MAX];
	/* A repeated instruction is a step each time, and in the cache one pass. */
	bool repeats[LINES_MAX];
	uint64_t kept[LINES_MAX];
	uint64_t total; /* stepped, ever */
};

/* Asks for other instructions, of this code. memory: a descriptor of the cached twin's. */
void passes_choose(struct passes *passes, const struct code *code, uint64_t *seed, int memory);

/* The reference, which is process pid, is about to step. */
void passes_step(struct passes *passes, pid_t pid, uint64_t rip);

/* Prints which instruction was not counted as often as it was stepped; false: there is none. space:
 * of the cached twin, or NULL. */
bool passes_print_difference(const struct passes *passes, const struct space *space);

/* Keeps what is counted in the space, and puts it there again. */
void passes_keep(struct passes *passes, const struct space *space);
void passes_put_back(const struct passes *passes, const struct space *space);

#endif
