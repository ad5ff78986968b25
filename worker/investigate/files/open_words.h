#ifndef WORKER_OPEN_WORDS_H
#define WORKER_OPEN_WORDS_H
/*
 * What a descriptor is, in words: as far as the trace and the memory of its calls tell.
 */
#include "worker/investigate/files/seen_calls.h"
#include "worker/trace/dump/open_list.h"

/* Asks for the calls that tell it. */
void open_words_want(const struct open_descriptor *descriptor, struct seen_calls *seen);

/* "file /etc/passwd", "read end of a pipe (write end: 4)". To be released. */
json_t *open_words(const struct open_descriptor *descriptor, const struct seen_calls *seen);

/* "copied", where another descriptor gave it; "received", "taken"; "": opened. */
const char *open_words_how(const struct open_descriptor *descriptor);

#endif
