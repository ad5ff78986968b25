#ifndef WORKER_PASSES_H
#define WORKER_PASSES_H
/*
 * Conditions with which the software counter's library counts the passes of a hardware breakpoint
 * where the program runs, without a stop; see worker/x86/passmark.h.
 */
#include "worker/session/replay.h"

/* Whether passes can be counted in this session at all. Then *sum is that of all counted so far. */
bool passes_sum(struct replay *replay, unsigned long long *sum);

/* Whether each pass of the instruction there begins it once: one that repeats itself begins with
 * each repetition. */
bool passes_begin_once(struct replay *replay, unsigned long long address);

#define PASSES_CONDITION_MAX (REPLAY_EXPRESSION_MAX + 1024)
#define PASSES_WAY_MAX	     64

/*
 * The condition that counts the passes at which `condition` (NULL: each) holds, and stops at those
 * that gdb has to judge, which are not counted; and stops, without counting, where `stop` (NULL:
 * nowhere) is true, and at the pass before which the sum is *number (NULL: none). False if it is
 * too long.
 */
bool passes_condition(char to[PASSES_CONDITION_MAX], const char *condition, const char *stop,
    const unsigned long long *number);

/* The same with a key, an expression that gdb can hand over, for keyed_passes.h; and with a value
 * that is added to the sum of its key (NULL: none). */
bool passes_condition_by(char to[PASSES_CONDITION_MAX], const char *condition, const char *stop,
    const char *key, const char *value);

/* The same as passes_condition, with the pass that keyed_passes_next names. */
bool passes_condition_next(char to[PASSES_CONDITION_MAX], const char *condition, const char *stop);

/* gdb hands no condition to rr if any breakpoint of its own at the place, even a disabled one, has
 * none. passes_clear gives one to each of those that are disabled, and passes_restore takes it away
 * again: enable none of them before that. */
struct passes_way {
	int numbers[PASSES_WAY_MAX]; /* gdb's */
	size_t count;
};

void passes_clear(struct replay *replay, struct passes_way *way);
void passes_restore(struct replay *replay, struct passes_way *way);

#endif
