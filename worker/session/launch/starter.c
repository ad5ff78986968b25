/*
 * The starter's process and the two questions it answers, in packets of fixed size:
 *
 *	START number	-> {pid, why} and the read end of the tool's output
 *	CONNECT		-> {port, why} and two sockets: a listener for gdb, a connection to the tool
 *
 * Neither side believes a length, a number or a missing descriptor.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/descriptors.h"
#include "worker/session/launch/starter.h"

#define WHY_MAX	      256
#define ANSWER_MS     20000 /* starting rr is a matter of milliseconds */
#define WAITS_MAX     20
#define FIRST_FD_KEPT 3

enum verb { VERB_START = 1, VERB_CONNECT };

struct question {
	uint32_t verb, number;
};

struct answer {
	int32_t number; /* pid or port; 0: failed */
	char why[WHY_MAX];
};

/* ---- The starter's side -------------------------------------------------------------------- */

static void send_answer(int socket, const struct answer *answer, const int *fds, size_t count)
{
	while (descriptors_send(socket, answer, sizeof(*answer), fds, count) < 0 && errno == EINTR)
		;
}

struct starter_job {
	const struct starter_spec *spec;
	int socket, port; /* rr's */
	pid_t worker;
};

static void do_start(struct starter_job *job, unsigned number)
{
	struct failure failure = {0};
	struct answer answer = {0};
	struct tool tool = TOOL_NONE;

	/* We tell rr to take it, so that CONNECT leads nowhere else. The one for gdb is not taken
	 * yet, because gdb connects where it did before. */
	job->port = remote_free_port(job->spec->gdb_port);
	if (job->port &&
	    job->spec->start(job->spec->owner, number, job->port, job->worker, &tool, &failure)) {
		answer.number = tool.pid;
		send_answer(job->socket, &answer, &tool.output, 1);
		close(tool.output);
		return;
	}
	snprintf(answer.why, sizeof(answer.why), "%.*s", WHY_MAX - 1,
	    failure.message[0] ? failure.message : strerror(errno));
	send_answer(job->socket, &answer, NULL, 0);
}

static void do_connect(struct starter_job *job)
{
	struct remote *remote = remote_new(job->spec->gdb_port);
	struct answer answer = {0};
	int fds[DESCRIPTORS_MAX];

	if (remote && job->port && remote_reach_rr(remote, job->port) == 0) {
		answer.number = remote_port(remote);
		fds[0] = remote_gdb_fd(remote);
		fds[1] = remote_rr_fd(remote);
		send_answer(job->socket, &answer, fds, 2);
	} else {
		snprintf(answer.why, sizeof(answer.why), "%s", strerror(errno));
		send_answer(job->socket, &answer, NULL, 0);
	}
	remote_free(remote);
}

static _Noreturn void serve(struct starter_job *job)
{
	struct question question;
	ssize_t got;

	for (;;) {
		got = recv(job->socket, &question, sizeof(question), MSG_TRUNC);
		if (got < 0 && errno == EINTR)
			continue;
		if (got != (ssize_t)sizeof(question))
			_exit(0); /* the worker has gone, or was taken over */
		if (question.verb == VERB_START)
			do_start(job, question.number);
		else if (question.verb == VERB_CONNECT)
			do_connect(job);
		else
			_exit(0);
	}
}

/* Keeps only this socket and the standard streams of the worker. The first answer, before any
 * question, says whether the starter is confined; otherwise it ends. */
static _Noreturn void become_starter(struct starter_job *job)
{
	struct sandbox_report report = {0};
	struct answer answer = {0};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != job->worker)
		_exit(0);
	prctl(PR_SET_NAME, "rr-starter");
	if (dup3(job->socket, FIRST_FD_KEPT, O_CLOEXEC) < 0 && job->socket != FIRST_FD_KEPT)
		_exit(0);
	job->socket = FIRST_FD_KEPT;
	if (sandbox_enter(ROLE_STARTER, job->spec->policy, &job->socket, 1, &report, answer.why,
		sizeof(answer.why)) != 0) {
		send_answer(job->socket, &answer, NULL, 0);
		_exit(0);
	}
	answer.number = 1;
	send_answer(job->socket, &answer, NULL, 0);
	serve(job);
}

