#ifndef WORKER_LOOKUP_H
#define WORKER_LOOKUP_H
/*
 * A program that answers one question (rr ps, gdb --version), confined so that it can only read.
 */
#include <limits.h>
#include "sandbox/pmu/pmu.h"
#include "worker/serve/places.h"
#include "worker/serve/tool.h"

#define LOOKUP_ARGUMENTS_MAX 4

struct lookup {
	char program[PATH_MAX];
	const char *argv[LOOKUP_ARGUMENTS_MAX + 2];
	struct places places;
	struct sandbox_policy policy;
	struct tool_spec spec; /* for capture_run; points into all of these */
};

/*
 * Finds the program and prepares its start. `arguments` (ends with NULL, borrowed) follow its name.
 * Returns 0, or -1 with errno if there is no such program.
 */
int lookup_prepare(struct lookup *lookup, const struct worker_config *config, const char *program,
    const char *const *arguments);

/* It is also to see this directory, or to write in it. */
void lookup_show(struct lookup *lookup, const char *directory, bool writes);

/* It is not to see this directory, though the worker does. */
void lookup_hide(struct lookup *lookup, const char *directory);

/* After lookup_prepare has failed for rr. */
void lookup_fail_without_rr(const struct worker_config *config, struct failure *failure);

/* The counter that rr shall use, from pmu_choose. Starts rr with the caller's own rights. */
int lookup_counter(const struct worker_config *config, struct pmu_choice *choice);

#endif
