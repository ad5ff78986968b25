#ifndef WORKER_AUXV_H
#define WORKER_AUXV_H
/*
 * What the kernel told the program at its start.
 */
#include "worker/session/replay.h"

/* The first instruction of the program itself (AT_ENTRY); 0: not known, and a warning says what was
 * not done for that. */
unsigned long long auxv_entry(struct replay *replay, const char *not_done);

#endif
