#ifndef WORKER_VALUES_H
#define WORKER_VALUES_H
/*
 * Evaluates expressions and variables without side effects, and cuts them to what can be shown.
 */
#include "worker/session/replay.h"

#define VALUES_BUDGET (32 * 1024) /* bytes of values in one answer */

/* The variables of a frame as [{name, value, type}], at most `budget` bytes; *left_out (may be
 * NULL) counts what did not fit. NULL if there is no such frame. */
json_t *values_list(
    struct replay *replay, int thread, int frame, bool arguments, size_t budget, size_t *left_out);

/* Fills in what gdb left out of the arguments of MI's frame, {args: [{name, value?}]}: structures,
 * and what containers hold. Each is read for itself, so that one that gdb cannot read is alone. */
void values_complete(struct replay *replay, int thread, int level, json_t *frame);

/* A frame's local variables, without its arguments, as ["name = value"]; may be empty. */
json_t *values_lines(struct replay *replay, int thread, int frame, size_t budget);

/* What a frame's arguments and variables that are pointers to structures point to, as ["*name =
 * value"]. If one cannot be read, its line says so. */
json_t *values_pointed(struct replay *replay, int thread, int frame);

/* Evaluates in the selected thread and frame: 0 with *value and *type owned by the caller, or -1
 * with why filled. */
int values_read(struct replay *replay, const char *expression, char **value, char **type, char *why,
    size_t why_size);

/* The same without the type: the value, owned by the caller, or NULL with why filled. */
char *values_text(struct replay *replay, const char *expression, char *why, size_t why_size);

/* As values_read, for a person: containers with their elements, and what a reference refers to. */
int values_show(struct replay *replay, const char *expression, char **value, char **type, char *why,
    size_t why_size);

/* gdb's text of a value without the type that it prints before a pointer: "(int *) 0x10". */
const char *values_behind_type(const char *value);

/* The number that an expression of ours has: its casts, sizes and registers are C, also in a frame
 * of another language. False with `why` filled. */
bool values_number(struct replay *replay, const char *expression, unsigned long long *number,
    char *why, size_t why_size);

#endif
