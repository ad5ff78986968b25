#ifndef WORKER_TALLIED_WRITES_H
#define WORKER_TALLIED_WRITES_H
/*
 * Changes that the software counter counts by the instruction that made them, while the program
 * runs on without rr and gdb. See softpmu/traps/tally.h.
 */
#include "worker/session/replay.h"
#include "worker/x86/tallymark.h"

/* Counts changes of these bytes from here on, where a watchpoint on them stands that alone watches.
 * With numbers (ascending), it stops at the changes with these numbers and maybe at the one before
 * each; without (NULL), at the first one of each instruction. False: it cannot count here, and
 * every change stops. */
bool tallied_writes_begin(struct replay *replay, unsigned long long address,
    unsigned long long size, const uint64_t *numbers, size_t count);

/* The same up to the first change behind which the predicate of hushed_writes_begin may hold, which
 * must have begun: it does not stop before that. Then table.found is that change's number, and it
 * or a later one stops. */
bool tallied_writes_begin_until(
    struct replay *replay, unsigned long long address, unsigned long long size);

/* From here on, each change stops that the instruction before pc makes. */
void tallied_writes_stop_always(struct replay *replay, unsigned long long pc);

/* What was counted. False: it is not known, or a change may be missing. */
bool tallied_writes_read(struct replay *replay, struct tally_table *table);

/* Each change stops again. */
void tallied_writes_end(struct replay *replay);

#endif
