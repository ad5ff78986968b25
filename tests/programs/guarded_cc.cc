/*
 * The same for C++'s operators and containers.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#define APART __attribute__((noinline, noclone))

static volatile int sink;
static volatile size_t four = 4;

struct record {
	int number, other;
	long long weight;
	virtual ~record() = default;
};

APART static void past_new(void)
{
	volatile int *block = new int[four]; /* new ints */

	block[four] = 1; /* past_new */
	delete[] block;
}

APART static void past_vector(void)
{
	std::vector<int> numbers(four); /* a vector */

	sink = *(volatile int *)&numbers[four]; /* past_vector */
}

APART static void after_delete(void)
{
	record *block = new record; /* new record */

	delete block;			       /* deleted */
	sink = *(volatile int *)&block->other; /* after_delete */
}

APART static void double_delete(void)
{
	int *block = new int(7), *volatile same = block; /* new int */

	delete block; /* deleted first */
	delete same;  /* double_delete */
}

APART static void after_growth(void)
{
	std::vector<long> numbers(four);
	volatile long *first = numbers.data();

	numbers.resize(100 * four); /* grows */
	sink = (int)*first;	    /* after_growth */
}

struct alignas(64) line {
	char bytes[64];
};

APART static void past_aligned(void)
{
	volatile line *lines = new line[four]; /* new lines */

	sink = lines[four].bytes[0]; /* past_aligned */
	delete[] lines;
}

static const struct {
	const char *name;
	void (*function)(void);
} rows[] = {{"past_new", past_new}, {"past_vector", past_vector}, {"after_delete", after_delete},
    {"double_delete", double_delete}, {"after_growth", after_growth},
    {"past_aligned", past_aligned}};

int main(int argc, char **argv)
{
	for (const auto &row : rows)
		if (argc > 1 && strcmp(argv[1], row.name) == 0)
			row.function();
	puts("done");
	return 0;
}
