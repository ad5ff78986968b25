/*
 * Sends what gdb reads, and collects what it writes until a line is complete. The buffer grows with
 * the line, but not beyond MI_LINE_MAX. Does not look at the contents.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sandbox/log.h"
#include "worker/gdb/mi/lines.h"
#include "worker/gdb/mi/mi.h"

#define READ_CHUNK (64 * 1024)

bool lines_begin(struct lines *lines)
{
	*lines = (struct lines){.bytes = malloc(READ_CHUNK), .size = READ_CHUNK};
	return lines->bytes != NULL;
}

void lines_end(struct lines *lines)
{
	free(lines->bytes);
	*lines = (struct lines){0};
}

static bool make_room(struct lines *lines)
{
	char *bigger;

	if (lines->size - lines->length >= READ_CHUNK / 2)
		return true;
	if (lines->size >= MI_LINE_MAX)
		return false;
	bigger = realloc(lines->bytes, lines->size * 2);
	if (!bigger)
		return false;
	lines->bytes = bigger;
	lines->size *= 2;
	return true;
}

enum lines_outcome lines_read(struct lines *lines, int fd)
{
	ssize_t got;

	if (!make_room(lines))
		return LINES_TOO_LONG;
	got = read(fd, lines->bytes + lines->length, lines->size - lines->length);
	if (got > 0) {
		lines->length += (size_t)got;
		return LINES_READ;
	}
	return got < 0 && (errno == EAGAIN || errno == EINTR) ? LINES_LATER : LINES_ENDED;
}

ssize_t lines_send(int to, const char *bytes, size_t length)
{
	ssize_t sent = write(to, bytes, length);

	if (sent > 0)
		log_gdb("to gdb", bytes, (size_t)sent);
	return sent;
}

void lines_take(struct lines *lines, line_taken *taken, void *owner)
{
	size_t start = 0;
	char *newline;

	while ((newline = memchr(lines->bytes + start, '\n', lines->length - start))) {
		size_t end = (size_t)(newline - lines->bytes);

		log_gdb("from gdb", lines->bytes + start, end - start);
		taken(owner, lines->bytes + start, end - start);
		start = end + 1;
	}
	lines->length -= start;
	memmove(lines->bytes, lines->bytes + start, lines->length);
}
