#ifndef TESTS_PROGRAMS_ALARMS_H
#define TESTS_PROGRAMS_ALARMS_H
/*
 * A timer's signals that come often, but only so many times: on a busy machine a recording takes
 * long, and would get thousands, which a test would then have to pass one by one.
 */
#include <stddef.h>
#include <sys/time.h>

static volatile int alarms_left;

/* Begins them, or begins them again. */
static inline void alarms_begin(long microseconds, int most)
{
	struct itimerval timer = {{0, microseconds}, {0, microseconds}};

	alarms_left = most;
	setitimer(ITIMER_REAL, &timer, NULL);
}

static inline void alarms_end(void)
{
	static const struct itimerval never;

	setitimer(ITIMER_REAL, &never, NULL);
}

/* To be called by the handler. */
static inline void alarms_seen(void)
{
	if (--alarms_left <= 0)
		alarms_end();
}

#endif
