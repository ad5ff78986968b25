#ifndef SUPERVISOR_LOOP_H
#define SUPERVISOR_LOOP_H
/*
 * The only place that waits: for descriptors with their callbacks, and for the nearest deadline.
 * Without events and deadlines it sleeps forever.
 */
#include <stdbool.h>
#include <stdint.h>

#define LOOP_SOURCES_MAX 256
#define LOOP_CLOCKS_MAX	 4

struct loop;

/* `events` as poll reports them. May add and remove sources, its own too. */
typedef void loop_ready(void *owner, short events);

struct loop_clock {
	int64_t (*nearest)(void *owner);	   /* the nearest deadline, or DEADLINE_NEVER */
	void (*expired)(void *owner, int64_t now); /* at or after it */
	void *owner;
};

/* NULL when out of memory. */
struct loop *loop_new(void);

/* At most LOOP_CLOCKS_MAX. */
void loop_add_clock(struct loop *loop, const struct loop_clock *clock);

/* Called after the events of each turn. */
void loop_set_turn(struct loop *loop, void (*turn)(void *owner), void *owner);

/* Watches fd (borrowed). Returns 0, or -1 when LOOP_SOURCES_MAX are watched already. */
int loop_add(struct loop *loop, int fd, short events, loop_ready *ready, void *owner);
/* For a source that is already watched; poll reports its end in any case. */
void loop_set_events(struct loop *loop, int fd, short events);
void loop_remove(struct loop *loop, int fd);

/* Waits once, and visits what is ready. Returns 0, or -1 with errno when poll fails. */
int loop_turn(struct loop *loop);
/* Runs until loop_stop. Returns as loop_turn does. */
int loop_run(struct loop *loop);
void loop_stop(struct loop *loop);
/* After loop_stop: loop_turn works again. */
void loop_go_on(struct loop *loop);

#endif
