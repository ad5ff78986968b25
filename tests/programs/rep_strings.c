/*
 * rep string instructions: copying, filling, comparing and scanning, with counts of zero and with
 * an early end, and one long enough to be interrupted.
 */
#include <stdio.h>
#include <string.h>

#define LONG_COPY 300000

static char from[LONG_COPY];
static char to[LONG_COPY];

static void copy(char *target, const char *source, size_t count)
{
	__asm__ volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(count) : : "memory");
}

static void fill(long *target, long value, size_t count)
{
	__asm__ volatile("rep stosq" : "+D"(target), "+c"(count) : "a"(value) : "memory");
}

static size_t same_until(const char *a, const char *b, size_t count)
{
	size_t left = count;

	__asm__ volatile("repe cmpsb" : "+D"(a), "+S"(b), "+c"(left) : : "memory", "cc");
	return count - left;
}

static size_t length_of(const char *text)
{
	size_t left = (size_t)-1;

	__asm__ volatile("repne scasb" : "+D"(text), "+c"(left) : "a"(0) : "memory", "cc");
	return -left - 2;
}

int main(void)
{
	long words[64];
	long sum = 0;

	fill((long *)from, 0x6162636465666768, LONG_COPY / 8);
	copy(to, from, LONG_COPY);
	copy(to, from, 0);
	fill(words, 3, 64);
	for (int i = 0; i < 64; i++)
		sum += words[i];
	from[777] = 'x';
	printf("sum %ld same %zu length %zu equal %d\n", sum, same_until(from, to, 4096),
	    length_of("twelve chars"), memcmp(from + 1000, to + 1000, 1000) == 0);
	return 0;
}
