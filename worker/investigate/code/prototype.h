#ifndef WORKER_PROTOTYPE_H
#define WORKER_PROTOTYPE_H
/*
 * What a function takes and returns, by its type, and in which registers the calling convention of
 * x86-64 has that. What lies elsewhere is left out.
 */
#include <jansson.h>
#include "worker/session/replay.h"

#define PROTOTYPE_TYPE_MAX 128

/* The type that a function returns: "int" of `int (const char *)`. False if it is not known. */
bool prototype_returned(struct replay *replay, const char *function, char *type, size_t size);

/* The value of that type that a function has just returned; NULL where it is in no register. */
json_t *prototype_value(struct replay *replay, const char *type);

/* In how many general registers it may get arguments, at most; -1: not known. */
int prototype_integers(struct replay *replay, const char *function);

/* Where the program is about to call the function: its arguments, "3, 0x55 <buffer>", with "..."
 * for those that are not in registers, or not known. */
json_t *prototype_arguments(struct replay *replay, const char *function);

#endif
