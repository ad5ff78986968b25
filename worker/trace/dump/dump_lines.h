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

/* A parser of those lines. Each kind is a struct that begins with this one. */
struct dump_parser {
	/* Gets one line, NUL-terminated; `too_long`: there was more of it. */
	void (*read_line)(struct dump_parser *parser, const char *line, bool too_long);
	void (*end)(struct dump_parser *parser); /* after the last line; NULL: nothing to do */
	char line[DUMP_LINE_MAX];
	size_t length;
	bool too_long;
};

/* Takes the next bytes of the text, wherever they were split. */
void dump_parser_feed(struct dump_parser *parser, const char *bytes, size_t length);
/* Takes an unfinished last line, and frees; NULL is fine. */
void dump_parser_end(struct dump_parser *parser);

/* The number behind `key`, from 0 to high; -1 when there is none. */
long long dump_number(const char *line, const char *key, long long high);

#endif
