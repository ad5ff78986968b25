/*
 * See connections.h. Only this file of the supervisor receives from workers.
 */
#include "supervisor/connections.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/deadlines.h"
#include "supervisor/worker_spec.h"

#define TURN_PACKETS  16		    /* before other sources have their turn */
#define DRAIN_PACKETS 64		    /* of a dead worker */
#define FLOOD_PACKETS 20000		    /* per second: no worker has that much to send */
#define END_WAIT_NS   (DEADLINE_SECOND / 2) /* for the launcher to report how a worker died */

struct connection {
	struct connections *all;
	struct session *session; /* NULL: a free slot */
	uint32_t tag;		 /* of its launch: the slot's index, and a number that rises */
	int fd, pidfd;		 /* -1 until launched; fd again once closed */
	int64_t deadline;	 /* once closed: the limit for the launcher's report */
	int violation;		 /* the system call for which its sandbox killed it; -1: none */
	int64_t window;		 /* the second that `packets` counts */
	unsigned packets;
};

struct connections {
	struct loop *loop;
	int launcher; /* -1: gone */
	bool launcher_seen;
	uint32_t launches;
	struct connection slots[SESSION_SLOTS];
};

static void read_notices(void *owner, short events);
static int64_t nearest_deadline(void *owner);
static void expire(void *owner, int64_t now);

struct connections *connections_new(struct loop *loop, int launcher)
{
	struct connections *all = calloc(1, sizeof(*all));

	if (all == NULL)
		return NULL;
	all->loop = loop;
	all->launcher = launcher;
	loop_add(loop, launcher, POLLIN, read_notices, all);
	loop_add_clock(loop, &(struct loop_clock){nearest_deadline, expire, all});
	return all;
}

bool connections_have_launcher(const struct connections *connections)
{
	return connections->launcher >= 0;
}

/* The connection that a notice is about; NULL if its session has dropped it. */
static struct connection *find(struct connections *all, uint32_t tag)
{
	struct connection *connection = &all->slots[tag % SESSION_SLOTS];

	return connection->session != NULL && connection->tag == tag ? connection : NULL;
}

static struct connection *free_slot(struct connections *all)
{
	for (size_t i = 0; i < SESSION_SLOTS; i++)
		if (all->slots[i].session == NULL)
			return &all->slots[i];
	return NULL;
}

struct connection *connections_launch(
    void *connections, const struct worker_spec *spec, struct session *session)
{
	static struct launch_request request;
	struct connections *all = connections;
	struct connection *connection = free_slot(all);
	uint32_t tag;

	if (all->launcher < 0 || connection == NULL)
		return NULL;
	/* The tag wraps around only after years of launches, so an old notice cannot match
	 * another's slot. */
	all->launches = all->launches % (UINT32_MAX / SESSION_SLOTS - 1) + 1;
	tag = all->launches * SESSION_SLOTS + (uint32_t)(connection - all->slots);
	worker_spec_request(spec, tag, &request);
	if (launcher_request(all->launcher, &request) < 0)
		return NULL;
	*connection = (struct connection){.all = all,
	    .session = session,
	    .tag = tag,
	    .fd = -1,
	    .pidfd = -1,
	    .violation = -1,
	    .deadline = DEADLINE_NEVER};
	return connection;
}

static void kill_process(int pidfd)
{
	/* A worker is the init process of its pid namespace: everything in it dies with the worker.
	 */
	syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
}

static void close_channel(struct connection *connection)
{
	if (connection->fd < 0)
		return;
	loop_remove(connection->all->loop, connection->fd);
	close(connection->fd);
	connection->fd = -1;
}

void connection_drop(struct connection *connection)
{
	close_channel(connection);
	if (connection->pidfd >= 0) {
		kill_process(connection->pidfd);
		close(connection->pidfd);
	}
	connection->session = NULL;
}

enum channel_result connection_send(
    struct connection *connection, uint32_t type, uint32_t id, const json_t *json)
{
	return connection->fd < 0 ? CHANNEL_CLOSED
				  : channel_send(connection->fd, type, id, 0, json);
}

/* The session drops the connection, and may then have another one in its slot. */
static void lose(struct connection *connection, bool not_taken, const char *why, const char *detail)
{
	struct failure failure = {0};

	failure_set(&failure, ERROR_WORKER_DIED, NULL, "%s%s", why, detail);
	session_lost(connection->session, &failure, not_taken);
}

