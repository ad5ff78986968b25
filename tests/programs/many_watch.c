/*
 * Values that change a known number of times, for watchpoints: going forward from main, `counter`
 * changes 10 times (1 to 10), `late` once (to 42), `toggled` 7 times, `rewritten` never although it
 * is stored to 5 times, and `four` has four elements that change 3 times each: enough to take all
 * debug registers.
 */
#include <stdio.h>

int counter;
int late;
int toggled;
int rewritten = 5;
long four[4];

static void count_up(int times)
{
	for (int i = 0; i < times; i++)
		counter++;
}

static void toggle(void)
{
	toggled = !toggled;
}

static void rewrite(void)
{
	rewritten = 5;
}

static void fill_four(long round)
{
	for (int i = 0; i < 4; i++)
		four[i] = round * 10 + i + 1;
}

static void set_late(void)
{
	late = 42;
}

int main(void)
{
	count_up(4);
	for (int i = 0; i < 7; i++)
		toggle();
	for (int i = 0; i < 5; i++)
		rewrite();
	for (long round = 1; round <= 3; round++)
		fill_four(round);
	set_late();
	count_up(6);
	printf("%d %d %d %d %ld\n", counter, late, toggled, rewritten, four[3]);
	return 0;
}
