/*
 * Variables and bit-fields that change in another function, which has others of the same names.
 */
#include <stdio.h>

#define ROUNDS 4

struct flags {
	unsigned low : 4, high : 12;
};

struct pair {
	short number, beside;
};

static struct {
	unsigned low : 4, high : 12;
} nameless;

static struct {
	int whole;
	struct {
		unsigned low : 4, high : 12;
	} inner;
} around;

static char text[8];

__attribute__((noinline)) static int change(struct flags *flags, struct pair *pairs, int round)
{
	struct flags own = {.low = 1, .high = 1};
	struct pair pair = {.number = 1, .beside = 1};

	own.high += 7;
	pair.number += 7;
	flags->low = (unsigned)round;
	pairs->beside++;
	nameless.low = (unsigned)round;
	around.inner.low = (unsigned)round;
	if (round % 2) {
		flags->high++;
		pairs->number++;
		nameless.high++;
		around.inner.high++;
		text[7] = (char)('a' + round);
	}
	return own.high + pair.number;
}

int main(void)
{
	static struct flags own;
	static struct pair pair;
	int sum = 0;

	for (int round = 0; round < ROUNDS; round++)
		sum += change(&own, &pair, round);
	printf("%d %u %d %u %c\n", sum, own.high, pair.number, nameless.high, text[7]);
	return 0;
}
