/*
 * Prints a gigabyte in lines of a megabyte, the first and the last of which say so.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CHUNK  (1 << 20)
#define CHUNKS 1024

static char chunk[CHUNK];

static int print(const char *start)
{
	size_t done = 0;

	memset(chunk, '.', sizeof(chunk));
	memcpy(chunk, start, strlen(start));
	chunk[CHUNK - 1] = '\n';
	while (done < CHUNK) {
		ssize_t some = write(STDOUT_FILENO, chunk + done, CHUNK - done);
		if (some <= 0)
			return -1;
		done += (size_t)some;
	}
	return 0;
}

int main(void)
{
	for (int i = 0; i < CHUNKS; i++)
		if (print(i == 0 ? "first" : "more") < 0)
			return 1;
	return write(STDOUT_FILENO, "last\n", 5) == 5 ? 0 : 1;
}
