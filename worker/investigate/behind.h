#ifndef WORKER_BEHIND_H
#define WORKER_BEHIND_H
/*
 * What the instruction before the program's place did with the memory that a watchpoint saw it
 * touch. The processor does not say; a read looks like a write of the value that was there.
 */
#include "worker/session/replay.h"

enum behind { BEHIND_UNKNOWN, BEHIND_READ, BEHIND_WRITE, BEHIND_BOTH };

extern const char *const behind_words[]; /* "unknown", "read", "write", "read and write" */

#define BEHIND_CODE_MAX 256

/* Instructions that are known already. Starts as {0}. */
struct behind_code {
	struct {
		unsigned long long end; /* the address behind it */
		enum behind kind;
	} known[BEHIND_CODE_MAX];
	size_t count;
};

/* Where the program stands behind an access, as replay->moment has it; `changed`: the value is
 * another one than before, so that it was written at least. */
enum behind behind_access(struct replay *replay, struct behind_code *code, bool changed);

#endif
