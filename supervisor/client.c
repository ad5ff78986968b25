/*
 * See client.h. The descriptors keep their mode, because other processes may share them (a
 * terminal, a test's log) and do not expect O_NONBLOCK.
 */
#include "supervisor/client.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "supervisor/deadlines.h"

#define CLIENT_READ_MAX (64 * 1024)
#define MILLISECOND	(DEADLINE_SECOND / 1000)

static void end(struct client *client)
{
	client->ended = true;
	loop_stop(client->loop);
}

/* A pipeline may close its end as soon as it has written. Its requests are answered first. */
static void end_input(struct client *client)
{
	loop_remove(client->loop, STDIN_FILENO);
	client->reading = false;
	client->input_ended = true;
	client->deadline = deadline_now() + CLIENT_DRAIN_MS * MILLISECOND;
}

static void read_input(void *owner, short events)
{
	struct client *client = owner;
	char bytes[CLIENT_READ_MAX];
	ssize_t got = events & POLLNVAL ? 0 : read(STDIN_FILENO, bytes, sizeof(bytes));

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got == 0)
		end_input(client);
	else if (got < 0 || !mcp_server_feed(client->server, bytes, (size_t)got))
		end(client);
}

/* Nobody reads any more, so stop working. poll reports this whether or not there is anything to
 * write. */
static void note_output(void *owner, short events)
{
	struct client *client = owner;

	if (events & (POLLERR | POLLHUP | POLLNVAL))
		end(client);
}

/* A pipe or socket that polls writable takes PIPE_BUF bytes without blocking. Returns false when it
 * does not now. */
static bool write_some(struct client *client, const char *bytes, size_t length, int timeout_ms)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
	ssize_t wrote;

	if (poll(&out, 1, timeout_ms) <= 0)
		return false;
	wrote = write(STDOUT_FILENO, bytes, length > PIPE_BUF ? PIPE_BUF : length);
	if (wrote < 0 && errno != EINTR && errno != EAGAIN)
		end(client);
	if (wrote <= 0)
		return false;
	mcp_server_sent(client->server, (size_t)wrote);
	return true;
}

static void watch(struct client *client, bool want_read, bool want_write)
{
	want_read = want_read && !client->input_ended;
	if (want_read && !client->reading)
		loop_add(client->loop, STDIN_FILENO, POLLIN, read_input, client);
	else if (!want_read && client->reading)
		loop_remove(client->loop, STDIN_FILENO);
	if (want_write != client->writing)
		loop_set_events(client->loop, STDOUT_FILENO, want_write ? POLLOUT : 0);
	client->reading = want_read;
	client->writing = want_write;
}

/* Writes as much as the client accepts now. */
static void turn(void *owner)
{
	struct client *client = owner;
	const char *bytes;
	size_t length;

	while ((length = mcp_server_output(client->server, &bytes)) > 0 && !client->ended)
		if (!write_some(client, bytes, length, 0))
			break;
	watch(client, mcp_server_wants_input(client->server), length > 0);
	if (client->input_ended && length == 0 && mcp_server_in_flight(client->server) == 0)
		end(client);
}

static int64_t nearest_deadline(void *owner)
{
	const struct client *client = owner;
	int64_t task = mcp_server_next_task(client->server);

	/* A client whose input has ended cannot ask for a task, so its calls stay calls. */
	if (client->input_ended || task == INT64_MAX)
		return client->deadline;
	return task * MILLISECOND;
}

static void expire(void *owner, int64_t now)
{
	struct client *client = owner;

	if (client->deadline <= now)
		end(client);
	else if (!client->input_ended)
		mcp_server_make_tasks(client->server, now / MILLISECOND);
}

void client_start(struct client *client, struct loop *loop, struct mcp_server *server)
{
	*client = (struct client){
	    .loop = loop, .server = server, .reading = true, .deadline = DEADLINE_NEVER};
	loop_add(loop, STDIN_FILENO, POLLIN, read_input, client);
	loop_add(loop, STDOUT_FILENO, 0, note_output, client);
	loop_add_clock(loop, &(struct loop_clock){nearest_deadline, expire, client});
	loop_set_turn(loop, turn, client);
}

void client_hang_up(struct client *client)
{
	if (client->reading)
		loop_remove(client->loop, STDIN_FILENO);
	loop_remove(client->loop, STDOUT_FILENO);
	loop_set_turn(client->loop, NULL, NULL);
	client->reading = false;
	client->input_ended = true;
	client->deadline = DEADLINE_NEVER;
}

void client_flush(struct client *client, int timeout_ms)
{
	const char *bytes;
	size_t length;

	while ((length = mcp_server_output(client->server, &bytes)) > 0)
		if (!write_some(client, bytes, length, timeout_ms))
			break;
}
