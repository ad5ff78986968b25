#ifndef WORKER_CONDITION_H
#define WORKER_CONDITION_H
/*
 * Conditions as people write them: a comparison with a text means the characters, in every
 * language, and a member that does not exist is a mistake at once.
 */
#include "worker/session/replay.h"

struct condition_written {
	char *text;	   /* what gdb is to evaluate; the caller's */
	char language[16]; /* gdb's name of the language that it is in; "auto": unknown */
};

/* For a place where the program is at `address` (0: the selected frame). False with *failure filled
 * and text NULL if it can never be evaluated there, or is too long. A condition of which gdb cannot
 * tell stays as it is. */
bool condition_write(struct replay *replay, unsigned long long address, const char *condition,
    struct condition_written *written, struct failure *failure);

/* Whether gdb must not read it as C. */
bool condition_has_language(const struct condition_written *written);

#endif
