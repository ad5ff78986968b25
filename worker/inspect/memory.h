#ifndef WORKER_MEMORY_H
#define WORKER_MEMORY_H
/*
 * Memory and registers.
 */
#include "worker/session/replay.h"

/* Formats the hex digits `contents` as lines "0x1000 48 65 ... |He...|", at most `size` bytes with
 * the NUL. */
void memory_dump(char *to, size_t size, unsigned long long address, const char *contents);

#endif
