/*
 * Structures with known layouts and contents, a list of five nodes, and a text and pointers at
 * known places, for the tools that look at data.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct place {
	short x;
	int y;
};

union amount {
	long whole;
	double part;
};

struct node {
	char letter;
	struct place place;
	unsigned low : 3, high : 5;
	union amount amount;
	struct node *next;
	int counts[40];
};

struct node *first;
void *keeper; /* of the last node, beside the list */
char *phrase;

static struct node *prepend(struct node *next, int number)
{
	struct node *node = calloc(1, sizeof(*node));

	node->letter = (char)('a' + number);
	node->place.x = (short)number;
	node->place.y = number * 100;
	node->low = (unsigned)number;
	node->amount.whole = number * 1000L;
	node->next = next;
	for (int i = 0; i < 40; i++)
		node->counts[i] = i * number;
	return node;
}

__attribute__((noinline)) static void look(const struct node *node)
{
	printf("%c %ld %s\n", node->letter, node->amount.whole, phrase);
}

int main(void)
{
	for (int i = 1; i <= 5; i++) {
		first = prepend(first, i);
		if (i == 1)
			keeper = first;
	}
	phrase = malloc(100);
	strcpy(phrase, "a needle in "); /* in two pieces: the whole is nowhere in the program */
	strcat(phrase, "the haystack");
	look(first);
	return 0;
}
