#ifndef TESTS_SOAK_BALANCE_H
#define TESTS_SOAK_BALANCE_H
/*
 * What a server holds while no session is open: a long run must end with as much as it began with.
 */
#include <stdbool.h>
#include <stddef.h>
#include "tests/e2e/harness.h"

struct balance {
	long long memory_kib;	 /* of supervisor, keeper and launcher, resident */
	long long descriptors;	 /* of the three; -1: nobody may look */
	long long sockets;	 /* among them */
	size_t processes, files; /* below the server; in the folder */
};

/* Waits until nothing below the server works any more, and counts. */
void balance_take(struct client *client, const char *folder, struct balance *balance);

/* Prints both, a row each thing. False when something is more than it was; memory may be
 * BALANCE_MEMORY_KIB more, since what is freed inside a page stays with the process. */
#define BALANCE_MEMORY_KIB 512
bool balance_compare(const char *what, const struct balance *before, const struct balance *after);

#endif
