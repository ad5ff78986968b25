#ifndef WORKER_ABSOLUTE_H
#define WORKER_ABSOLUTE_H
/*
 * An expression that means the same object in every frame, and in another gdb: an address with its
 * type. So what a session has watched can be watched again once it is restored.
 */
#include "worker/session/replay.h"

/* Whether the expression, in the selected frame, names a member that is declared as a bit-field. */
bool absolute_is_bit_field(struct replay *replay, const char *expression);

/* A bit-field: what has it, as an expression, and its name there. */
struct absolute_bit_field {
	char object[REPLAY_EXPRESSION_MAX + 32], name[REPLAY_EXPRESSION_MAX + 32];
};

/* The same; fills *field if so. */
bool absolute_find_bit_field(
    struct replay *replay, const char *expression, struct absolute_bit_field *field);

/* Looks names up in the selected frame; address: as of place_address. Owned by the caller;
 * NULL: there is none, because the object has no address (NULL), or because it is a bit-field of
 * structures without names. */
char *absolute_expression(struct replay *replay, const char *expression, const char *address);

#endif
