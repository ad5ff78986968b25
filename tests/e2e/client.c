/*
 * The MCP client: starts a server as a host does (three pipes, a bare environment) and exchanges
 * lines with it. Every byte of the server's stdout must be a line of JSON-RPC: anything else ends
 * the test.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/harness.h"

#define ARGS_MAX   64
#define STDERR_MAX (1024 * 1024)

struct client {
	pid_t pid;
	int to, from, err; /* -1: closed */
	bool reaped;
	int status;
	long long next_id;
	json_t *info;
	json_t *waiting; /* array of messages that nobody has taken yet */
	char *buffer;
	size_t used, room;
	char *complaints; /* stderr */
	size_t complained;
};

/* The server's whole path, because it was meant from where we are. */
static const char *enter(const char *directory, const char *server)
{
	char *whole = realpath(server, NULL);

	if (whole == NULL || chdir(directory) < 0) {
		fprintf(stderr, "%s in %s: %m\n", server, directory);
		_exit(126);
	}
	return whole;
}

static void child_run(const struct client_options *options, int in, int out, int err)
{
	const char *server = options->server;
	if (server == NULL)
		server = harness_server();
	if (options->directory != NULL)
		server = enter(options->directory, server);

	char *args[ARGS_MAX] = {(char *)server};
	for (size_t i = 0; options->args != NULL && options->args[i] != NULL; i++)
		if (i + 2 < ARGS_MAX)
			args[i + 1] = (char *)options->args[i];

	/* What SDKs pass on, and no more. */
	const char *path = getenv("PATH"), *home = getenv("HOME"),
		   *state = getenv("XDG_STATE_HOME");
	clearenv();
	setenv("PATH", path == NULL ? "/usr/bin:/bin" : path, 1);
	setenv("HOME", options->home != NULL ? options->home : home == NULL ? "/" : home, 1);
	if (state != NULL && options->home == NULL) /* of tests/run.sh: not the developer's */
		setenv("XDG_STATE_HOME", state, 1);
	for (size_t i = 0; options->env != NULL && options->env[i] != NULL; i++)
		putenv((char *)options->env[i]);

	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || (err >= 0 && dup2(err, 2) < 0))
		_exit(126);
	if (options->uid != 0 && options->uid != geteuid() &&
	    (setgroups(0, NULL) < 0 || setgid((gid_t)options->uid) < 0 ||
		setuid(options->uid) < 0)) {
		fprintf(stderr, "cannot become user %u: %m\n", (unsigned)options->uid);
		_exit(126);
	}
	execv(server, args);
	fprintf(stderr, "%s: %m\n", server);
	_exit(127);
}

static void pipe_pair(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) < 0)
		harness_fail("pipe: %m");
}

static void initialize(struct client *client)
{
	json_t *params = json_pack("{s:s, s:{}, s:{s:s, s:s}}", "protocolVersion", "2025-11-25",
	    "capabilities", "clientInfo", "name", "rr-warden-tests", "version", "1");
	long long id = client_send(client, "initialize", params);
	json_t *answer = client_wait(client, id, HARNESS_TIMEOUT_S);
	client->info = answer == NULL ? NULL : json_incref(json_object_get(answer, "result"));
	if (client->info == NULL)
		harness_fail("initialize was not answered; stderr: %s", client_stderr(client));
	json_decref(answer);
	client_notify(client, "notifications/initialized", NULL);
}

struct client *client_start(const struct client_options *options)
{
	static const struct client_options none;
	if (options == NULL)
		options = &none;
	struct client *client = calloc(1, sizeof(*client));
	int in[2], out[2], err[2] = {-1, -1};
	if (client == NULL)
		harness_fail("out of memory");
	pipe_pair(in);
	pipe_pair(out);
	if (!options->show_stderr)
		pipe_pair(err);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);

	client->pid = fork();
	if (client->pid < 0)
		harness_fail("fork: %m");
	if (client->pid == 0) {
		signal(SIGPIPE, SIG_DFL);
		child_run(options, in[0], out[1], err[1]);
	}
	close(in[0]);
	close(out[1]);
	if (err[1] >= 0)
		close(err[1]);
	client->to = in[1];
	client->from = out[0];
	client->err = err[0];
	client->waiting = json_array();
	client->next_id = 1;
	if (!options->raw)
		initialize(client);
	return client;
}

pid_t client_pid(const struct client *client)
{
	return client->pid;
}

const json_t *client_server_info(const struct client *client)
{
	return client->info;
}

void client_close_stdin(struct client *client)
{
	if (client->to >= 0)
		close(client->to);
	client->to = -1;
}

int client_wait_exit(struct client *client, double timeout_s)
{
	double end = harness_now() + timeout_s;
	while (!client->reaped) {
		pid_t got = waitpid(client->pid, &client->status, WNOHANG);
		if (got == client->pid || (got < 0 && errno == ECHILD))
			client->reaped = true;
		else if (harness_now() > end)
			harness_fail("the server did not end within %.0f s", timeout_s);
		else
			usleep(1000);
	}
	return client->status;
}

static void client_free(struct client *client)
{
	client_close_stdin(client);
	close(client->from);
	if (client->err >= 0)
		close(client->err);
	json_decref(client->info);
	json_decref(client->waiting);
	free(client->buffer);
	free(client->complaints);
	free(client);
}

void client_end(struct client *client)
{
	client_close_stdin(client);
	client_wait_exit(client, HARNESS_TIMEOUT_S);
	if (census_await_none(getpid(), HARNESS_TIMEOUT_S) < 0)
		harness_fail("processes outlived the server");
	client_free(client);
}

void client_cleanup(struct client **client)
{
	client_end(*client);
}

