/*
 * Uses memory that was never written, each function in a way of its own. With an argument: in one
 * way only, or in none (-1).
 */
#include <alloca.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALONE __attribute__((noinline, noclone))

struct pair {
	int a, b;
};

struct bits {
	unsigned low : 3, high : 5;
};

static volatile int met;
static int none;
static volatile int table[256];

/* The compiler does not know what becomes of it. */
static ALONE void show(void *memory)
{
	__asm__ volatile("" : : "r"(memory) : "memory");
}

static ALONE void in_block(void)
{
	int *block = malloc(40);

	block[0] = 1;
	show(block);
	if (block[4] > 3)
		met++;
	free(block);
}

static ALONE void in_local(void)
{
	int total;

	show(&total);
	if (total == 77)
		met++;
}

static ALONE void in_copied_member(void)
{
	struct pair first, second;

	first.a = 1;
	show(&first);
	second = first;
	show(&second);
	if (second.b)
		met++;
}

static ALONE void in_bits(void)
{
	struct bits *bits = malloc(sizeof(*bits));

	bits->low = 5;
	show(bits);
	if (bits->high == 9)
		met++;
	free(bits);
}

static ALONE void judge(int value)
{
	if (value < 0)
		met++;
}

static ALONE void in_argument(void)
{
	int given[3];

	given[0] = 1;
	show(given);
	judge(given[2]);
}

static ALONE void as_index(void)
{
	unsigned char *block = malloc(16);

	show(block);
	met += table[block[3]];
	free(block);
}

static ALONE void called(void)
{
	met++;
}

/* The block is the one that was freed, and still has it. */
static ALONE void as_target(void)
{
	void (**block)(void) = malloc(64);

	block[3] = called;
	show(block);
	free(block);
	block = malloc(64);
	show(block);
	block[3]();
	free(block);
}

static ALONE void in_output(void)
{
	char *block = malloc(64);

	memset(block, 'x', 30);
	show(block);
	if (write(none, block, 64) < 0)
		met++;
	free(block);
}

static ALONE void as_length(void)
{
	size_t length;

	show(&length);
	if (write(none, "none", length & 3) < 0)
		met++;
}

static ALONE void in_grown(void)
{
	char *block = malloc(10);

	memset(block, 1, 10);
	show(block);
	block = realloc(block, 5000);
	show(block);
	met += block[5] + 0;
	if (block[4000] > 1)
		met++;
	free(block);
}

static ALONE void in_room(int size)
{
	char *room = alloca((size_t)size);

	memset(room, 2, 10);
	show(room);
	if (room[20] == 3)
		met++;
}

static ALONE void *in_thread(void *unused)
{
	long count;

	show(&count);
	if (count == 5)
		met++;
	return unused;
}

static ALONE void in_other_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
}

static ALONE void in_copied_block(void)
{
	char *from = malloc(300), *to = malloc(300);

	memset(from, 1, 250);
	show(from);
	memcpy(to, from, 300);
	show(to);
	if (to[270] == 4)
		met++;
	free(from);
	free(to);
}

static ALONE void in_sum(void)
{
	int *block = malloc(10 * sizeof(int)), sum = 0;

	for (int i = 0; i < 9; i++)
		block[i] = i;
	show(block);
	for (int i = 0; i < 10; i++)
		sum += block[i];
	show(&sum);
	if (sum > 50)
		met++;
	free(block);
}

static ALONE void in_number(void)
{
	double *block = malloc(5 * sizeof(double));

	block[0] = 1.5;
	show(block);
	if (block[1] * 2 > block[0])
		met++;
	free(block);
}

static ALONE void in_choice(void)
{
	int kind;

	show(&kind);
	switch (kind & 7) {
	case 1:
		met += 2;
		break;
	case 3:
		met += 5;
		break;
	case 4:
		judge(1);
		break;
	case 5:
		judge(2);
		break;
	case 6:
		met += 1;
	}
}

static ALONE void fill_stack(void)
{
	char room[3000];

	memset(room, 3, sizeof(room));
	show(room);
}

/* Deeper than a function may use the stack without making room. */
static ALONE void in_wide_frame(void)
{
	char wide[600];

	show(wide);
	if (wide[300] == 7)
		met++;
}

static ALONE void in_used_stack(void)
{
	fill_stack();
	in_wide_frame();
}

/* Only a condition that does not count. */
static ALONE void in_either(int known)
{
	struct pair pair;

	pair.a = known;
	show(&pair);
	if (pair.a == 3 || pair.b == 2)
		met++;
}

int main(int argc, char **argv)
{
	const int one = argc > 1 ? atoi(argv[1]) : 0;
	static void (*const ways[])(void) = {in_block, in_local, in_copied_member, in_bits,
	    in_argument, as_index, in_output, as_length, in_grown, in_other_thread, in_copied_block,
	    in_sum, in_number, in_choice, in_used_stack, as_target};

	none = open("/dev/null", O_WRONLY);
	for (int i = 0; i < (int)(sizeof(ways) / sizeof(*ways)); i++)
		if (one == 0 || one == i + 1)
			ways[i]();
	if (one == 0)
		in_room(argc * 40);
	in_either(3);
	if (one == 0)
		in_either(4);
	return 0;
}
