#ifndef WORKER_LIBRARY_SAID_H
#define WORKER_LIBRARY_SAID_H
/*
 * What the C library says when it ends a program itself, because it has found something damaged.
 */
#include <jansson.h>

enum library_found { LIBRARY_NOTHING, LIBRARY_HEAP, LIBRARY_ARRAY };

/* Adds that to a report, with a hint, if the last line of `output` (may be NULL) is such a message.
 * Returns what the library has found damaged. */
enum library_found library_said(json_t *report, const json_t *output);

#endif
