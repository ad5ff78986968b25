/*
 * Recurses until the stack is full, in the way that its argument names.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

struct tree {
	struct tree *left;
	int depth;
};

volatile long seen;

__attribute__((noipa)) static long descend(struct tree *tree, long depth)
{
	volatile char room[2000];

	room[depth & 1023] = 1;
	return descend(tree->left, depth + 1) + room[3]; /* itself */
}

__attribute__((noipa)) static long right(struct tree *tree, long depth);

__attribute__((noipa)) static long left(struct tree *tree, long depth)
{
	volatile char room[1000];

	room[depth & 511] = 1;
	return right(tree->left, depth + 1) + room[3]; /* to the right */
}

__attribute__((noipa)) static long middle(struct tree *tree, long depth)
{
	volatile char room[500];

	room[depth & 255] = 1;
	return left(tree->left, depth + 1) + room[3]; /* to the left */
}

__attribute__((noipa)) static long right(struct tree *tree, long depth)
{
	volatile char room[1000];

	room[depth & 511] = 1;
	return middle(tree->left, depth + 1) + room[3]; /* to the middle */
}

__attribute__((noipa)) static void huge(size_t size)
{
	volatile char room[size];

	room[0] = 1; /* below the guard */
	seen += room[0];
}

int main(int argc, char **argv)
{
	static struct tree tree = {&tree, 0};
	const char *way = argc > 1 ? argv[1] : "";

	if (strcmp(way, "one") == 0)
		seen = descend(&tree, 1); /* begins */
	else if (strcmp(way, "three") == 0)
		seen = left(&tree, 1); /* begins three */
	else if (strcmp(way, "huge") == 0)
		huge(64 << 20);
	return 0;
}
