/*
 * The same three mistakes with new and delete.
 */
#include <cstddef>
#include <cstdio>

struct record {
	long count;
	char name[32];
	explicit record(long count) : count(count), name{}
	{
	}
};

record *stale, *kept;
char *low, *victim, *twice;
volatile long seen;

__attribute__((noipa)) static record *make_record(long count)
{
	return new record(count); /* made here */
}

__attribute__((noipa)) static void drop(record *old)
{
	delete old; /* dropped here */
	seen = seen + 1; /* no tail call */
}

__attribute__((noipa)) static void read_late()
{
	seen = seen + stale->count; /* used after free */
}

__attribute__((noipa)) static void fill(volatile char *to, size_t length)
{
	for (size_t i = 0; i < length; i++)
		to[i] = 'x'; /* beyond the end */
}

__attribute__((noipa)) static void release(char *block)
{
	delete[] block; /* freed first */
	seen = seen + 1; /* no tail call */
}

__attribute__((noipa)) static void release_again(char *block)
{
	delete[] block; /* freed twice */
	seen = seen + 1; /* no tail call */
}

int main()
{
	stale = make_record(1);
	kept = make_record(2);
	seen = seen + kept->count;
	low = new char[2040];
	victim = new char[2040]; /* the victim */
	twice = new char[300];
	drop(stale);
	read_late();
	fill(low, 2044);
	std::printf("%ld\n", seen);
	std::fflush(stdout);
	release(twice);
	release_again(twice);
	return 0;
}
