#ifndef TESTS_PROGRAMS_ASLEEP_H
#define TESTS_PROGRAMS_ASLEEP_H
/*
 * For programs that go on when another of their threads waits in the kernel.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static inline bool thread_sleeps(int tid)
{
	char path[64], line[256] = "";
	const char *close;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "re");
	if (file && !fgets(line, sizeof(line), file))
		line[0] = 0;
	if (file)
		fclose(file);
	close = strrchr(line, ')');
	return close && close[1] && close[2] == 'S';
}

#endif
