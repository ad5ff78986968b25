#ifndef WORKER_WHERE_H
#define WORKER_WHERE_H
/*
 * Whose code the program stands in, in few words: for answers that have many such places.
 */
#include "worker/session/replay.h"

/*
 * At gdb's last stop: {function?, at?, in?} of the first frame that is the program's own. `in` is
 * the function that it had called, where the program stands in one that is not.
 */
json_t *where_own(struct replay *replay);

#define WHERE_CODE_MAX 64

/* Places in the program's own code that are known already. Starts as {0}. */
struct where_code {
	struct {
		unsigned long long pc;
		json_t *where;
	} known[WHERE_CODE_MAX];
	size_t count;
};

void where_forget(struct where_code *code);

/* Where the program stands behind an access to memory, as replay->moment has it: the same, but of
 * the instruction before, which made it. */
json_t *where_behind(struct replay *replay, struct where_code *code);

/* The same of frame `level` and its callers; NULL where there is none. */
json_t *where_from(struct replay *replay, int level);

/* The function that has an address, as its symbol says: its first instruction, and its name without
 * arguments. False where no symbol covers it. */
bool where_entry(struct replay *replay, unsigned long long pc, unsigned long long *entry,
    char *name, size_t size);

/* A register of a frame of the selected thread, such as $sp. */
bool where_number(
    struct replay *replay, int level, const char *expression, unsigned long long *number);

/* "store (a.c:8)", or "memcpy, called by load (a.c:7)". To be released. */
json_t *where_words(const json_t *where);

#endif
