/*
 * See links.h. Only this file of the supervisor receives from workers.
 */
#include "supervisor/links.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINK_TURN_PACKETS  16			 /* before others have their turn */
#define LINK_DRAIN_PACKETS 64			 /* of a dead worker */
#define LINK_FLOOD_PACKETS 20000		 /* a second: no worker has that much to say */
#define LINK_END_WAIT_NS   (DEADLINE_SECOND / 2) /* for the launcher to say how a worker died */

struct link {
	struct links *links;
	uint32_t tag;  /* 0: a free slot */
	int fd, pidfd; /* -1 until launched; fd again once closed */
	int64_t closed_deadline;
	int violation;	/* the system call that its sandbox ended it for; -1: none */
	int64_t window; /* the second that `packets` counts */
	unsigned packets;
};

struct links {
	struct loop *loop;
	int launcher; /* -1: gone */
	bool launcher_seen;
	const struct policy *policy;
	const struct paths *paths;
	struct session_table *table;
	uint32_t last_tag;
	json_t *recordings;	/* places of programs, see visible.h */
	struct visible visible; /* of the launch at hand */
	struct link slots[SESSION_SLOTS];
};

static void take_notices(void *owner, short events);

struct links *links_new(
    struct loop *loop, int launcher, const struct policy *policy, const struct paths *paths)
{
	struct links *links = calloc(1, sizeof(*links));

	if (links == NULL)
		return NULL;
	links->loop = loop;
	links->launcher = launcher;
	links->policy = policy;
	links->paths = paths;
	links->visible.here = paths->here;
	loop_add(loop, launcher, POLLIN, take_notices, links);
	return links;
}

void links_set_table(struct links *links, struct session_table *table)
{
	links->table = table;
}

static struct link *find_link(struct links *links, uint32_t tag)
{
	for (size_t i = 0; i < SESSION_SLOTS; i++)
		if (links->slots[i].tag == tag)
			return &links->slots[i];
	return NULL;
}

int links_launch(struct links *links, struct session *session)
{
	struct link *link = find_link(links, 0);

	if (links->launcher < 0 || link == NULL)
		return -1;
	if (++links->last_tag == 0)
		links->last_tag = 1;
	visible_for(&links->visible, links->policy, session->kind,
	    session->kind == WORKER_REPLAY ? session->open_args : session->calls->args);
	if (session->kind == WORKER_REPLAY)
		visible_add_remembered(
		    &links->visible, links->policy, links->recordings, session_trace(session));
	if (launcher_request(links->launcher, links->last_tag, session->kind, &links->visible) < 0)
		return -1;
	json_decref(session->visible);
	session->visible = start_message_visible(&links->visible);
	*link = (struct link){.links = links,
	    .tag = links->last_tag,
	    .fd = -1,
	    .pidfd = -1,
	    .violation = -1,
	    .closed_deadline = DEADLINE_NEVER};
	session->tag = link->tag;
	return 0;
}

static void kill_process(int pidfd)
{
	/* A worker is its pid namespace's init: with it goes everything below. */
	syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
}

static void close_channel(struct link *link)
{
	if (link->fd < 0)
		return;
	loop_remove(link->links->loop, link->fd);
	close(link->fd);
	link->fd = -1;
}

void links_drop(struct links *links, struct session *session)
{
	struct link *link = session->tag == 0 ? NULL : find_link(links, session->tag);

	session->tag = 0;
	if (link == NULL)
		return;
	close_channel(link);
	if (link->pidfd >= 0) {
		kill_process(link->pidfd);
		close(link->pidfd);
	}
	link->tag = 0;
}

enum channel_result links_send(
    struct links *links, struct session *session, uint32_t type, uint32_t id, const json_t *json)
{
	struct link *link = session->tag == 0 ? NULL : find_link(links, session->tag);

	if (link == NULL || link->fd < 0)
		return CHANNEL_CLOSED;
	return channel_send(link->fd, type, id, 0, json);
}

json_t *links_start_message(struct links *links, struct session *session)
{
	json_t *report = session->launch_report;

	return start_message_json(links->policy, links->paths->softpmu, session->kind,
	    report == NULL ? json_object() : json_incref(report), session->visible);
}

