/*
 * Translations that are out of force, and come back without translating once the code is again what
 * they were made from.
 */
#ifndef RR_WARDEN_SOFTPMU_REVIVE_H
#define RR_WARDEN_SOFTPMU_REVIVE_H

#include "worker/softpmu/cache/space.h"

/* A block's hash: a body of code that changes is not the same as one of equal bytes that does not.
 */
uint64_t revive_hash(const uint8_t *bytes, size_t length, bool changes);

/* Whether tid has the code from which the first body of this space was made, which need not be its
 * own. */
bool revive_is_possible(const struct space *space, pid_t tid);

/* Brings the block's body back if one was made from the code that tid has there now. */
bool revive_block(struct space *space, pid_t tid, uint32_t number);

#endif
