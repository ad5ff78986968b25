#ifndef WORKER_VALUES_H
#define WORKER_VALUES_H
/*
 * Expressions and variables: evaluated without side effects, and cut to what can be shown.
 */
#include "worker/replay.h"

op_handler values_evaluate, values_locals, values_gdb_command;

/* The variables of a frame as [{name, value, type}], at most `budget` bytes; *left_out (may be
 * NULL) counts what did not fit. NULL when there is no such frame. */
json_t *values_list(
    struct replay *replay, int thread, int frame, bool arguments, size_t budget, size_t *left_out);

/* Whether the expression may be given to gdb: it fails the reply for what could act outside of the
 * recorded program. */
bool values_is_harmless(const char *expression, struct op_reply *reply);

/* Evaluates in the selected thread and frame: 0 with *value and *type owned by the caller, or -1
 * with why filled. */
int values_read(struct replay *replay, const char *expression, char **value, char **type, char *why,
    size_t why_size);

#endif
