/*
 * ppoll over all sources. Never allocates after loop_new, never closes a descriptor.
 */
#include "supervisor/loop.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include "supervisor/deadlines.h"

struct source {
	loop_ready *ready;
	void *owner;
};

struct loop {
	struct pollfd polls[LOOP_SOURCES_MAX];
	struct source sources[LOOP_SOURCES_MAX];
	nfds_t count;
	struct loop_clock clock;
	bool stopped;
};

struct loop *loop_new(const struct loop_clock *clock)
{
	struct loop *loop = calloc(1, sizeof(*loop));

	if (loop != NULL)
		loop->clock = *clock;
	return loop;
}

void loop_free(struct loop *loop)
{
	free(loop);
}

static nfds_t find(const struct loop *loop, int fd)
{
	nfds_t i;

	for (i = 0; i < loop->count; i++)
		if (loop->polls[i].fd == fd)
			break;
	return i;
}

int loop_add(struct loop *loop, int fd, short events, loop_ready *ready, void *owner)
{
	if (loop->count == LOOP_SOURCES_MAX)
		return -1;
	loop->polls[loop->count] = (struct pollfd){.fd = fd, .events = events};
	loop->sources[loop->count] = (struct source){ready, owner};
	loop->count++;
	return 0;
}

void loop_set_events(struct loop *loop, int fd, short events)
{
	nfds_t at = find(loop, fd);

	if (at < loop->count)
		loop->polls[at].events = events;
}

/* The last source moves into the gap with what poll said of it: the sweep below visits downwards,
 * so the moved one has had its turn, and revents is cleared at a turn. */
void loop_remove(struct loop *loop, int fd)
{
	nfds_t at = find(loop, fd);

	if (at == loop->count)
		return;
	loop->count--;
	loop->polls[at] = loop->polls[loop->count];
	loop->sources[at] = loop->sources[loop->count];
}

static int wait_for_events(struct loop *loop)
{
	int64_t nearest = loop->clock.nearest(loop->clock.owner);
	struct timespec timeout = {0}, *limit = NULL;

	if (nearest != DEADLINE_NEVER) {
		int64_t left = nearest - deadline_now();
		if (left > 0) {
			timeout.tv_sec = left / DEADLINE_SECOND;
			timeout.tv_nsec = left % DEADLINE_SECOND;
		}
		limit = &timeout;
	}
	return ppoll(loop->polls, loop->count, limit, NULL);
}

int loop_run(struct loop *loop)
{
	while (!loop->stopped) {
		int64_t now;

		if (wait_for_events(loop) < 0) {
			if (errno == EINTR)
				continue;
			return -1;
		}
		for (nfds_t i = loop->count; i-- > 0 && !loop->stopped;) {
			short events;

			if (i >= loop->count || loop->polls[i].revents == 0)
				continue;
			events = loop->polls[i].revents;
			loop->polls[i].revents = 0;
			loop->sources[i].ready(loop->sources[i].owner, events);
		}
		now = deadline_now();
		if (!loop->stopped && loop->clock.nearest(loop->clock.owner) <= now)
			loop->clock.expired(loop->clock.owner, now);
		if (!loop->stopped)
			loop->clock.turn(loop->clock.owner);
	}
	return 0;
}

void loop_stop(struct loop *loop)
{
	loop->stopped = true;
}
