/*
 * An integer overflow long before its effect: the seconds of many years do not fit into an int.
 * The negative sum is carried through many days, and only the last step looks at it.
 */
#include <stdio.h>

struct clock {
	int seconds;
	int days;
};

__attribute__((noipa)) static void pass_year(struct clock *clock)
{
	clock->seconds = (int)((unsigned)clock->seconds + 365u * 86400u); /* overflows */
}

__attribute__((noipa)) static void pass_day(struct clock *clock)
{
	clock->days++;
}

__attribute__((noipa)) static int report(const struct clock *clock)
{
	printf("seconds %d, days %d\n", clock->seconds, clock->days);
	return clock->seconds < 0; /* the effect */
}

int main(void)
{
	struct clock clock = {0, 0};

	for (int year = 0; year < 70; year++)
		pass_year(&clock);
	for (int day = 0; day < 5000; day++)
		pass_day(&clock);
	return report(&clock);
}
