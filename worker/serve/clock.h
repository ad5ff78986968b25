#ifndef WORKER_CLOCK_H
#define WORKER_CLOCK_H
/*
 * The worker's clock, which only goes forward.
 */
#include <time.h>

/* Milliseconds of CLOCK_MONOTONIC. */
static inline long long clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static inline double clock_seconds(void)
{
	return (double)clock_ms() / 1000;
}

#endif
