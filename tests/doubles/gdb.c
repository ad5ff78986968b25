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
#define PATH_BYTES     4096

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

static pid_t real; /* gdb */

/* Starts the real gdb. Returns where it reads its commands, or -1. */
static int start_real(char **argv)
{
	int ends[2];

	if (pipe(ends) < 0 || (real = fork()) < 0)
		return -1;
	if (real == 0) {
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
		close(ends[1]);
		execvp("gdb", argv);
		_exit(1);
	}
	close(ends[0]);
	setvbuf(stdin, NULL, _IONBF, 0);
	return ends[1];
}

static int end_real(int commands, char *line)
{
	free(line);
	close(commands);
	waitpid(real, NULL, 0);
	return 0;
}

/* The real gdb, until so many commands have come after the first one with the sign. */
static int die_after(long commands, char **argv)
{
	size_t room = 0;
	char *line = NULL;
	bool counts = false;
	int to_real = start_real(argv);

	if (to_real < 0)
		return 1;
	for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
		if (counts && commands-- == 0) {
			kill(real, SIGKILL);
			break;
		}
		if (write(to_real, line, (size_t)length) != length)
			break;
		counts |= strstr(line, GDB_SIGN) != NULL;
	}
	return end_real(to_real, line);
}

static void say(const char *words)
{
	if (write(STDERR_FILENO, words, strlen(words)) < 0)
		_exit(1);
}

static void abort_both(int signal)
{
	(void)signal;
	/* As gdb does, before its connection to rr closes. */
	say("terminate called after throwing an instance of '");
	say("gdb_exception_quit'\n");
	kill(real, SIGKILL);
	abort();
}

/* The real gdb, until the command with the sign: it is not answered, and an interrupt of it is the
 * end. */
static int die_of_interrupt(char **argv)
{
	size_t room = 0;
	char *line = NULL;
	int to_real = start_real(argv);

	if (to_real < 0)
		return 1;
	for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
		if (strstr(line, GDB_SIGN))
			signal(SIGINT, abort_both);
		else if (write(to_real, line, (size_t)length) != length)
			break;
	}
	return end_real(to_real, line);
}

/* How far the command that is held has come. */
static volatile sig_atomic_t holds, interrupts;

/* An interrupt of a command that is held comes behind it. */
static void pass_on(int signal)
{
	if (holds)
		interrupts = 1;
	else
		kill(real, signal);
}

/* Says that a command is held, until it is told to go on. */
static void hold(const char *self, const char *go)
{
	char held[PATH_BYTES + 8];
	FILE *file;

	snprintf(held, sizeof(held), "%s" GDB_HELD, self);
	holds = 1;
	file = fopen(held, "w");
	if (file)
		fclose(file);
	while (access(go, F_OK) != 0)
		usleep(1000);
}

/* The command is gdb's now; an interrupt follows so many steps later. */
static void release(long later, const char *go)
{
	usleep((useconds_t)later * GDB_LATER_STEP_US);
	holds = 0;
	if (interrupts)
		kill(real, SIGINT);
	interrupts = 0;
	unlink(go);
}

/*
 * The real gdb, but one command comes to it only when the test says so: the one that follows the
 * last sign after as many others as the digits behind the sign say.
 */
static int hold_one(const char *self, char **argv)
{
	struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
	size_t room = 0;
	char *line = NULL, go[PATH_BYTES + 8];
	long before = -1, later = 0;
	int to_real = start_real(argv);

	if (to_real < 0)
		return 1;
	sigaction(SIGINT, &action, NULL);
	snprintf(go, sizeof(go), "%s" GDB_GO, self);
	for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
		const char *sign = strstr(line, GDB_SIGN);

		if (sign) {
			before = strtol(sign + strlen(GDB_SIGN), NULL, 10);
			later = before / GDB_LATER;
			before %= GDB_LATER;
		} else if (before >= 0 && before-- == 0) {
			hold(self, go);
		}
		if (write(to_real, line, (size_t)length) != length)
			break;
		if (holds)
			release(later, go);
	}
	return end_real(to_real, line);
}

/* The real gdb, which does not see the commands with that text, or that of the last sign. */
static int refuse_some(char **argv, const char *text, const char *says)
{
	size_t room = 0;
	char *line = NULL, refused[256], answer[128];
	int to_real = start_real(argv);

	snprintf(refused, sizeof(refused), "%s", text);
	if (to_real < 0)
		return 1;
	for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
		const char *sign = strstr(line, GDB_SIGN);

		if (sign) {
			sign += strlen(GDB_SIGN);
			snprintf(
			    refused, sizeof(refused), "%.*s", (int)strcspn(sign, "\\\"\n"), sign);
		} else if (refused[0] && strstr(line, refused)) {
			int size = snprintf(answer, sizeof(answer), "%ld^error,msg=\"%s\"\n",
			    strtol(line, NULL, 10), says);
			if (write(STDOUT_FILENO, answer, (size_t)size) != size)
				break;
			continue;
		}
		if (write(to_real, line, (size_t)length) != length)
			break;
	}
	return end_real(to_real, line);
}

/* The real gdb; from the sign on, hardware breakpoints ignore their hits. */
static int miss_breakpoints(char **argv)
{
	static const char sets[] = "-break-insert -h ";
	size_t room = 0;
	char *line = NULL;
	bool misses = false;
	int to_real = start_real(argv);

	if (to_real < 0)
		return 1;
	while (getline(&line, &room, stdin) > 0) {
		char *set = strstr(line, sets);
		int sent;

		misses |= strstr(line, GDB_SIGN) != NULL;
		if (misses && set) {
			set += strlen(sets);
			sent =
			    dprintf(to_real, "%.*s-i 1000000000 %s", (int)(set - line), line, set);
		} else {
			sent = dprintf(to_real, "%s", line);
		}
		if (sent < 0)
			break;
	}
	return end_real(to_real, line);
}

int main(int argc, char **argv)
{
	char file[PATH_BYTES] = "";
	const char *how;

	(void)argc;
	if (readlink("/proc/self/exe", file, sizeof(file) - 1) < 0)
		return 1;
	how = strrchr(file, '/') + 1;
	setvbuf(stdout, NULL, _IOLBF, 65536);
	if (strncmp(how, GDB_DIES_AFTER, strlen(GDB_DIES_AFTER)) == 0)
		return die_after(strtol(how + strlen(GDB_DIES_AFTER), NULL, 10), argv);
	if (strcmp(how, GDB_DIES_OF_INTERRUPT) == 0)
		return die_of_interrupt(argv);
	if (strcmp(how, GDB_REFUSES) == 0)
		return refuse_some(argv, "", GDB_NO);
	if (strcmp(how, GDB_BARE) == 0)
		return refuse_some(argv, "python ", GDB_BARE_SAYS);
	if (strcmp(how, GDB_MISSES) == 0)
		return miss_breakpoints(argv);
	if (strcmp(how, GDB_HOLDS) == 0)
		return hold_one(file, argv);
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
