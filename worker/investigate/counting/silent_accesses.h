#ifndef WORKER_SILENT_ACCESSES_H
#define WORKER_SILENT_ACCESSES_H
/*
 * Accesses to one place that the software counter counts by thread and instruction, while the
 * program runs on without rr and gdb. See softpmu/scan/accesslog.h.
 */
#include "worker/session/replay.h"
#include "worker/x86/tallymark.h"

/* Numbers the accesses of these bytes from here on, where a watchpoint on them stands that alone
 * watches. Each still stops. False: it cannot be done here. */
bool silent_accesses_begin(
    struct replay *replay, unsigned long long address, unsigned long long size);

/* Those by the instruction before pc need not stop any more, but for each thread's first one. */
void silent_accesses_hush(struct replay *replay, unsigned long long pc);

/* The access of that number stops all the same, and maybe the one before it: ascending, at most
 * ACCESS_WANTED_MAX. */
void silent_accesses_want(struct replay *replay, unsigned long long number);

/* What was counted, with the first rows. False: it is not known, or one may be missing. */
bool silent_accesses_read(struct replay *replay, struct access_table *table);

/* The same with the rows from `first` on. */
bool silent_accesses_read_rows(struct replay *replay, size_t first, struct access_table *table);

/* Forgets the rows, which are read. */
void silent_accesses_forget(struct replay *replay);

/* Each access stops again. */
void silent_accesses_end(struct replay *replay);

#endif
