#ifndef WORKER_RACE_CHECK_H
#define WORKER_RACE_CHECK_H
/*
 * The software counter's check of accesses that nothing orders, see races/racecheck.h there.
 */
#include "worker/session/replay.h"
#include "worker/x86/tallymark.h"

/* At a stop where the program begins. anew: nothing is known yet; else it is a further pass. False:
 * this counter cannot. */
bool race_check_begin(struct replay *replay, bool anew);

/* Where the libraries are mapped: which code is the C library's, and which is rr's and the
 * loader's. */
void race_check_tell_libraries(struct replay *replay);

/* Pairs are kept from here on. */
void race_check_show(struct replay *replay);

/* The access of that number is shown. */
void race_check_want(struct replay *replay, unsigned long long number);

/* Threads are ordered by what is there. */
void race_check_order(struct replay *replay, unsigned long long address);

/* False: it is not on any more. */
bool race_check_read(struct replay *replay, struct race_table *table);

/* The same with the pairs from `first` on. */
bool race_check_read_pairs(struct replay *replay, size_t first, struct race_table *table);

void race_check_end(struct replay *replay);

#endif
