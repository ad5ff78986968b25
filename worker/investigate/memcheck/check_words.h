#ifndef WORKER_CHECK_WORDS_H
#define WORKER_CHECK_WORDS_H
/*
 * What a finding of the heap's check is, in words. Pure.
 */
#include "worker/investigate/memcheck/heap_pools.h"

#define CHECK_WORDS_MAX 700

/* "write of 1 byte at 0x4010: byte 16 of a block of 16 bytes of pool_alloc". Not of what was never
 * written, and of no return address: see unwritten.h. */
void check_words(
    const struct check_table *table, const struct heap_pools *pools, char words[CHECK_WORDS_MAX]);

#endif
