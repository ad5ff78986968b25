/*
 * At -O2: a structure passed by value, locals that live in registers, and one that is kept nowhere.
 */
#include <cstdio>
#include <cstdlib>

struct point {
	int x, y;
	const char *name;
};

static int written[3][4]; /* and never read: kept nowhere */

__attribute__((noinline)) static long weigh(point where, int factor)
{
	int gone = factor * 3;	   /* used up before the call: kept nowhere behind it */
	int kept = where.x + gone; /* in a register */
	std::printf("%s %d\n", where.name, kept);
	std::puts("stop here");
	return kept * 2L + where.y;
}

int main(int argc, char **)
{
	point where = {argc + 40, 7, "here"};
	written[1][argc & 3] = argc;
	return weigh(where, argc) > 0 ? 0 : 1;
}
