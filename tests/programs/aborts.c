/*
 * Is ended by the C library, which has found what the argument names. A crash report has to tell
 * which block or array it was, and who damaged it.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile long seen;
volatile size_t too_many = 64;
static char name[64] = "a name that is much longer than sixteen bytes";

__attribute__((noipa)) static char *make(size_t size)
{
	char *block = malloc(size); /* makes */

	seen++;
	return block;
}

__attribute__((noipa)) static void fill(volatile char *to, size_t length)
{
	for (size_t i = 0; i < length; i++)
		to[i] = 'x'; /* fills */
}

__attribute__((noipa)) static void release(char *block)
{
	free(block); /* releases */
	seen++;
}

__attribute__((noipa)) static void again(char *block)
{
	free(block); /* releases again */
	seen++;
}

__attribute__((noipa)) static void smash(volatile size_t length)
{
	char buffer[16];

	for (size_t i = 0; i < length; i++)
		((volatile char *)buffer)[i] = 'x'; /* smashes */
	seen += buffer[3];
}

__attribute__((noipa)) static void too_long(void)
{
	char *buffer = make(16);

	__builtin___strcpy_chk(buffer, name, 16); /* too long */
	seen += buffer[3];
}

/* A large block whose neighbour's size is overwritten; freeing it looks at that. */
static void size_vs_previous(void)
{
	char *low = make(2000), *high = make(2000), *guard = make(2000);

	release(high);
	fill(low, 2016); /* the size of the free neighbour */
	release(low);
	release(guard);
}

static void bad_size(void)
{
	char *low = make(40), *high = make(40);

	fill(low, 56);
	release(high);
}

static void bad_top(void)
{
	char *last = make(40);

	fill(last, 56);
	seen += *make(5000);
}

static void bad_pointer(void)
{
	char *block = make(100);

	release(block + 16);
}

static void twice(void)
{
	char *block = make(40);

	release(block);
	again(block);
}

static void twice_large(void)
{
	char *block = make(5000), *guard = make(40);

	release(block);
	again(block);
	release(guard);
}

static void stale_list(void)
{
	char *one = make(40), *other = make(40);

	release(one);
	release(other);
	fill(other, 8); /* after its free */
	seen += *make(40);
	seen += *make(40);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	if (strcmp(way, "size_vs_previous") == 0)
		size_vs_previous();
	else if (strcmp(way, "bad_size") == 0)
		bad_size();
	else if (strcmp(way, "bad_top") == 0)
		bad_top();
	else if (strcmp(way, "bad_pointer") == 0)
		bad_pointer();
	else if (strcmp(way, "twice") == 0)
		twice();
	else if (strcmp(way, "twice_large") == 0)
		twice_large();
	else if (strcmp(way, "stale_list") == 0)
		stale_list();
	else if (strcmp(way, "smash") == 0)
		smash(too_many);
	else if (strcmp(way, "too_long") == 0)
		too_long();
	return 0;
}
