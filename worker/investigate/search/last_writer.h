#ifndef WORKER_LAST_WRITER_H
#define WORKER_LAST_WRITER_H
/*
 * Who changed a word of memory last, before the moment at which the program stands.
 */
#include "worker/session/replay.h"
#include "worker/x86/operand.h"

struct last_writer {
	json_t *by;	      /* as of where_words; to be released */
	struct moment moment; /* in front of the write */
	char text[INSTRUCTION_TEXT_MAX];
};

/* Of the 8 bytes at an address. False if no instruction is known to have done it; the program then
 * stands anywhere, else at the moment. Must be called within an excursion. */
bool last_writer_find(
    struct replay *replay, unsigned long long address, struct last_writer *writer);

#endif
