#ifndef TESTS_ATTACKS_WITNESS_H
#define TESTS_ATTACKS_WITNESS_H
/*
 * What no attack may change: a folder that everybody may write to, the directory in which the
 * server starts, the processes below the server, the network's listening sockets. A failed check
 * ends the test (abort) with what it found.
 */
#include <stddef.h>
#include <sys/types.h>

struct witness {
	char *folder;	 /* under /tmp, and short, because it is part of attacks */
	char *directory; /* for the server to start in: a call may make traces there */
	size_t processes, sockets;
};

struct witness witness_new(void);

/* Notes the processes below the server and the network's sockets as permitted. Its sessions have
 * begun: a server answers before the processes of its monitor are there. */
void witness_count(struct witness *witness, pid_t server);

/* The same for a server without a session: permits those of its monitor, and no other process. */
void witness_count_none(struct witness *witness);

/* Expects nothing new in the folder, nothing but traces and the way to them in the directory, no
 * process left over (waits a little for processes that end), and no new listening socket. */
void witness_look(const struct witness *witness, pid_t server);

/* The folder and the directory once more, and their end. */
void witness_end(struct witness *witness);

/*
 * Moves the calling process, and all that it starts, into a network of its own with a loopback:
 * what listens there was started by it. To be called once, before any test. Where the kernel gives
 * none, it stays where it is, and others on the machine count as well.
 */
void witness_alone(void);

/* Lines of the network's tables of listening sockets. */
size_t witness_listeners(void);

#endif