void links_remember_recording(struct links *links, const char *trace_dir, const json_t *args)
{
	visible_remember(&links->recordings, trace_dir, args, links->paths->here);
}

static void deliver_loss(struct links *links, uint32_t tag, const struct event_data *data)
{
	struct session *session = session_by_tag(links->table, tag);

	if (session != NULL)
		session_deliver(links->table, session, EVENT_LOST, data);
}

static void lose(struct links *links, uint32_t tag, const char *code, const char *why)
{
	deliver_loss(links, tag, &(struct event_data){.code = code, .why = why});
}

/* The channel is closed: there is nothing more a worker can do for us. Its launcher says how it
 * ended, and if it does not in time, nobody does. */
static void note_closed(struct link *link)
{
	close_channel(link);
	kill_process(link->pidfd);
	link->closed_deadline = deadline_now() + LINK_END_WAIT_NS;
}

static bool floods(struct link *link)
{
	int64_t second = deadline_now() / DEADLINE_SECOND;

	if (second != link->window) {
		link->window = second;
		link->packets = 0;
	}
	return ++link->packets > LINK_FLOOD_PACKETS;
}

/* One packet. False when there is nothing more to read, or the link is gone. */
static bool take_packet(struct links *links, struct link *link, uint32_t tag)
{
	struct channel_packet packet = {0};
	const char *why = "";
	struct session *session;

	if (floods(link)) {
		lose(links, tag, "worker_died", "the worker flooded its channel, and was ended");
		return false;
	}
	switch (channel_receive(link->fd, &packet, &why)) {
	case CHANNEL_OK:
		session = session_by_tag(links->table, tag);
		if (packet.type == WIRE_VIOLATION)
			link->violation =
			    (int)json_integer_value(json_object_get(packet.json, "syscall"));
		else if (session != NULL)
			session_packet(links->table, session, &packet);
		json_decref(packet.json);
		return link->tag == tag && link->fd >= 0;
	case CHANNEL_AGAIN:
		return false;
	case CHANNEL_CLOSED:
		note_closed(link);
		return false;
	case CHANNEL_REJECTED:
	case CHANNEL_TOO_LONG: {
		char text[SESSION_WHY_MAX];
		snprintf(
		    text, sizeof(text), "the worker broke the protocol, and was ended: %s", why);
		lose(links, tag, "worker_died", text);
		return false;
	}
	}
	return false;
}

static void take_packets(void *owner, short events)
{
	struct link *link = owner;
	struct links *links = link->links;
	uint32_t tag = link->tag;

	(void)events;
	for (int i = 0; i < LINK_TURN_PACKETS; i++)
		if (!take_packet(links, link, tag))
			break;
}

static void refuse_worker(const int fds[2])
{
	kill_process(fds[1]);
	close(fds[0]);
	close(fds[1]);
}

static void started(struct links *links, const struct launch_notice *notice, const int fds[2])
{
	struct link *link = notice->tag == 0 ? NULL : find_link(links, notice->tag);
	struct session *session = session_by_tag(links->table, notice->tag);

	if (fds[0] < 0 || fds[1] < 0)
		return;
	if (link == NULL || session == NULL || link->fd >= 0 ||
	    loop_add(links->loop, fds[0], POLLIN, take_packets, link) < 0) {
		refuse_worker(fds);
		return;
	}
	link->fd = fds[0];
	link->pidfd = fds[1];
	json_decref(session->launch_report);
	session->launch_report = sandbox_report_json(&notice->report);
	session_deliver(links->table, session, EVENT_LAUNCHED, &(struct event_data){0});
}

