#ifndef WORKER_ACCESS_KIND_H
#define WORKER_ACCESS_KIND_H
/*
 * Tells whether the instruction behind which the program stands read or wrote the memory that a
 * watchpoint saw it touch. The processor does not say: a read looks like a write of the same value.
 */
#include "worker/session/replay.h"

enum access_kind { ACCESS_KIND_UNKNOWN, ACCESS_KIND_READ, ACCESS_KIND_WRITE, ACCESS_KIND_BOTH };

extern const char *const access_kind_words[]; /* "unknown", "read", "write", "read and write" */

#define ACCESS_KINDS_MAX 256

/* Instructions that were decoded before. Starts as {0}. */
struct access_kinds {
	struct {
		unsigned long long end; /* the address after it */
		enum access_kind kind;
		bool atomic;
		unsigned long long wide; /* where it begins, if it can mislead; or 0 */
	} known[ACCESS_KINDS_MAX];
	size_t count;
	long long doubtful; /* accesses of which no one can tell; see access_kind_touches */
	struct moment first_doubtful;
};

/* The program stands right after an access, at replay_now. `changed`: the value differs from
 * before, so the access was at least a write. */
enum access_kind access_kind_here(struct replay *replay, struct access_kinds *code, bool changed);

/* Whether that instruction accesses one of those bytes. The processor may also stop at bytes that a
 * mask leaves out. False: it does not, or no one can tell, because rr does not give the mask. */
bool access_kind_touches(struct replay *replay, struct access_kinds *code,
    unsigned long long address, unsigned long long size);

/* Adds what is left out of an answer for that reason, if anything. */
void access_kind_tell(const struct access_kinds *code, struct replay *replay, json_t *answer);

/* The same for whether that instruction is an atomic one: locked, or xchg. An atomic load or store
 * of C11 can be a plain mov, which does not show here. */
bool access_kind_is_atomic(struct replay *replay, struct access_kinds *code);

#endif
