#ifndef TESTS_DEMO_SHOW_H
#define TESTS_DEMO_SHOW_H
/*
 * A tool's call and its answer, as a person reads them: short lines, no JSON. Reads every field as
 * one that may be missing.
 */
#include <jansson.h>

#define SHOW_WIDTH 100

/* A string at a dotted path; "" when there is none. */
const char *show_text(const json_t *answer, const char *path);

/* "file:line" of the frame object at a path ("": the object itself); static. */
const char *show_place(const json_t *answer, const char *path);

/* The current line of the source in an answer, without its indentation; static, "" for none. */
const char *show_current_line(const json_t *answer);

/* A value without the type that gdb puts before a pointer. Points into it. */
const char *show_bare_value(const char *value);

/* Prints one call: the tool and its arguments but for the session. */
void show_call(const char *tool, const json_t *args);

/* Prints what an answer tells: how it ended, where, source, values. */
void show_answer(const json_t *answer);

/* Prints one line "    | text", cut at SHOW_WIDTH. */
void show_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
