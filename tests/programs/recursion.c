/*
 * Deep recursion: 2000 frames, or as many as the argument says, and two functions that call each
 * other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define FRAME_MAX 96 /* bytes of stack that a call takes, at most */

/* The kernel keeps 128 MiB free below a stack, whatever its limit was at the start. */
static void make_room(unsigned frames)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= (rlim_t)frames * FRAME_MAX)
		return;
	limit.rlim_cur = (rlim_t)frames * FRAME_MAX;
	if (setrlimit(RLIMIT_STACK, &limit) != 0)
		perror("setrlimit");
}

static int is_odd(unsigned number);

static int is_even(unsigned number)
{
	return number == 0 ? 1 : is_odd(number - 1);
}

static int is_odd(unsigned number)
{
	return number == 0 ? 0 : is_even(number - 1);
}

static unsigned long sum_to(unsigned number)
{
	if (number == 0)
		return 0;
	return number + sum_to(number - 1);
}

int main(int argc, char **argv)
{
	unsigned depth = argc > 1 ? (unsigned)atoi(argv[1]) : 2000;

	make_room(depth);
	printf("sum %lu even %d\n", sum_to(depth), is_even(500));
	return 0;
}
