#ifndef WORKER_SENDER_H
#define WORKER_SENDER_H
/*
 * Who sent a signal: the program itself, from whichever of its threads, another process, or the
 * kernel. Never guesses.
 */
#include "worker/session/replay.h"

struct sender {
	enum { SENDER_UNKNOWN, SENDER_KERNEL, SENDER_ITSELF, SENDER_OTHER } kind;
	bool by_call;  /* SENDER_ITSELF for sure: the kernel sends SIGPIPE in the program's name */
	long long pid; /* of SENDER_OTHER; 0: its namespace of processes does not have that one */
};

/* At a stop by a signal, from what the kernel told the program of it. */
struct sender sender_at_signal(struct replay *replay);

#define SENDER_PHRASE_MAX 96

/* Behind the signal's name, at the last moment of a process that it ended: "that it sent itself",
 * by what came with it (`told`) and by the system calls in which its threads end. */
void sender_phrase(
    struct replay *replay, int signal, const struct sender *told, char *text, size_t size);

#endif
