#ifndef WORKER_SPOKEN_H
#define WORKER_SPOKEN_H
/*
 * Evaluates in a frame, in the language of that frame, or in C++. gdb finds the functions of
 * containers and smart pointers in C++ alone, but a program in C++ often stands in a frame of a C
 * library, or in one without a language: at its start, in abort, in _exit.
 */
#include "worker/session/replay.h"

/*
 * An MI command that takes an expression: `command` is its first word, and `rest` what follows
 * --thread and --frame, quoted. What a frame of C or assembly refuses is tried again in C++, and
 * gdb's message is then of that.
 */
enum gdb_outcome spoken_command(struct replay *replay, json_t **results, int thread, int frame,
    const char *command, const char *rest) __attribute__((warn_unused_result));

/* Whether gdb has refused what it was asked last, and reads expressions of the selected frame as
 * those of Rust, Ada, Go or another language in which casts and sizes of C mean nothing. */
bool spoken_is_foreign(struct replay *replay);

/* -data-evaluate-expression of a quoted expression of ours, as C, in the selected frame. */
enum gdb_outcome spoken_as_c(struct replay *replay, json_t **results, const char *quoted)
    __attribute__((warn_unused_result));

/* -data-evaluate-expression of a quoted expression in the selected frame. */
enum gdb_outcome spoken_here(struct replay *replay, json_t **results, const char *quoted)
    __attribute__((warn_unused_result));

/* A quoted command of gdb's console in the selected frame. */
enum gdb_outcome spoken_console(struct replay *replay, const char *quoted)
    __attribute__((warn_unused_result));

#endif
