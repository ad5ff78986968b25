/*
 * Prints a gigabyte in lines of a megabyte, or as many as the argument says, and a last one that
 * says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK  (1 << 20)
#define CHUNKS 1024

static char chunk[CHUNK];

static int print(const char *start)
{
	size_t done = 0;

	memcpy(chunk, start, strlen(start));
	while (done < CHUNK) {
		ssize_t some = write(STDOUT_FILENO, chunk + done, CHUNK - done);
		if (some <= 0)
			return -1;
		done += (size_t)some;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int chunks = argc > 1 ? atoi(argv[1]) : CHUNKS;

	memset(chunk, '.', sizeof(chunk));
	chunk[CHUNK - 1] = '\n';
	for (int i = 0; i < chunks; i++)
		if (print(i == 0 ? "first" : "more") < 0)
			return 1;
	return write(STDOUT_FILENO, "last\n", 5) == 5 ? 0 : 1;
}
