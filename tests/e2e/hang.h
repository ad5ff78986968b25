#ifndef TESTS_E2E_HANG_H
#define TESTS_E2E_HANG_H
/*
 * Records a program that hangs, and ends it once it does: a time would be too short on a busy
 * machine, and is too long on others.
 */
#include <jansson.h>
#include <stddef.h>
#include "tests/e2e/harness.h"

/* Records `command` (taken over), ends it with SIGTERM when it has so many threads and all of them
 * sleep, and returns when the trace is complete. */
void hang_record(struct client *client, const char *trace, json_t *command, size_t threads);

#endif
