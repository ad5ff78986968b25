#ifndef WORKER_DUMP_LINES_H
#define WORKER_DUMP_LINES_H
/*
 * The lines of what `rr dump` prints, out of bytes that were split anywhere. Of a line that is too
 * long only the beginning is told.
 */
#include <stdbool.h>
#include <stddef.h>

#define DUMP_LINE_MAX  (4096 + 256)
#define DUMP_EVENT_MAX (1LL << 53)

struct dump_lines {
	char line[DUMP_LINE_MAX];
	size_t length;
	bool too_long;
};

/* Gets one line, NUL-terminated; `too_long`: there was more of it. */
typedef void dump_line_taken(void *owner, const char *line, bool too_long);

void dump_lines_feed(struct dump_lines *lines, const char *bytes, size_t length,
    dump_line_taken *taken, void *owner);
/* Tells an unfinished last line. */
void dump_lines_end(struct dump_lines *lines, dump_line_taken *taken, void *owner);

/* The number behind `key`, from 0 to high; -1 when there is none. */
long long dump_number(const char *line, const char *key, long long high);

#endif
