/*
 * The sockets between gdb and rr. The two take turns, so each waits for the other. An end that does
 * not read for SEND_TIMEOUT_MS counts as dead.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include "sandbox/log.h"
#include "worker/gdb/remote.h"

#define READ_CHUNK	(64 * 1024)
#define SEND_TIMEOUT_MS 2000

struct remote {
	struct relay *relay;
	int ends[2]; /* by relay_end; gdb's is the listener until it has connected */
	int port;
	bool connected;
};

static struct sockaddr_in loopback(int port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
	    .sin_port = htons((in_port_t)port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/* Packets are small, and the other end waits for each. */
static void send_at_once(int fd)
{
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* The rest of an earlier connection on the same port must not prevent this. */
static void use_again(int fd)
{
	int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
}

/* Listens on *port. If it is 0, the kernel chooses a port, and *port becomes that one. */
static int listen_on(int *port)
{
	struct sockaddr_in address = loopback(*port);
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	send_at_once(fd); /* accepted connections inherit it */
	use_again(fd);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 1) == 0 &&
	    getsockname(fd, (struct sockaddr *)&address, &size) == 0) {
		*port = ntohs(address.sin_port);
		return fd;
	}
	close(fd);
	return -1;
}

struct remote *remote_new(int port)
{
	struct remote *remote = calloc(1, sizeof(*remote));

	if (!remote)
		return NULL;
	remote->ends[RELAY_RR] = -1;
	remote->relay = relay_new();
	remote->port = port;
	remote->ends[RELAY_GDB] = listen_on(&remote->port);
	if (remote->relay && remote->ends[RELAY_GDB] >= 0)
		return remote;
	remote_free(remote);
	return NULL;
}

struct remote *remote_adopt(int port, int listener, int rr)
{
	struct remote *remote = calloc(1, sizeof(*remote));

	if (!remote || !(remote->relay = relay_new())) {
		free(remote);
		return NULL;
	}
	remote->port = port;
	remote->ends[RELAY_GDB] = listener;
	remote->ends[RELAY_RR] = rr;
	return remote;
}

void remote_free(struct remote *remote)
{
	if (!remote)
		return;
	for (int end = RELAY_GDB; end <= RELAY_RR; end++)
		if (remote->ends[end] >= 0)
			close(remote->ends[end]);
	relay_free(remote->relay);
	free(remote);
}

int remote_port(const struct remote *remote)
{
	return remote->port;
}

int remote_free_port(int reserved)
{
	int port = 0, fd = listen_on(&port);

	if (fd < 0)
		return 0;
	if (port == reserved)
		port = remote_free_port(0); /* another one: this one is taken now */
	close(fd);
	return port;
}

int remote_reach_rr(struct remote *remote, int port)
{
	struct sockaddr_in address = loopback(port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
		close(fd);
		return -1;
	}
	send_at_once(fd);
	remote->ends[RELAY_RR] = fd;
	return 0;
}

int remote_gdb_fd(const struct remote *remote)
{
	return remote->ends[RELAY_GDB];
}

int remote_rr_fd(const struct remote *remote)
{
	return remote->ends[RELAY_RR];
}

/* The connection takes the listener's place, under its number. */
static bool take_gdb(struct remote *remote)
{
	int fd = accept4(remote->ends[RELAY_GDB], NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
	remote->connected = dup3(fd, remote->ends[RELAY_GDB], O_CLOEXEC) >= 0;
	close(fd);
	return remote->connected;
}

static bool send_pending(struct remote *remote, enum relay_end to)
{
	size_t length;
	const char *bytes;

	while ((bytes = relay_pending(remote->relay, to, &length)) && length) {
		ssize_t sent = send(remote->ends[to], bytes, length, MSG_NOSIGNAL);
		struct pollfd fd = {.fd = remote->ends[to], .events = POLLOUT};

		if (sent > 0) {
			log_gdb(
			    to == RELAY_RR ? "packet to rr" : "packet to gdb", bytes, (size_t)sent);
			relay_sent(remote->relay, to, (size_t)sent);
		} else if (errno == EAGAIN && poll(&fd, 1, SEND_TIMEOUT_MS) == 0)
			return false;
		else if (errno != EAGAIN && errno != EINTR)
			return false;
	}
	return true;
}

static bool send_all(struct remote *remote)
{
	return send_pending(remote, RELAY_RR) && send_pending(remote, RELAY_GDB);
}

bool remote_move(struct remote *remote, enum relay_end from)
{
	char bytes[READ_CHUNK];
	ssize_t got;

	if (!remote->connected)
		return from == RELAY_GDB && take_gdb(remote);
	got = recv(remote->ends[from], bytes, sizeof(bytes), 0);
	if (got < 0)
		return errno == EAGAIN || errno == EINTR;
	return got > 0 && relay_take(remote->relay, from, bytes, (size_t)got) && send_all(remote);
}

void remote_interrupt(struct remote *remote)
{
	relay_interrupt(remote->relay);
	send_all(remote);
}

void remote_permit(struct remote *remote)
{
	relay_permit(remote->relay);
}

bool remote_is_running(const struct remote *remote)
{
	return relay_is_running(remote->relay);
}

struct relay *remote_relay(const struct remote *remote)
{
	return remote->relay;
}
