/*
 * See client.h. The descriptors stay in the mode we got them in: they may be shared with others
 * (a terminal, a test's log), for whom O_NONBLOCK would be a surprise.
 */
#include "supervisor/client.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#define CLIENT_READ_MAX (64 * 1024)

static void end(struct client *client)
{
	client->ended = true;
	loop_stop(client->loop);
}

static void take_input(void *owner, short events)
{
	struct client *client = owner;
	char bytes[CLIENT_READ_MAX];
	ssize_t got = events & POLLNVAL ? 0 : read(STDIN_FILENO, bytes, sizeof(bytes));

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got <= 0 || !mcp_server_feed(client->server, bytes, (size_t)got))
		end(client);
}

static void note_writable(void *owner, short events)
{
	struct client *client = owner;

	if (events & (POLLERR | POLLNVAL))
		end(client);
}

void client_start(struct client *client, struct loop *loop, struct mcp_server *server)
{
	*client = (struct client){.loop = loop, .server = server, .reading = true};
	loop_add(loop, STDIN_FILENO, POLLIN, take_input, client);
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
	if (want_read != client->reading) {
		if (want_read)
			loop_add(client->loop, STDIN_FILENO, POLLIN, take_input, client);
		else
			loop_remove(client->loop, STDIN_FILENO);
	}
	if (want_write != client->writing) {
		if (want_write)
			loop_add(client->loop, STDOUT_FILENO, POLLOUT, note_writable, client);
		else
			loop_remove(client->loop, STDOUT_FILENO);
	}
	client->reading = want_read;
	client->writing = want_write;
}

void client_turn(struct client *client)
{
	const char *bytes;
	size_t length;

	while ((length = mcp_server_output(client->server, &bytes)) > 0 && !client->ended)
		if (!write_some(client, bytes, length, 0))
			break;
	watch(client, mcp_server_wants_input(client->server), length > 0);
}

void client_flush(struct client *client, int timeout_ms)
{
	const char *bytes;
	size_t length;

	while ((length = mcp_server_output(client->server, &bytes)) > 0)
		if (!write_some(client, bytes, length, timeout_ms))
			break;
}
