#ifndef TESTS_SOAK_SOAK_H
#define TESTS_SOAK_SOAK_H
/*
 * What the parts of the soak share: their parameters, chance, and the traces they replay.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tests/e2e/harness.h"

#define SOAK_TRACES 3

struct soak {
	long long sessions, at_once; /* in a row; side by side */
	double seconds;		     /* of those side by side */
	uint64_t chance;	     /* the state of soak_chance; never 0 */
	char *folder;		     /* home, temporary files and traces of the servers */
	char *traces[SOAK_TRACES];
};

/* A number below `bound`, the same for the same seed. */
unsigned soak_chance(struct soak *soak, unsigned bound);

/* A server that keeps everything it writes in the soak's folder. */
struct client *soak_start_server(const struct soak *soak);

/* Sessions one after the other, each used a little, one in ten robbed of a process. */
bool row_run(struct soak *soak);

/* Many sessions at once, with calls, cancels, interrupts and kills at random. */
bool crowd_run(struct soak *soak);

#endif
