#ifndef WORKER_LINES_H
#define WORKER_LINES_H
/*
 * The lines that gdb reads and writes, through its pipes. The log has them, if somebody asks for
 * that.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct lines {
	char *bytes; /* received and not taken yet */
	size_t length, size;
};

enum lines_outcome {
	LINES_READ,	/* there are new bytes */
	LINES_LATER,	/* there is nothing to read now */
	LINES_ENDED,	/* the pipe is closed, or cannot be read */
	LINES_TOO_LONG, /* a line is longer than MI_LINE_MAX, or there is no memory for it */
};

/* Gets one line, without its newline; the line is borrowed until it returns. It must not read or
 * take lines itself. */
typedef void line_taken(void *owner, const char *line, size_t length);

/* False: out of memory. lines_end frees what there is in either case. */
bool lines_begin(struct lines *lines);
void lines_end(struct lines *lines);

/* As write. */
ssize_t lines_send(int to, const char *bytes, size_t length);

/* Reads once from a descriptor that does not block. */
enum lines_outcome lines_read(struct lines *lines, int fd);

/* Gives each whole line to `taken`, in order, and keeps the rest for the next read. */
void lines_take(struct lines *lines, line_taken *taken, void *owner);

#endif
