#ifndef SUPERVISOR_BIRTH_H
#define SUPERVISOR_BIRTH_H
/*
 * A worker that is being made. Its process is forked at once, finds out what it sees, moves into
 * its sandbox and then waits for consent. How long that takes depends on what the call names, so
 * nobody waits for it: the launcher's loop polls.
 */
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/monitor/launcher.h"

struct birth;
struct counter_proof;

/* What the launcher knows. */
struct monitor {
	const struct paths *paths;
	const struct settings *settings;
	const struct sandbox_machine *machine;
	struct counter_proof *proof;
};

/* Forks the process for a request that was checked. `others`, `count`: births that have not
 * finished, or NULLs. Returns NULL, with the notice of the failure, if there is none. */
struct birth *birth_begin(const struct monitor *monitor, const struct launch_request *request,
    struct birth *const *others, size_t count, struct launch_notice *notice);

pid_t birth_pid(const struct birth *birth);

/* The descriptor that can be read, and the moment of CLOCK_MONOTONIC in ns, when it is to be
 * finished. */
int birth_fd(const struct birth *birth);
int64_t birth_deadline(const struct birth *birth);

/* Gives the worker its consent: 0 with the notice and {channel, pidfd}, which are the caller's to
 * close. Or ends it: -1 with the notice. Frees the birth; the process is the caller's to reap. */
int birth_finish(struct birth *birth, struct launch_notice *notice, int fds[2]);

#endif
