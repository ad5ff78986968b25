#ifndef WORKER_CLOCK_H
#define WORKER_CLOCK_H
/*
 * The worker's clock, which only goes forward, and that of another process's work.
 */
#include <sys/types.h>
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

/* Milliseconds of CPU time that a process has used, all its threads together; 0: there is none. */
static inline long long clock_worked_ms(pid_t pid)
{
	clockid_t clock;
	struct timespec worked;

	if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &worked) != 0)
		return 0;
	return worked.tv_sec * 1000LL + worked.tv_nsec / 1000000;
}

#endif
