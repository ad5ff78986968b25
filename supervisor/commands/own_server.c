/*
 * See own_server.h. Trusts no answer: each has a limit in bytes and in time.
 */
#include "supervisor/commands/own_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "supervisor/apparmor.h"

#define OPTIONS_MAX	 256
#define PROTOCOL_VERSION "2025-11-25"
#define READ_BYTES	 65536

struct own_server {
	pid_t pid;
	int in, out, said; /* its standard input and output; what it wrote to standard error */
	long long next_id;
	char *held; /* its output that has not been read yet */
	size_t used, size;
	time_t wait; /* seconds for one answer */
};

/* The child: becomes the server. Only async-signal-safe calls. */
static _Noreturn void become_server(char *const argv[], const int in[2], const int out[2], int said)
{
	apparmor_begin_anew();
	if (dup2(in[0], STDIN_FILENO) >= 0 && dup2(out[1], STDOUT_FILENO) >= 0 &&
	    (said < 0 || dup2(said, STDERR_FILENO) >= 0))
		execv("/proc/self/exe", argv);
	_exit(127);
}

static bool initialize(struct own_server *server);

struct own_server *own_server_start(int count, char *const options[])
{
	char *argv[OPTIONS_MAX + 3] = {"rr-warden"};
	static char answers[] = "--answers=text"; /* whatever people want for their agents */
	int in[2], out[2];
	struct own_server *server = calloc(1, sizeof(*server));

	if (server == NULL || count > OPTIONS_MAX || pipe2(in, O_CLOEXEC) < 0)
		return free(server), NULL;
	if (pipe2(out, O_CLOEXEC) < 0) {
		close(in[0]);
		close(in[1]);
		return free(server), NULL;
	}
	memcpy(argv + 1, options, (size_t)count * sizeof(argv[0]));
	argv[1 + count] = answers;
	server->wait = OWN_SERVER_WAIT_S;
	server->said = memfd_create("said", MFD_CLOEXEC);
	server->pid = fork();
	if (server->pid == 0)
		become_server(argv, in, out, server->said);
	signal(SIGPIPE, SIG_IGN); /* a server that has ended shows in the answers */
	close(in[0]);
	close(out[1]);
	server->in = in[1];
	server->out = out[0];
	if (server->pid > 0 && initialize(server))
		return server;
	own_server_repeat(server);
	own_server_end(server);
	return NULL;
}

static bool send_message(struct own_server *server, json_t *message)
{
	cleanup_free char *text = json_dumps(message, JSON_COMPACT);
	size_t length = text == NULL ? 0 : strlen(text), sent = 0;

	json_decref(message);
	if (text == NULL)
		return false;
	text[length++] = '\n'; /* this overwrites the newline; the rest is found by its length */
	while (sent < length) {
		ssize_t n = write(server->in, text + sent, length - sent);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		sent += (size_t)n;
	}
	return true;
}

static time_t seconds_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Reads more of what the server writes. False at its end, at the deadline, or at the bound. */
static bool read_more(struct own_server *server, time_t deadline, const char **why)
{
	struct pollfd readable = {.fd = server->out, .events = POLLIN};
	time_t left = deadline - seconds_now();

	*why = "the server did not answer in time";
	if (left <= 0 || poll(&readable, 1, (int)left * 1000) <= 0)
		return false;
	if (server->size - server->used < READ_BYTES) {
		char *grown = realloc(server->held, server->size + READ_BYTES);
		*why = "the server's answer is too long";
		if (grown == NULL || server->size > OWN_SERVER_ANSWER_MAX)
			return false;
		server->held = grown;
		server->size += READ_BYTES;
	}
	ssize_t n = read(server->out, server->held + server->used, server->size - server->used);
	*why = "the server ended";
	if (n <= 0)
		return false;
	server->used += (size_t)n;
	return true;
}

/* The next message, or NULL with why. */
static json_t *next_message(struct own_server *server, time_t deadline, const char **why)
{
	char *end;

	while ((end = server->used == 0 ? NULL : memchr(server->held, '\n', server->used)) == NULL)
		if (!read_more(server, deadline, why))
			return NULL;
	size_t length = (size_t)(end - server->held) + 1;
	json_t *message = json_loadb(server->held, length, 0, NULL);
	server->used -= length;
	memmove(server->held, server->held + length, server->used);
	*why = "the server's answer is not JSON";
	return message;
}

/* The result of one request; params is stolen. */
static json_t *request(
    struct own_server *server, const char *method, json_t *params, const char **why)
{
	time_t deadline = seconds_now() + server->wait;
	long long id = ++server->next_id;
	json_t *message, *result = NULL;

	*why = "the server does not read its input";
	if (!send_message(server, json_pack("{s:s, s:I, s:s, s:o}", "jsonrpc", "2.0", "id",
				      (json_int_t)id, "method", method, "params", params)))
		return NULL;
	while (result == NULL && (message = next_message(server, deadline, why)) != NULL) {
		if (json_integer_value(json_object_get(message, "id")) == id) {
			result = json_object_get(message, "result");
			if (result == NULL)
				result = json_object_get(message, "error");
			json_incref(result);
		}
		json_decref(message);
	}
	return result;
}

static bool initialize(struct own_server *server)
{
	const char *why;
	json_t *result = request(server, "initialize",
	    json_pack("{s:s, s:{}, s:{s:s, s:s}}", "protocolVersion", PROTOCOL_VERSION,
		"capabilities", "clientInfo", "name", "doctor", "version", RR_WARDEN_VERSION),
	    &why);
	json_decref(result);
	return result != NULL && send_message(server, json_pack("{s:s, s:s}", "jsonrpc", "2.0",
							  "method", "notifications/initialized"));
}

void own_server_wait(struct own_server *server, long long seconds)
{
	server->wait = (time_t)seconds;
}

json_t *own_server_result(
    struct own_server *server, const char *tool, json_t *args, const char **why)
{
	return request(
	    server, "tools/call", json_pack("{s:s, s:o}", "name", tool, "arguments", args), why);
}

json_t *own_server_call(
    struct own_server *server, const char *tool, json_t *args, bool *failed, const char **why)
{
	json_t *result = own_server_result(server, tool, args, why);
	json_t *answer = json_object_get(result, "structuredContent");

	*failed = json_is_true(json_object_get(result, "isError"));
	if (result != NULL && answer == NULL) {
		*failed = true; /* a JSON-RPC error has its message itself */
		answer = result;
	}
	json_incref(answer);
	json_decref(result);
	return answer;
}

void own_server_repeat(const struct own_server *server)
{
	char text[4096];
	ssize_t n;
	off_t at = 0;

	while (server->said >= 0 && (n = pread(server->said, text, sizeof(text), at)) > 0) {
		fwrite(text, 1, (size_t)n, stderr);
		at += n;
	}
}

void own_server_end(struct own_server *server)
{
	if (server == NULL)
		return;
	close(server->in);
	close(server->out);
	if (server->said >= 0)
		close(server->said);
	if (server->pid > 0) {
		kill(server->pid, SIGTERM);
		while (waitpid(server->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	free(server->held);
	free(server);
}
