#ifndef WORKER_KEYED_PASSES_H
#define WORKER_KEYED_PASSES_H
/*
 * Passes that the software counter counts by a key; see worker/x86/keymark.h. Only where
 * passes_sum says that passes can be counted at all.
 */
#include "worker/session/replay.h"
#include "worker/x86/keymark.h"

/* Forgets all keys: each pass stops. False if they cannot be counted by key here. */
bool keyed_passes_begin(struct replay *replay);

/* Passes with this key are counted from here on, and do not stop. */
void keyed_passes_name(struct replay *replay, unsigned long long key);

/* Where pc is that of the innermost frame or a return address: how its caller is found. */
void keyed_passes_rule(struct replay *replay, unsigned long long pc, const struct stack_rule *rule);

/* What a condition that stops at the next wanted pass waits for: the sum before that pass. */
void keyed_passes_next(struct replay *replay, unsigned long long sum);

/* What was counted; also after an interrupt. *negative: a value had its highest bit set. False: it
 * is not known, a pass may be missing, or a sum does not fit. */
bool keyed_passes_read(
    struct replay *replay, struct key_row rows[KEYS_MAX], size_t *count, bool *negative);

#endif
