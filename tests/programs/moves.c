/*
 * Counts, prints, calls and allocates, and begins anew once: something for every tool that moves a
 * session, and for every tool that searches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int total;
int *block;

static void add(int amount)
{
	total += amount; /* adds */
}

static void say(const char *what)
{
	printf("%s: %d\n", what, total); /* says */
	fflush(stdout);
}

static void work(void)
{
	block = malloc(4 * sizeof(*block));
	for (int i = 0; i < 4; i++) {
		add(i);
		block[i] = total;
		say("round");
	}
	free(block);
}

int main(int argc, char **argv)
{
	work();
	if (argc == 2)
		execl(argv[0], argv[0], "first", "second", (char *)NULL);
	return total;
}
