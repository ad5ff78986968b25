#ifndef TESTS_ATTACKS_WITNESS_H
#define TESTS_ATTACKS_WITNESS_H
/*
 * What no attack may have changed: a folder that everybody may write to, the processes below the
 * server, the machine's listening sockets. Every check fails the test (abort) with what it found.
 */
#include <stddef.h>
#include <sys/types.h>

struct witness {
	char *folder; /* under /tmp, short: it stands in the middle of attacks */
	size_t processes, sockets;
};

struct witness witness_new(void);

/* Takes the processes below the server, and the machine's sockets, as those that may be there. */
void witness_count(struct witness *witness, pid_t server);

/* Nothing was made in the folder, no process is left over (it waits a little for those that end),
 * no socket listens that did not before. */
void witness_look(const struct witness *witness, pid_t server);

/* The folder once more, and its end. */
void witness_end(struct witness *witness);

/* Lines of the machine's tables of listening sockets. */
size_t witness_listeners(void);

#endif
