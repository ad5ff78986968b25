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
	struct loop_clock clocks[LOOP_CLOCKS_MAX];
	size_t clock_count;
	void (*turn)(void *owner);
	void *turn_owner;
	bool stopped;
};

struct loop *loop_new(void)
{
	return calloc(1, sizeof(struct loop));
}

void loop_add_clock(struct loop *loop, const struct loop_clock *clock)
{
	if (loop->clock_count < LOOP_CLOCKS_MAX)
		loop->clocks[loop->clock_count++] = *clock;
}

void loop_set_turn(struct loop *loop, void (*turn)(void *owner), void *owner)
{
	loop->turn = turn;
	loop->turn_owner = owner;
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

/* The last source moves into the gap, with its poll result. The loop below goes downwards, so the
 * moved source has had its turn, and its revents are cleared. */
void loop_remove(struct loop *loop, int fd)
{
	nfds_t at = find(loop, fd);

	if (at == loop->count)
		return;
	loop->count--;
	loop->polls[at] = loop->polls[loop->count];
	loop->sources[at] = loop->sources[loop->count];
}

static int64_t nearest_deadline(const struct loop *loop)
{
	int64_t nearest = DEADLINE_NEVER;

	for (size_t i = 0; i < loop->clock_count; i++) {
		int64_t deadline = loop->clocks[i].nearest(loop->clocks[i].owner);
		if (deadline < nearest)
			nearest = deadline;
	}
	return nearest;
}

static int wait_for_events(struct loop *loop)
{
	int64_t nearest = nearest_deadline(loop);
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

static void visit_sources(struct loop *loop)
{
	for (nfds_t i = loop->count; i-- > 0 && !loop->stopped;) {
		short events;

		if (i >= loop->count || loop->polls[i].revents == 0)
			continue;
		events = loop->polls[i].revents;
		loop->polls[i].revents = 0;
		loop->sources[i].ready(loop->sources[i].owner, events);
	}
}

static void visit_clocks(struct loop *loop)
{
	int64_t now = deadline_now();

	for (size_t i = 0; i < loop->clock_count && !loop->stopped; i++)
		if (loop->clocks[i].nearest(loop->clocks[i].owner) <= now)
			loop->clocks[i].expired(loop->clocks[i].owner, now);
}

int loop_turn(struct loop *loop)
{
	if (wait_for_events(loop) < 0)
		return errno == EINTR ? 0 : -1;
	visit_sources(loop);
	visit_clocks(loop);
	if (!loop->stopped && loop->turn != NULL)
		loop->turn(loop->turn_owner);
	return 0;
}

int loop_run(struct loop *loop)
{
	while (!loop->stopped)
		if (loop_turn(loop) < 0)
			return -1;
	return 0;
}

void loop_stop(struct loop *loop)
{
	loop->stopped = true;
}

void loop_go_on(struct loop *loop)
{
	loop->stopped = false;
}
