#ifndef WORKER_LINE_PASSES_H
#define WORKER_LINE_PASSES_H
/*
 * How often each of many instructions begins, counted by the software counter in one run and
 * without a breakpoint. See legs/linecount.h of the software PMU.
 */
#include "worker/session/replay.h"
#include "worker/x86/tallymark.h"

/* Counts these from here on, in the process that the session debugs: at most LINES_MAX addresses,
 * each higher than the one before it. False if this session's counter cannot. Call line_passes_end
 * in either case. */
bool line_passes_begin(struct replay *replay, const unsigned long long *addresses, size_t count);

/* What was counted since, also after an interrupt. False: that is not known. */
bool line_passes_read(struct replay *replay, unsigned long long *passes, size_t count);

void line_passes_end(struct replay *replay);

#endif