/* ---- The worker's side --------------------------------------------------------------------- */

bool starter_begin(
    struct starter *starter, const struct starter_spec *spec, struct failure *failure)
{
	struct starter_job job = {.spec = spec, .worker = getpid()};
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0 ||
	    (pid = fork()) < 0) {
		failure_set(failure, ERROR_INTERNAL, NULL,
		    "the process that starts rr again could not be started: %s", strerror(errno));
		return false;
	}
	if (pid == 0) {
		job.socket = ends[1];
		become_starter(&job);
	}
	close(ends[1]);
	*starter = (struct starter){.pid = pid, .socket = ends[0]};
	return true;
}

void starter_end(struct starter *starter)
{
	if (starter->pid > 0) {
		kill(starter->pid, SIGKILL);
		while (waitpid(starter->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (starter->socket >= 0)
		close(starter->socket);
	*starter = STARTER_NONE;
}

/* The next answer, with exactly `wanted` descriptors. */
static bool receive(struct starter *starter, struct worker *worker, struct answer *answer,
    int fds[DESCRIPTORS_MAX], size_t wanted)
{
	struct pollfd ready = {.fd = starter->socket, .events = POLLIN};
	ssize_t got;

	*answer = (struct answer){0};
	/* An interrupt would end a wait early, but rr starts too fast for that to matter. */
	for (int i = 0; i < WAITS_MAX && !ready.revents; i++)
		worker_wait(worker, &ready, 1, ANSWER_MS / WAITS_MAX);
	got = descriptors_receive(
	    starter->socket, answer, sizeof(*answer), MSG_DONTWAIT, fds, wanted);
	answer->why[WHY_MAX - 1] = '\0';
	if (got == (ssize_t)sizeof(*answer) && answer->number > 0 && (wanted == 0 || fds[0] >= 0))
		return true;
	for (size_t i = 0; i < wanted; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return false;
}

/* Asks, and waits for the answer. Before the first question, waits until the starter is confined.
 */
static bool ask(struct starter *starter, struct worker *worker, struct question question,
    struct answer *answer, int fds[DESCRIPTORS_MAX], size_t wanted)
{
	*answer = (struct answer){0};
	if (!starter->confined && !receive(starter, worker, answer, fds, 0))
		return false;
	starter->confined = true;
	return send(starter->socket, &question, sizeof(question), MSG_NOSIGNAL) > 0 &&
	       receive(starter, worker, answer, fds, wanted);
}

/* Without an answer, we would not know to which question the next one belongs. */
static void fail(const struct answer *answer, struct worker *worker, struct failure *failure)
{
	worker->broken |= !answer->why[0];
	failure_set(failure, ERROR_RR_FAILED, NULL, "rr could not be started again: %s",
	    answer->why[0] ? answer->why : "no answer");
}

bool starter_ask(struct starter *starter, struct worker *worker, unsigned number, struct tool *tool,
    struct failure *failure)
{
	struct question question = {VERB_START, number};
	struct answer answer = {0};
	int fds[DESCRIPTORS_MAX];

	*tool = TOOL_NONE;
	if (!ask(starter, worker, question, &answer, fds, 1)) {
		fail(&answer, worker, failure);
		return false;
	}
	tool->pid = answer.number;
	tool->output = fds[0];
	return true;
}

struct remote *starter_connect(
    struct starter *starter, struct worker *worker, struct failure *failure)
{
	struct question question = {VERB_CONNECT, 0};
	struct remote *remote;
	struct answer answer = {0};
	int fds[DESCRIPTORS_MAX];

	if (!ask(starter, worker, question, &answer, fds, 2)) {
		fail(&answer, worker, failure);
		return NULL;
	}
	remote = remote_adopt(answer.number, fds[0], fds[1]);
	if (remote)
		return remote;
	close(fds[0]);
	close(fds[1]);
	fail(&answer, worker, failure);
	return NULL;
}
