#ifndef WORKER_BEHIND_H
#define WORKER_BEHIND_H
/*
 * Tells whether the instruction behind which the program stands read or wrote the memory that a
 * watchpoint saw it touch. The processor does not say: a read looks like a write of the same value.
 */
#include "worker/session/replay.h"

enum behind { BEHIND_UNKNOWN, BEHIND_READ, BEHIND_WRITE, BEHIND_BOTH };

extern const char *const behind_words[]; /* "unknown", "read", "write", "read and write" */

#define BEHIND_CODE_MAX 256

/* Instructions that were decoded before. Starts as {0}. */
struct behind_code {
	struct {
		unsigned long long end; /* the address after it */
		enum behind kind;
		bool atomic;
	} known[BEHIND_CODE_MAX];
	size_t count;
};

/* The program stands right after an access, at replay->moment. `changed`: the value differs from
 * before, so the access was at least a write. */
enum behind behind_access(struct replay *replay, struct behind_code *code, bool changed);

/* The same for whether that instruction is an atomic one: locked, or xchg. An atomic load or store
 * of C11 can be a plain mov, which does not show here. */
bool behind_is_atomic(struct replay *replay, struct behind_code *code);

#endif
