#ifndef WORKER_CHANGES_H
#define WORKER_CHANGES_H
/*
 * What a call changed, as far as two looks can tell: what its pointer arguments point to, and the
 * globals that its code names, when it began and when it was over.
 */
#include <jansson.h>
#include "worker/investigate/code/function_code.h"

#define CHANGES_MAX 32

struct changes {
	struct {
		char name[FUNCTION_NAME_MAX + 8]; /* as the answer has it */
		char expression[320];		  /* that means the same in every frame */
		char *before, *after;		  /* values; NULL: not readable */
	} things[CHANGES_MAX];
	size_t count;
};

/* Looks for the first time, where the function's arguments are in place. `level` is its frame. */
void changes_begin(
    struct changes *changes, struct replay *replay, int level, const struct function_code *code);
/* Looks again. */
void changes_end(struct changes *changes, struct replay *replay);
/* ["seen: 3 -> 7"]; may be empty. */
json_t *changes_tell(const struct changes *changes);
void changes_free(struct changes *changes);

#endif