void client_abandon(struct client *client)
{
	if (!client->reaped)
		kill(client->pid, SIGKILL);
	client_wait_exit(client, HARNESS_TIMEOUT_S);
	client_free(client);
}

/* ---- Bytes -------------------------------------------------------------------------------- */

static void drain_stderr(struct client *client)
{
	struct pollfd ready = {.fd = client->err, .events = POLLIN};
	char chunk[4096];
	ssize_t got;
	while (client->err >= 0 && poll(&ready, 1, 0) > 0) {
		got = read(client->err, chunk, sizeof(chunk));
		if (got <= 0) {
			close(client->err);
			client->err = -1;
		} else if (client->complained + (size_t)got < STDERR_MAX) {
			char *more = realloc(client->complaints, client->complained + got + 1);
			if (more == NULL)
				harness_fail("out of memory");
			memcpy(more + client->complained, chunk, (size_t)got);
			client->complained += (size_t)got;
			more[client->complained] = '\0';
			client->complaints = more;
		}
	}
}

const char *client_stderr(struct client *client)
{
	drain_stderr(client);
	return client->complaints == NULL ? "" : client->complaints;
}

void client_send_bytes(struct client *client, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t sent = write(client->to, bytes, length);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return; /* the server ended, which the wait for the answer will notice */
		bytes += sent;
		length -= (size_t)sent;
	}
}

static void send_json(struct client *client, json_t *message)
{
	char *text = json_dumps(message, JSON_COMPACT);
	if (text == NULL)
		harness_fail("a message that is no JSON");
	client_send_bytes(client, text, strlen(text));
	client_send_bytes(client, "\n", 1);
	free(text);
	json_decref(message);
}

long long client_send(struct client *client, const char *method, json_t *params)
{
	long long id = client->next_id++;
	json_t *message =
	    json_pack("{s:s, s:I, s:s}", "jsonrpc", "2.0", "id", (json_int_t)id, "method", method);
	if (params != NULL)
		json_object_set_new(message, "params", params);
	send_json(client, message);
	return id;
}

void client_notify(struct client *client, const char *method, json_t *params)
{
	json_t *message = json_pack("{s:s, s:s}", "jsonrpc", "2.0", "method", method);
	if (params != NULL)
		json_object_set_new(message, "params", params);
	send_json(client, message);
}

void client_cancel(struct client *client, long long id)
{
	client_notify(client, "notifications/cancelled",
	    json_pack("{s:I, s:s}", "requestId", (json_int_t)id, "reason", "the test says so"));
}

/* Takes whole lines out of the buffer and queues them. */
static void queue_lines(struct client *client)
{
	size_t start = 0;
	for (char *end; (end = memchr(client->buffer + start, '\n', client->used - start)) != NULL;
	     start = (size_t)(end - client->buffer) + 1) {
		const char *line = client->buffer + start;
		json_error_t error;
		json_t *message =
		    json_loadb(line, (size_t)(end - line), JSON_REJECT_DUPLICATES, &error);
		const char *version = json_string_value(json_object_get(message, "jsonrpc"));
		if (version == NULL || strcmp(version, "2.0") != 0)
			harness_fail("stdout carried what is no JSON-RPC: %.*s",
			    (int)(end - line > 400 ? 400 : end - line), line);
		json_array_append_new(client->waiting, message);
	}
	memmove(client->buffer, client->buffer + start, client->used - start);
	client->used -= start;
}

/* Reads once; false at the end of the server's stdout or at the deadline. */
static bool read_more(struct client *client, double deadline)
{
	double left = deadline - harness_now();
	struct pollfd ready[2] = {
	    {.fd = client->from, .events = POLLIN}, {.fd = client->err, .events = POLLIN}};
	if (left <= 0 || poll(ready, 2, (int)(left * 1000) + 1) < 0)
		return false;
	if (ready[1].revents != 0)
		drain_stderr(client);
	if (ready[0].revents == 0)
		return true;
	if (client->room - client->used < 65536) {
		client->room = client->room * 2 + 65536;
		client->buffer = realloc(client->buffer, client->room);
		if (client->buffer == NULL)
			harness_fail("out of memory");
	}
	ssize_t got =
	    read(client->from, client->buffer + client->used, client->room - client->used);
	if (got <= 0)
		return false;
	client->used += (size_t)got;
	queue_lines(client);
	return true;
}

/* ---- Messages ----------------------------------------------------------------------------- */

/* Takes the first waiting message that answers `id` (0: any), or is a notification of `method`
 * (NULL: any message). */
static json_t *take(struct client *client, long long id, const char *method)
{
	for (size_t i = 0; i < json_array_size(client->waiting); i++) {
		json_t *message = json_array_get(client->waiting, i);
		const char *its_method = json_string_value(json_object_get(message, "method"));
		json_t *its_id = json_object_get(message, "id");
		bool mine = (id == 0 && method == NULL) ||
			    (id != 0 && its_method == NULL && json_integer_value(its_id) == id) ||
			    (method != NULL && its_method != NULL && its_id == NULL &&
				strcmp(method, its_method) == 0);
		if (!mine)
			continue;
		json_incref(message);
		json_array_remove(client->waiting, i);
		return message;
	}
	return NULL;
}

static json_t *await(struct client *client, long long id, const char *method, double timeout_s)
{
	double deadline = harness_now() + timeout_s;
	json_t *message;
	bool more = true;
	while ((message = take(client, id, method)) == NULL && more)
		more = read_more(client, deadline);
	return message;
}

json_t *client_wait(struct client *client, long long id, double timeout_s)
{
	return await(client, id, NULL, timeout_s);
}

json_t *client_notification(struct client *client, const char *method, double timeout_s)
{
	return await(client, 0, method, timeout_s);
}

json_t *client_message(struct client *client, double timeout_s)
{
	return await(client, 0, NULL, timeout_s);
}
