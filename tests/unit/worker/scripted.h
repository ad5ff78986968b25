#ifndef TESTS_SCRIPTED_H
#define TESTS_SCRIPTED_H
/*
 * A gdb that follows a script, in a process of its own: each line has the command that must come
 * next, and the answer to it. If another command comes, or none, the test fails.
 */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "worker/gdb/gdb.h"
#include "worker/serve/ops.h"
#include "worker/serve/tool.h"

/* Instead of a command: a signal interrupts gdb. */
#define INTERRUPTED "(interrupted)"

/* A script, from struct line: {COMMAND, ANSWER}, ... */
#define SCRIPT(...) ((const struct line[]){__VA_ARGS__, {0}})

/* `answer` is lines of MI; those that begin with ^ get the command's token. NULL: gdb ends. A
 * command that ends with * is only a prefix. */
struct line {
	const char *command, *answer;
};

struct scripted {
	struct worker worker;
	struct tool tool;
	struct gdb *gdb;
	int supervisor; /* the other end of the worker's channel */
	pid_t pid;
};

static inline void scripted_fail(const char *wanted, const char *got)
{
	fprintf(stderr, "the script has: %s\nthe worker sent: %s\n", wanted, got);
	_exit(1);
}

/* One line, without its token, which is returned. */
static inline long scripted_read(FILE *from, char *command, size_t size)
{
	char text[GDB_COMMAND_MAX], *end;
	long token;

	if (!fgets(text, sizeof(text), from))
		return -1;
	text[strcspn(text, "\n")] = '\0';
	token = strtol(text, &end, 10);
	snprintf(command, size, "%s", end);
	return token;
}

static inline void scripted_answer(const char *answer, long token)
{
	while (*answer) {
		int length = (int)strcspn(answer, "\n");

		if (*answer == '^')
			printf("%ld", token);
		printf("%.*s\n", length, answer);
		answer += length + (answer[length] == '\n');
	}
	fflush(stdout);
}

static inline bool scripted_fits(const char *wanted, const char *got)
{
	size_t length = strlen(wanted);

	if (length && wanted[length - 1] == '*')
		return strncmp(wanted, got, length - 1) == 0;
	return strcmp(wanted, got) == 0;
}

static inline _Noreturn void scripted_play(const struct line *script)
{
	char command[GDB_COMMAND_MAX];
	struct signalfd_siginfo ignored;
	long token = 0;
	sigset_t signals;
	int interrupts;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	interrupts = signalfd(-1, &signals, 0);
	for (; script->command; script++) {
		if (strcmp(script->command, INTERRUPTED) == 0) {
			if (read(interrupts, &ignored, sizeof(ignored)) != sizeof(ignored))
				_exit(1);
		} else {
			token = scripted_read(stdin, command, sizeof(command));
			if (token < 0)
				scripted_fail(script->command, "nothing");
			if (!scripted_fits(script->command, command))
				scripted_fail(script->command, command);
		}
		if (!script->answer)
			_exit(0);
		scripted_answer(script->answer, token);
	}
	if (scripted_read(stdin, command, sizeof(command)) >= 0)
		scripted_fail("nothing more", command);
	sigpending(&signals);
	if (sigismember(&signals, SIGINT))
		scripted_fail("nothing more", INTERRUPTED);
	_exit(0);
}

/* Starts a script, which ends with {NULL}; gdb's callbacks get `owner`. */
static inline void scripted_begin(struct scripted *scripted, const struct line *script, void *owner)
{
	int to[2], from[2], channel[2];
	sigset_t signals;

	/* Blocked before the fork, so that no signal comes too early. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe2(to, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(from, O_CLOEXEC), 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, channel), 0);
	fflush(NULL);
	scripted->pid = fork();
	ck_assert_int_ge(scripted->pid, 0);
	if (scripted->pid == 0) {
		dup2(to[0], STDIN_FILENO);
		dup2(from[1], STDOUT_FILENO);
		closefrom(STDERR_FILENO + 1);
		scripted_play(script);
	}
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
	close(to[0]);
	close(from[1]);
	fcntl(from[0], F_SETFL, O_NONBLOCK);
	scripted->worker = (struct worker){.channel = channel[0]};
	scripted->supervisor = channel[1];
	scripted->tool = TOOL_NONE;
	scripted->tool.pid = scripted->pid;
	scripted->tool.input = to[1];
	scripted->tool.output = from[0];
	scripted->gdb = gdb_new(&scripted->worker, &scripted->tool, owner);
	ck_assert_ptr_nonnull(scripted->gdb);
}

/* Fails the test if the commands did not follow the script. Does not free the gdb. */
static inline void scripted_end(struct scripted *scripted)
{
	int status;

	close(scripted->tool.input);
	ck_assert_int_eq(waitpid(scripted->pid, &status, 0), scripted->pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "not as in the script");
	close(scripted->tool.output);
	close(scripted->worker.channel);
	close(scripted->supervisor);
}

#endif
