#ifndef TESTS_E2E_AT_WORK_H
#define TESTS_E2E_AT_WORK_H
/*
 * Waits until a call is at work, by what the replayed program or rr uses of the processor: a time
 * would be too short on a busy machine, and is too long on others.
 */
#include <sys/types.h>
#include "tests/e2e/harness.h"

/* Of the processor, in milliseconds: a program that is stepped uses little. */
#define AT_WORK_STEPPED_MS 10
#define AT_WORK_RUN_MS	   100

/* Returns when the traced programs below `root` have used that much of the processor since this
 * was called. */
void at_work_await(pid_t root, unsigned milliseconds);

/* Sends a call that runs for long, because it steps through a million instructions, and returns its
 * id when it is at work. session: NULL for the only one. */
long long at_work_step(struct client *client, const char *session);

/* The same backward, for the only session, whose rr is `rr`. */
long long at_work_step_back(struct client *client, pid_t rr);

#endif
