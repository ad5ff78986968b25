#ifndef WORKER_SOURCE_H
#define WORKER_SOURCE_H
/*
 * Lines of source files, read directly: bounded, regular files only.
 */
#include <jansson.h>
#include "worker/replay.h"

#define SOURCE_LINE_MAX	 400 /* bytes shown of one line */
#define SOURCE_LINES_MAX 500 /* in one answer */

op_handler source_lines;

/* Lines first..last of a file as [{line, text, current}]; empty when there is none. *lines_in (may
 * be NULL) becomes how many lines the file has as far as it was read. */
json_t *source_read(const char *path, int first, int last, int current);

/* "" or why the file may not be what was compiled: it is newer than the executable. */
const char *source_doubt(const struct replay *replay, const char *path);

#endif
