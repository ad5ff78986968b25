/*
 * How gdb asks for what is counted and checked here: with packets that rr does not know, and with
 * reads where no program has memory.
 */
#ifndef RR_WARDEN_SOFTPMU_MARKS_H
#define RR_WARDEN_SOFTPMU_MARKS_H

#include "worker/softpmu/cache/passcount.h"
#include "worker/softpmu/legs/linecount.h"
#include "worker/softpmu/scan/accesslog.h"
#include "worker/softpmu/scan/heapcheck.h"
#include "worker/softpmu/races/racecheck.h"
#include "worker/softpmu/traps/conditions.h"

static inline void marks_hear(const struct conditions *conditions, const char *packet)
{
	heapcheck_take(conditions->check, packet);
	racecheck_take(conditions->races, packet);
	linecount_take(conditions->lines, conditions->stopped, packet);
	accesslog_take(conditions->accesses, conditions->stopped, packet);
}

/* rr reads there. True if buffer has it. */
static inline bool marks_read(
    struct conditions *conditions, int fd, uint64_t address, void *buffer, size_t size)
{
	return passcount_read(conditions, address, buffer, size) ||
	       tally_read(&conditions->tally, fd, address, buffer, size) ||
	       heapcheck_read(conditions->check, fd, address, buffer, size) ||
	       racecheck_read(conditions->races, fd, address, buffer, size) ||
	       linecount_read(conditions->lines, fd, address, buffer, size) ||
	       accesslog_read(conditions->accesses, fd, address, buffer, size);
}

#endif
