/*
 * See write_whole.h.
 */
#include "supervisor/monitor/write_whole.h"

#include <errno.h>
#include <unistd.h>

int write_whole(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t written = write(fd, text, length);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return -1;
		text += written;
		length -= (size_t)written;
	}
	return 0;
}
