#ifndef WORKER_SENDER_H
#define WORKER_SENDER_H
/*
 * Who sent a signal: the program itself, from whichever of its threads, another process, or the
 * kernel. Never guesses.
 */
#include "worker/session/replay.h"

/* Of a core file, in which a signal ended the process: the other process that sent it. 0: none did,
 * or it is not known. */
long long sender_of_core(struct replay *replay);

#define SENDER_PHRASE_MAX 96

/* Behind the signal's name, at the last moment of a process that it ended: "that it sent itself".
 */
void sender_phrase(struct replay *replay, int signal, char *text, size_t size);

/* Whether the signal (by name) that stands for the failure of an instruction came without one, as
 * another process or a call sends it; *itself: the program's own call. False, too, where it is not
 * known. */
bool sender_is_there(struct replay *replay, const char *signal, bool *itself);

/* Whether it is known to come of an instruction that failed. */
bool sender_is_instruction(struct replay *replay, const char *signal);

#endif
