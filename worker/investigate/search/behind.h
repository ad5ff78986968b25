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
		unsigned long long wide; /* where it begins, if it can mislead; or 0 */
	} known[BEHIND_CODE_MAX];
	size_t count;
	long long doubtful; /* accesses of which no one can tell; see behind_touches */
	struct moment first_doubtful;
};

/* The program stands right after an access, at replay->moment. `changed`: the value differs from
 * before, so the access was at least a write. */
enum behind behind_access(struct replay *replay, struct behind_code *code, bool changed);

/* Whether that instruction accesses one of those bytes. The processor may also stop at bytes that a
 * mask leaves out. False: it does not, or no one can tell, because rr does not give the mask. */
bool behind_touches(struct replay *replay, struct behind_code *code, unsigned long long address,
    unsigned long long size);

/* Adds what is left out of an answer for that reason, if anything. */
void behind_tell(const struct behind_code *code, struct replay *replay, json_t *answer);

/* The same for whether that instruction is an atomic one: locked, or xchg. An atomic load or store
 * of C11 can be a plain mov, which does not show here. */
bool behind_is_atomic(struct replay *replay, struct behind_code *code);

#endif
