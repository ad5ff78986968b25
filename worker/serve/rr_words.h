#ifndef WORKER_RR_WORDS_H
#define WORKER_RR_WORDS_H
/*
 * Turns what rr printed when it failed into an error that says what to do.
 */
#include <stddef.h>
#include "worker/serve/ops.h"

/*
 * Fails the reply with rr's own message (bytes of its stderr, where the last lines count), and a
 * remedy if the failure is a known one. `doing` is a clause: "rr ps". end: how it ended, or NULL.
 */
void rr_words_fail(
    struct failure *failure, const char *doing, const char *end, const char *words, size_t length);

#endif
