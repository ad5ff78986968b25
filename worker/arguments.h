#ifndef WORKER_ARGUMENTS_H
#define WORKER_ARGUMENTS_H
/*
 * A tool's arguments, typed and bounded. The supervisor has validated them; a worker checks again.
 */
#include <jansson.h>
#include <stdbool.h>
#include "worker/ops.h"

/* The text of an argument, borrowed; `absent` when it is not there or no text. */
const char *argument_text(json_t *args, const char *name, const char *absent);
bool argument_flag(json_t *args, const char *name, bool absent);
/* An integer, or a string of one, in [min, max]; `absent` when it is not there. */
bool argument_integer(json_t *args, const char *name, long long absent, long long min,
    long long max, long long *value, struct op_reply *reply);
/* Fails the reply when the text is absent or empty. */
const char *argument_required(json_t *args, const char *name, struct op_reply *reply);
/* The index of the text in a NULL-terminated list; `absent` when it is not there; -1 with the reply
 * failed when it is none of them. */
int argument_choice(
    json_t *args, const char *name, const char *const *choices, int absent, struct op_reply *reply);

#endif
