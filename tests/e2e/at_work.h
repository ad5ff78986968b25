#ifndef TESTS_E2E_AT_WORK_H
#define TESTS_E2E_AT_WORK_H
/*
 * Waits until a call is at work, by what the replayed program uses of the processor: a time would
 * be too short on a busy machine, and is too long on others.
 */
#include <sys/types.h>

/* Of the processor, in milliseconds: a program that is stepped uses little. */
#define AT_WORK_STEPPED_MS 10
#define AT_WORK_RUN_MS	   100

/* Returns when the traced programs below `root` have used that much of the processor since this
 * was called. */
void at_work_await(pid_t root, unsigned milliseconds);

#endif
