/*
 * Chains to follow: one that ends, one that closes, and one that leaves what is mapped.
 */
#include <stddef.h>

struct node {
	int number;
	const char *name;
	struct node *next;
};

static int look(struct node *n, struct node *ring, struct node *astray)
{
	return n->number + ring->number + astray->number;
}

int main(void)
{
	struct node last = {3, "three", NULL}, middle = {2, "two", &last},
		    first = {1, "one", &middle};
	struct node other = {8, "eight", NULL}, ring = {7, "seven", &other};
	struct node astray = {9, "nine", (struct node *)16};

	other.next = &ring;
	return look(&first, &ring, &astray) == 0;
}
