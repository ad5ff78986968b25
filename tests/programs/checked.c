/*
 * Is ended by a check that the compiler put in: of a canary, or of the size of a call's target. The
 * argument names by what. A crash report has to tell who wrote there, or what the call was.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile long seen;
volatile size_t too_many = 44;
static char long_name[64] = "a name that is much longer than sixteen bytes";
static char small[16];

__attribute__((noipa)) static void put(volatile char *to, size_t length)
{
	for (size_t i = 0; i < length; i++)
		to[i] = 'x'; /* puts */
}

__attribute__((noipa)) static void smash_itself(size_t length)
{
	char buffer[16];

	for (size_t i = 0; i < length; i++)
		((volatile char *)buffer)[i] = 'x'; /* smashes */
	seen += buffer[3];
}

__attribute__((noipa)) static void smashed_by_other(size_t length)
{
	char buffer[16];

	put(buffer, length);
	seen += buffer[3];
}

__attribute__((noipa)) static void smashed_by_copy(size_t length)
{
	char buffer[16];

	memcpy(buffer, long_name, length); /* copies */
	seen += buffer[3];
}

__attribute__((noipa)) static void smashed_by_kernel(size_t length)
{
	char buffer[16];
	int ends[2];

	if (pipe(ends) == 0 && write(ends[1], long_name, length) > 0)
		seen += read(ends[0], buffer, length); /* reads */
	seen += buffer[3];
}

/* The function whose canary it was is a caller of the one that writes, and later calls are well. */
__attribute__((noipa)) static void fill_caller(char *buffer, size_t length)
{
	char own[16];

	put(own, sizeof(own));
	put(buffer, length);
	seen += own[2];
}

__attribute__((noipa)) static void smashed_below(size_t length)
{
	char buffer[16], *more = __builtin_alloca(length);

	put(more, length);
	fill_caller(buffer, length);
	fill_caller(more, 4);
	seen += buffer[3] + more[1];
}

__attribute__((noipa)) static void strcpy_to(char *from)
{
	char *buffer = malloc(16);

	__builtin___strcpy_chk(buffer, from, 16); /* too long */
	seen += buffer[3];
}

__attribute__((noipa)) static void memcpy_to(size_t length)
{
	__builtin___memcpy_chk(small, long_name, length, sizeof(small));
	seen += small[3];
}

__attribute__((noipa)) static void sprintf_to(char *from)
{
	__builtin___sprintf_chk(small, 1, sizeof(small), "<%s>", from);
	seen += small[3];
}

__attribute__((noipa)) static void snprintf_to(size_t length)
{
	__builtin___snprintf_chk(small, length, 1, sizeof(small), "<%s>", long_name);
	seen += small[3];
}

__attribute__((noipa)) static void strcat_to(char *from)
{
	__builtin___strcat_chk(small, from, sizeof(small));
	seen += small[3];
}

extern ssize_t __read_chk(int fd, void *to, size_t length, size_t room);

__attribute__((noipa)) static void read_to(size_t length)
{
	seen += __read_chk(0, small, length, sizeof(small));
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	if (strcmp(way, "itself") == 0)
		smash_itself(too_many);
	else if (strcmp(way, "other") == 0)
		smashed_by_other(too_many);
	else if (strcmp(way, "copy") == 0)
		smashed_by_copy(too_many);
	else if (strcmp(way, "kernel") == 0)
		smashed_by_kernel(too_many);
	else if (strcmp(way, "below") == 0)
		smashed_below(too_many);
	else if (strcmp(way, "strcpy") == 0)
		strcpy_to(long_name);
	else if (strcmp(way, "memcpy") == 0)
		memcpy_to(too_many);
	else if (strcmp(way, "sprintf") == 0)
		sprintf_to(long_name);
	else if (strcmp(way, "snprintf") == 0)
		snprintf_to(too_many);
	else if (strcmp(way, "strcat") == 0)
		strcat_to(long_name);
	else if (strcmp(way, "read") == 0)
		read_to(too_many);
	return 0;
}
