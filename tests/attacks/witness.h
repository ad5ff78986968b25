#ifndef TESTS_ATTACKS_WITNESS_H
#define TESTS_ATTACKS_WITNESS_H
/*
 * What no attack may change: a folder that everybody may write to, the processes below the server,
 * the machine's listening sockets. A failed check ends the test (abort) with what it found.
 */
#include <stddef.h>
#include <sys/types.h>

struct witness {
	char *folder; /* under /tmp, and short, because it is part of attacks */
	size_t processes, sockets;
};

struct witness witness_new(void);

/* Notes the processes below the server and the machine's sockets as permitted. */
void witness_count(struct witness *witness, pid_t server);

/* Expects nothing new in the folder, no process left over (waits a little for processes that end),
 * and no new listening socket. */
void witness_look(const struct witness *witness, pid_t server);

/* The folder once more, and its end. */
void witness_end(struct witness *witness);

/* Lines of the machine's tables of listening sockets. */
size_t witness_listeners(void);

#endif
