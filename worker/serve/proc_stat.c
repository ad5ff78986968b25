/*
 * See proc_stat.h. The name of a process is in parentheses and may contain anything, so fields are
 * counted from the last one.
 */
#include "worker/serve/proc_stat.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sandbox/cleanup.h"

#define STAT_MAX 512

unsigned long proc_stat_field(int proc, const char *number, enum proc_stat field)
{
	char path[64], text[STAT_MAX];
	const char *at;
	ssize_t length;

	snprintf(path, sizeof(path), "%.20s/stat", number);
	cleanup_fd int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	length = read(fd, text, sizeof(text) - 1);
	text[length > 0 ? length : 0] = '\0';
	at = strrchr(text, ')');
	for (int i = 0; at && i < (int)field; i++)
		at = strchr(at + 1, ' ');
	return at ? strtoul(at, NULL, 10) : 0;
}
