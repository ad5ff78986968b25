/*
 * A gdb that misbehaves in the way that its own name says. The server gets it with --gdb. For tests
 * only; never installed.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_BYTES (64u * 1024 * 1024)

static void flood_one_line(void)
{
	for (unsigned i = 0; i < LINE_MAX_BYTES / 64; i++)
		fputs("~\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", stdout);
}

static void flood_lines(void)
{
	for (;;)
		if (puts("~\"chatter\"") == EOF)
			return;
}

static void nest(void)
{
	fputs("^done", stdout);
	for (int i = 0; i < 100000; i++)
		fputs(",a={b=[", stdout);
	puts("");
}

int main(int argc, char **argv)
{
	(void)argc;
	const char *slash = strrchr(argv[0], '/'), *how = slash == NULL ? argv[0] : slash + 1;
	setvbuf(stdout, NULL, _IOLBF, 65536);
	if (strcmp(how, "gdb-exits") == 0)
		return 1;
	if (strcmp(how, "gdb-floods-one-line") == 0)
		flood_one_line();
	if (strcmp(how, "gdb-floods-lines") == 0)
		flood_lines();
	if (strcmp(how, "gdb-nests") == 0)
		nest();
	if (strcmp(how, "gdb-talks-nonsense") == 0)
		puts("^done,}{,\"\n(gdb)\n99^done\n*stopped,reason=[\n\x01\x02");
	fflush(stdout);
	/* And, as "gdb-hangs", answers nothing. */
	for (;;)
		pause();
}
