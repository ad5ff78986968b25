#ifndef TESTS_E2E_HANG_H
#define TESTS_E2E_HANG_H
/*
 * Waits until a program hangs, or records one until it does: a time would be too short on a busy
 * machine, and is too long on others.
 */
#include <jansson.h>
#include <stddef.h>
#include <sys/types.h>
#include "tests/e2e/harness.h"

/* Returns when a process has so many threads and all of them sleep. */
void hang_await(pid_t pid, size_t threads);

/* Records `command` (taken over), ends it with SIGTERM when it has so many threads and all of them
 * sleep, and returns when the trace is complete. */
void hang_record(struct client *client, const char *trace, json_t *command, size_t threads);

#endif
