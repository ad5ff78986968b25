#ifndef WORKER_UNWRITTEN_H
#define WORKER_UNWRITTEN_H
/*
 * What a use of memory that was never written is, in words; see scan/heapcheck.h in the software
 * counter.
 */
#include "worker/session/replay.h"
#include "worker/x86/tallymark.h"

bool unwritten_is(const struct check_table *table);

#define UNWRITTEN_MAX 700

/* Where the program stands at the use: "a branch depends on 4 bytes that were never written: total,
 * a local variable of main (a.c:6)". */
void unwritten_say(
    struct replay *replay, const struct check_table *table, char text[UNWRITTEN_MAX]);

/* Where these bytes were loaded: "sum (a.c:9)". NULL: right there. To be released. */
json_t *unwritten_loaded(struct replay *replay, const struct check_table *table);

/* The same of a return address that is written over. False: it may be none any more. */
bool unwritten_return_say(
    struct replay *replay, const struct check_table *table, char text[UNWRITTEN_MAX]);

#endif
