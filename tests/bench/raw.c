/*
 * Drives rr and gdb with as little code as possible, because it is a baseline.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/bench/raw.h"
#include "tests/e2e/harness.h"

#define TOKEN	 "77"
#define PORT_MIN 20000

struct raw {
	pid_t rr, gdb;
	FILE *to, *from;
	FILE *rr_says;
};

static pid_t spawn(const char *const args[], int in, int out, int err)
{
	pid_t pid = fork();
	if (pid < 0)
		harness_fail("fork: %m");
	if (pid > 0)
		return pid;
	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	execvp(args[0], (char *const *)args);
	_exit(127);
}

/* rr says "... target extended-remote :PORT" on stderr when it listens. */
static void await_listening(struct raw *raw)
{
	char line[4096];
	while (fgets(line, sizeof(line), raw->rr_says) != NULL)
		if (strstr(line, "-remote") != NULL)
			return;
	harness_fail("rr did not listen");
}

static void await_line(struct raw *raw, const char *start)
{
	char line[65536];
	while (fgets(line, sizeof(line), raw->from) != NULL) {
		if (strncmp(line, start, strlen(start)) == 0)
			return;
		if (strncmp(line, TOKEN "^error", strlen(TOKEN "^error")) == 0)
			harness_fail("gdb: %s", line);
	}
	harness_fail("gdb ended before %s", start);
}

void raw_command(struct raw *raw, const char *command)
{
	fprintf(raw->to, TOKEN "%s\n", command);
	fflush(raw->to);
	await_line(raw, TOKEN "^");
}

struct raw *raw_start(const char *server, const char *trace, const char *program)
{
	struct raw *raw = calloc(1, sizeof(*raw));
	int none = open("/dev/null", O_RDWR | O_CLOEXEC), says[2], in[2], out[2];
	if (raw == NULL || none < 0 || pipe2(says, O_CLOEXEC) < 0 || pipe2(in, O_CLOEXEC) < 0 ||
	    pipe2(out, O_CLOEXEC) < 0)
		harness_fail("pipes: %m");

	char port[16], connect[64], named[4200];
	snprintf(port, sizeof(port), "%d", PORT_MIN + (int)(getpid() % 20000));
	snprintf(connect, sizeof(connect), "-target-select extended-remote 127.0.0.1:%s", port);
	snprintf(named, sizeof(named), "-file-exec-and-symbols \"%s\"", program);
	raw->rr = spawn((const char *[]){server, "rr", "replay", "-s", port, "-k", trace, NULL},
	    none, none, says[1]);
	raw->gdb = spawn(
	    (const char *[]){"gdb", "--nx", "-q", "--interpreter=mi3", NULL}, in[0], out[1], none);
	close(says[1]);
	close(in[0]);
	close(out[1]);
	close(none);
	raw->rr_says = fdopen(says[0], "r");
	raw->to = fdopen(in[1], "w");
	raw->from = fdopen(out[0], "r");

	raw_command(raw, "-gdb-set sysroot /");
	raw_command(raw, "-gdb-set tcp connect-timeout 60");
	raw_command(raw, named);
	await_listening(raw);
	raw_command(raw, connect);
	raw_command(raw, "-stack-list-frames");
	return raw;
}

void raw_end(struct raw *raw)
{
	kill(raw->gdb, SIGKILL);
	kill(raw->rr, SIGTERM);
	waitpid(raw->gdb, NULL, 0);
	waitpid(raw->rr, NULL, 0);
	fclose(raw->to);
	fclose(raw->from);
	fclose(raw->rr_says);
	free(raw);
}
