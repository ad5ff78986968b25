#ifndef WORKER_INLINED_PASS_H
#define WORKER_INLINED_PASS_H
/*
 * A function that the compiler put into another one: which one is meant, and which code of the
 * other one is its.
 */
#include "worker/investigate/code/function_code.h"

#define INLINED_NAME_MAX 256

/* The name and the file of the inlined function in whose frame the selected one is; or, with its
 * name, of the one at an address. False: it is not inlined. */
bool inlined_pass_name(struct replay *replay, unsigned long long address, const char *function,
    char name[INLINED_NAME_MAX], char path[PATH_MAX]);

/* The level of the frame of the inlined function of that name; "": of the function around, above
 * which are those that the compiler put into it. By kind, because symbols and frames name one
 * function differently in Rust, Fortran and D. -1: not found. */
int inlined_pass_level(struct replay *replay, const char *name);

/* Marks the places that do not belong to it. False: gdb does not tell. */
bool inlined_pass_mark(struct replay *replay, const char *name, struct function_code *code);

#endif