/* The channel is closed, so the worker is of no more use. Its launcher reports how it ended. If
 * that report does not come in time, the reason stays unknown. */
static void note_closed(struct connection *connection)
{
	close_channel(connection);
	kill_process(connection->pidfd);
	connection->deadline = deadline_now() + END_WAIT_NS;
}

static bool floods(struct connection *connection)
{
	int64_t second = deadline_now() / DEADLINE_SECOND;

	if (second != connection->window) {
		connection->window = second;
		connection->packets = 0;
	}
	return ++connection->packets > FLOOD_PACKETS;
}

static void accept_packet(struct connection *connection, const struct channel_packet *packet)
{
	if (packet->type == WIRE_VIOLATION)
		connection->violation =
		    (int)json_integer_value(json_object_get(packet->json, "syscall"));
	else
		session_packet(connection->session, packet);
	json_decref(packet->json);
}

/* One packet. False when there is nothing more to read, or the connection is gone. */
static bool read_packet(struct connection *connection)
{
	struct channel_packet packet = {0};
	uint32_t tag = connection->tag;
	const char *why = "";

	if (floods(connection)) {
		lose(connection, false, "the worker flooded its channel and was killed", "");
		return false;
	}
	switch (channel_receive(connection->fd, &packet, &why)) {
	case CHANNEL_OK:
		accept_packet(connection, &packet);
		return find(connection->all, tag) == connection && connection->fd >= 0;
	case CHANNEL_AGAIN:
		return false;
	case CHANNEL_CLOSED:
		note_closed(connection);
		return false;
	case CHANNEL_REJECTED:
	case CHANNEL_TOO_LONG:
		lose(connection, false, "the worker broke the protocol and was killed: ", why);
		return false;
	}
	return false;
}

static void read_packets(void *owner, short events)
{
	struct connection *connection = owner;

	(void)events;
	for (int i = 0; i < TURN_PACKETS; i++)
		if (!read_packet(connection))
			break;
}

/* What a worker sent before it died still counts. NULL if that ended the connection. */
static struct connection *drain(struct connection *connection)
{
	struct connections *all = connection->all;
	uint32_t tag = connection->tag;

	for (int i = 0; i < DRAIN_PACKETS && connection->fd >= 0; i++)
		if (!read_packet(connection))
			break;
	return find(all, tag);
}

static void refuse_worker(const int fds[2])
{
	kill_process(fds[1]);
	close(fds[0]);
	close(fds[1]);
}

static void note_started(
    struct connections *all, const struct launch_notice *notice, const int fds[2])
{
	struct connection *connection = find(all, notice->tag);

	if (fds[0] < 0 || fds[1] < 0)
		return;
	if (connection == NULL || connection->fd >= 0 ||
	    loop_add(all->loop, fds[0], POLLIN, read_packets, connection) < 0) {
		refuse_worker(fds);
		return;
	}
	connection->fd = fds[0];
	connection->pidfd = fds[1];
	session_launched(connection->session, notice->trace);
}

void connection_describe_end(struct failure *failure, int status, int violation)
{
	char name[64] = "a system call";

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) {
		if (violation >= 0)
			sandbox_syscall_name(violation, name, sizeof(name));
		failure_set(failure, ERROR_SANDBOX_VIOLATION, NULL,
		    "the sandbox killed the worker, because it called %s, which is not allowed",
		    name);
	} else if (WIFSIGNALED(status)) {
		failure_set(failure, ERROR_WORKER_DIED, NULL,
		    "the worker was killed by signal %d (%s)", WTERMSIG(status),
		    strsignal(WTERMSIG(status)));
	} else if (WEXITSTATUS(status) == 127) {
		failure_set(
		    failure, ERROR_WORKER_DIED, NULL, "the worker's program could not be started");
	} else if (WEXITSTATUS(status) == WORKER_EXIT_LOST) {
		failure_set(
		    failure, ERROR_WORKER_DIED, NULL, "rr or gdb ended while the session was open");
	} else {
		failure_set(failure, ERROR_WORKER_DIED, NULL, "the worker ended with status %d",
		    WEXITSTATUS(status));
	}
}

