/*
 * A list in C: its end is NULL, and one of its nodes is switched on.
 */
#include <stdbool.h>
#include <stdlib.h>

struct node {
	struct node *next;
	bool on;
	int value;
};

static struct node *list;

__attribute__((noinline)) static int sum(const struct node *at)
{
	int all = 0;

	for (; at != NULL; at = at->next) /* along */
		all += at->value;
	return all;
}

int main(void)
{
	int all = sum(list);

	for (int i = 0; i < 3; i++) {
		struct node *added = calloc(1, sizeof(*added));
		added->value = i;
		added->on = i == 2; /* the last one */
		added->next = list;
		list = added;
	}
	return sum(list) + all == 3 ? 0 : 1;
}