void links_describe_end(int status, int violation, const char **code, char *why, size_t size)
{
	*code = "worker_died";
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) {
		char name[64] = "a system call";
		*code = "sandbox_violation";
		if (violation >= 0)
			sandbox_syscall_name(violation, name, sizeof(name));
		snprintf(why, size, "the sandbox ended the worker, which may not call %s", name);
	} else if (WIFSIGNALED(status)) {
		snprintf(why, size, "the worker was killed by signal %d (%s)", WTERMSIG(status),
		    strsignal(WTERMSIG(status)));
	} else if (WEXITSTATUS(status) == 127) {
		snprintf(why, size, "the worker's program could not be executed");
	} else if (WEXITSTATUS(status) == WORKER_EXIT_LOST) {
		snprintf(why, size, "rr or gdb ended under the session");
	} else {
		snprintf(why, size, "the worker ended with status %d", WEXITSTATUS(status));
	}
}

static void exited(struct links *links, const struct launch_notice *notice)
{
	struct link *link = notice->tag == 0 ? NULL : find_link(links, notice->tag);
	char why[SESSION_WHY_MAX];
	const char *code;

	if (link == NULL)
		return;
	/* What it said before it died still counts. */
	for (int i = 0; i < LINK_DRAIN_PACKETS && link->fd >= 0; i++)
		if (!take_packet(links, link, notice->tag))
			break;
	links_describe_end(notice->status, link->violation, &code, why, sizeof(why));
	deliver_loss(links, notice->tag,
	    &(struct event_data){.code = code,
		.why = why,
		.not_taken =
		    WIFEXITED(notice->status) && WEXITSTATUS(notice->status) == WORKER_EXIT_LOST});
}

static void launch_failed(struct links *links, const struct launch_notice *notice)
{
	struct session *session = session_by_tag(links->table, notice->tag);
	char why[SESSION_WHY_MAX];

	if (session == NULL)
		return;
	snprintf(why, sizeof(why), "no worker could be started: %s", notice->why);
	session_deliver(links->table, session, EVENT_LAUNCH_FAILED,
	    &(struct event_data){.code = "internal", .why = why});
}

/* A launcher died: its workers with it, and what it was asked for is not coming. */
static void lose_all(struct links *links)
{
	uint32_t tags[SESSION_SLOTS];

	for (size_t i = 0; i < SESSION_SLOTS; i++)
		tags[i] = links->slots[i].tag;
	for (size_t i = 0; i < SESSION_SLOTS; i++) {
		struct link *link = &links->slots[i];
		if (tags[i] == 0 || link->tag != tags[i])
			continue;
		for (int k = 0; k < LINK_DRAIN_PACKETS && link->fd >= 0; k++)
			if (!take_packet(links, link, tags[i]))
				break;
		lose(links, tags[i], "worker_died",
		    "the process that starts workers died, and the workers with it");
	}
}

static void take_notices(void *owner, short events)
{
	struct links *links = owner;
	struct launch_notice notice;
	int fds[2], got;

	(void)events;
	while ((got = launcher_receive(links->launcher, &notice, fds)) > 0) {
		switch ((enum launch_what)notice.what) {
		case LAUNCH_HELLO:
			/* The first one comes while calls may wait for it already. */
			if (links->launcher_seen)
				lose_all(links);
			links->launcher_seen = true;
			break;
		case LAUNCH_STARTED:
			started(links, &notice, fds);
			break;
		case LAUNCH_FAILED:
			launch_failed(links, &notice);
			break;
		case LAUNCH_EXITED:
			exited(links, &notice);
			break;
		}
	}
	if (got < 0) {
		loop_remove(links->loop, links->launcher);
		close(links->launcher);
		links->launcher = -1;
		lose_all(links);
	}
}

int64_t links_nearest_deadline(const struct links *links)
{
	int64_t nearest = DEADLINE_NEVER;

	for (size_t i = 0; i < SESSION_SLOTS; i++)
		if (links->slots[i].tag != 0 && links->slots[i].closed_deadline < nearest)
			nearest = links->slots[i].closed_deadline;
	return nearest;
}

void links_expire(struct links *links, int64_t now)
{
	for (size_t i = 0; i < SESSION_SLOTS; i++) {
		struct link *link = &links->slots[i];
		if (link->tag == 0 || link->closed_deadline > now)
			continue;
		link->closed_deadline = DEADLINE_NEVER;
		lose(links, link->tag, "worker_died",
		    "the worker closed its channel, and was ended");
	}
}