static void note_exited(struct connections *all, const struct launch_notice *notice)
{
	struct connection *connection = find(all, notice->tag);
	struct failure failure = {0};
	bool lost_tools =
	    WIFEXITED(notice->status) && WEXITSTATUS(notice->status) == WORKER_EXIT_LOST;

	if (connection == NULL || (connection = drain(connection)) == NULL)
		return;
	connection_describe_end(&failure, notice->status, connection->violation);
	session_lost(connection->session, &failure, lost_tools);
}

/* What helps when a layer is missing. */
static const char *hint_of(const struct launch_notice *notice)
{
	if (notice->code != ERROR_SANDBOX_VIOLATION)
		return NULL;
	if (strncmp(notice->why, "net_ns", 6) == 0)
		return "allow user namespaces (for containers, see README, \"In a container\"), or "
		       "start the server with --sandbox-net_ns=prefer: it then replays without a "
		       "private network, and while a session is open, other users of this machine "
		       "can connect to rr's debug port and run code as you";
	return "rr-warden doctor says what this machine lacks";
}

static void note_failed(struct connections *all, const struct launch_notice *notice)
{
	struct connection *connection = find(all, notice->tag);
	enum error_code code =
	    notice->code < ERROR_CODE_COUNT ? (enum error_code)notice->code : ERROR_INTERNAL;
	bool ours = code == ERROR_INTERNAL || code == ERROR_SANDBOX_VIOLATION;
	struct failure failure = {0};

	if (connection == NULL)
		return;
	failure_set(&failure, code, hint_of(notice), "%s%s",
	    ours ? "no worker could be started: " : "", notice->why);
	session_launch_failed(connection->session, &failure);
}

/* A launcher died, with all its workers, and will not answer its requests. There is already another
 * one, from which sessions get new workers while this function runs. */
static void lose_all(struct connections *all)
{
	uint32_t tags[SESSION_SLOTS];
	struct connection *connection;

	for (size_t i = 0; i < SESSION_SLOTS; i++)
		tags[i] = all->slots[i].session == NULL ? 0 : all->slots[i].tag;
	for (size_t i = 0; i < SESSION_SLOTS; i++) {
		connection = tags[i] == 0 ? NULL : find(all, tags[i]);
		if (connection != NULL && (connection = drain(connection)) != NULL)
			lose(connection, connection->pidfd < 0,
			    "the process that starts workers died, and all workers with it", "");
	}
}

static void accept_notice(
    struct connections *all, const struct launch_notice *notice, const int fds[2])
{
	switch ((enum launch_what)notice->what) {
	case LAUNCH_HELLO:
		/* The first notice comes when calls may already be waiting for it. */
		if (all->launcher_seen)
			lose_all(all);
		all->launcher_seen = true;
		break;
	case LAUNCH_STARTED:
		note_started(all, notice, fds);
		break;
	case LAUNCH_FAILED:
		note_failed(all, notice);
		break;
	case LAUNCH_EXITED:
		note_exited(all, notice);
		break;
	}
}

static void read_notices(void *owner, short events)
{
	struct connections *all = owner;
	struct launch_notice notice;
	int fds[2], got;

	(void)events;
	while ((got = launcher_receive(all->launcher, &notice, fds)) > 0)
		accept_notice(all, &notice, fds);
	if (got < 0) {
		loop_remove(all->loop, all->launcher);
		close(all->launcher);
		all->launcher = -1;
		/* A locked-down supervisor cannot start a launcher. The host can start a new
		 * server. */
		loop_stop(all->loop);
	}
}

static int64_t nearest_deadline(void *owner)
{
	const struct connections *all = owner;
	int64_t nearest = DEADLINE_NEVER;

	for (size_t i = 0; i < SESSION_SLOTS; i++)
		if (all->slots[i].session != NULL && all->slots[i].deadline < nearest)
			nearest = all->slots[i].deadline;
	return nearest;
}

static void expire(void *owner, int64_t now)
{
	struct connections *all = owner;

	for (size_t i = 0; i < SESSION_SLOTS; i++) {
		struct connection *connection = &all->slots[i];
		if (connection->session == NULL || connection->deadline > now)
			continue;
		connection->deadline = DEADLINE_NEVER;
		lose(connection, false, "the worker closed its channel and was killed", "");
	}
}
