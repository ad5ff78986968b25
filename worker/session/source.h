#ifndef WORKER_SOURCE_H
#define WORKER_SOURCE_H
/*
 * Lines of source files, read directly: bounded, regular files only.
 */
#include <jansson.h>
#include "worker/session/replay.h"

#define SOURCE_DOUBT_MAX 700
#define SOURCE_LINE_MAX	 400 /* bytes shown of one line */

/* Lines first..last of a file as one string, each with its number, "=>" before the current one (0:
 * none); NULL when there is none, with the reason in why[FILES_WHY_MAX] (may be NULL). */
json_t *source_read(
    struct replay *replay, const char *path, int first, int last, int current, char *why);

/* The line and two on either side, as source_read; NULL for line 0. */
json_t *source_around(struct replay *replay, const char *path, int line);

/* Whether the file that the debug information names can be found. */
bool source_is_there(struct replay *replay, const char *path);

/* "" or what is to be said of the file: it lies elsewhere than was recorded, it is newer than the
 * program, or it is nowhere, which is said once. In text[size], SOURCE_DOUBT_MAX bytes. */
const char *source_doubt(struct replay *replay, const char *path, char *text, size_t size);

#endif
