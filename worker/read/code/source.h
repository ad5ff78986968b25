#ifndef WORKER_SOURCE_H
#define WORKER_SOURCE_H
/*
 * Lines of source files, read directly: bounded, regular files only.
 */
#include <jansson.h>
#include <limits.h>
#include "worker/session/replay.h"

#define SOURCE_DOUBT_MAX 700

/* A line and the two lines on either side as one string, each with its number, and "=>" before the
 * line itself. NULL for line 0, or if there are none. */
json_t *source_around(struct replay *replay, const char *path, int line);

/* Lines first..last as one string, each with its number; fewer if they are many. NULL if there are
 * none. */
json_t *source_between(struct replay *replay, const char *path, int first, int last);

/* The text of one line, cut to `size` bytes; false if it cannot be read. */
bool source_line(struct replay *replay, const char *path, int line, char *text, size_t size);

/* The full name that the debug information has for a file, of which `file` may be the end. False
 * with *failure filled. */
bool source_resolve(
    struct replay *replay, const char *file, char path[PATH_MAX], struct failure *failure);

/* The first of the lines first..last whose code (not a comment, as far as one line tells) has one
 * of these words; 0: none has, or there is no such file. */
int source_line_with(struct replay *replay, const char *path, int first, int last,
    const char *const *words, size_t count);

/* Whether the file that the debug information names can be found. */
bool source_is_there(struct replay *replay, const char *path);

/* "" or a warning about the file: it was found in another place than recorded, it is newer than the
 * program or the library that has its code at `address` (0: not known, then the program counts), or
 * it was not found, which is reported only once. In text[size], SOURCE_DOUBT_MAX bytes. */
const char *source_doubt(
    struct replay *replay, const char *path, unsigned long long address, char *text, size_t size);

#endif
