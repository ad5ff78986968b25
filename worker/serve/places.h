#ifndef WORKER_PLACES_H
#define WORKER_PLACES_H
/*
 * The directories that a tool can see and write, for its sandbox: those that the launcher made
 * visible and those that this call needs.
 */
#include "sandbox/sandbox.h"
#include "worker/serve/ops.h"

#define PLACES_MAX 1024

struct places {
	const char *read_only[PLACES_MAX];
	const char *read_write[PLACES_MAX];
	const char *parents[2], *listed[2];
	size_t read_count, write_count;
	bool hides; /* something that is in the worker's view */
};

/* Starts with the configuration's, which must outlive `places`. */
void places_begin(struct places *places, const struct worker_config *config);
void places_read(struct places *places, const char *directory);
/* Takes it out of the list again: another tool may see it, this one may not. */
void places_hide(struct places *places, const char *directory);
void places_write(struct places *places, const char *directory);

/* Points the policy at the lists; `places` must outlive them. Sets who the tool dies with, too.
 */
void places_apply(const struct places *places, struct sandbox_policy *policy);

#endif
