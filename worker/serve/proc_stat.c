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

/* False if it has ended. */
static bool read_stat(int proc, const char *number, char text[STAT_MAX])
{
	char path[64];
	ssize_t length;

	snprintf(path, sizeof(path), "%.20s/stat", number);
	cleanup_fd int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? -1 : read(fd, text, STAT_MAX - 1);
	text[length > 0 ? length : 0] = '\0';
	return length > 0;
}

unsigned long proc_stat_field(int proc, const char *number, enum proc_stat field)
{
	char text[STAT_MAX];
	const char *at;

	if (!read_stat(proc, number, text))
		return 0;
	at = strrchr(text, ')');
	for (int i = 0; at && i < (int)field; i++)
		at = strchr(at + 1, ' ');
	return at ? strtoul(at, NULL, 10) : 0;
}

bool proc_stat_name(int proc, const char *number, char name[PROC_NAME_MAX])
{
	char text[STAT_MAX], *begin, *end;

	if (!read_stat(proc, number, text))
		return false;
	begin = strchr(text, '(');
	end = strrchr(text, ')');
	if (!begin || !end || end < begin)
		return false;
	snprintf(name, PROC_NAME_MAX, "%.*s", (int)(end - begin - 1), begin + 1);
	return true;
}
