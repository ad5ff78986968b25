/*
 * A gdb that misbehaves in the way that the name of its file says. The server gets it with --gdb.
 * For tests only; never installed.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/doubles/gdb.h"

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

/* The real gdb, until so many commands have come after the first one with the sign. */
static int die_after(long commands, char **argv)
{
	size_t room = 0;
	char *line = NULL;
	bool counts = false;
	int ends[2];
	pid_t real;

	if (pipe(ends) < 0 || (real = fork()) < 0)
		return 1;
	if (real == 0) {
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
		close(ends[1]);
		execvp("gdb", argv);
		_exit(1);
	}
	close(ends[0]);
	setvbuf(stdin, NULL, _IONBF, 0);
	for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
		if (counts && commands-- == 0) {
			kill(real, SIGKILL);
			break;
		}
		if (write(ends[1], line, (size_t)length) != length)
			break;
		counts |= strstr(line, GDB_SIGN) != NULL;
	}
	free(line);
	close(ends[1]);
	waitpid(real, NULL, 0);
	return 0;
}

int main(int argc, char **argv)
{
	char file[4096] = "";
	const char *how;

	(void)argc;
	if (readlink("/proc/self/exe", file, sizeof(file) - 1) < 0)
		return 1;
	how = strrchr(file, '/') + 1;
	setvbuf(stdout, NULL, _IOLBF, 65536);
	if (strncmp(how, GDB_DIES_AFTER, strlen(GDB_DIES_AFTER)) == 0)
		return die_after(strtol(how + strlen(GDB_DIES_AFTER), NULL, 10), argv);
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
