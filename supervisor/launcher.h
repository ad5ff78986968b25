#ifndef SUPERVISOR_LAUNCHER_H
#define SUPERVISOR_LAUNCHER_H
/*
 * The process that forks and execs workers, so that the one that parses a client's bytes need not.
 *
 *	supervisor ── keeper ── launcher ── workers
 *
 * The keeper does nothing but fork a new launcher when one dies, which the locked-down supervisor
 * could not. All of them die with the process above them.
 *
 * On a SEQPACKET pair: the supervisor sends struct launch_request; the launcher sends struct
 * launch_notice, with {channel, pidfd} passed along LAUNCH_STARTED.
 */
#include <stdint.h>

#include "sandbox/proto.h"
#include "sandbox/sandbox.h"
#include "supervisor/policy.h"
#include "supervisor/visible.h"

#define LAUNCH_WHY_MAX 256

struct launch_request {
	uint32_t tag;		/* not 0; names the worker in notices */
	uint32_t kind;		/* enum worker_kind */
	struct visible visible; /* the message ends with its last entry */
};

enum launch_what {
	LAUNCH_HELLO, /* a launcher begins; every worker of the one before is dead */
	LAUNCH_STARTED,
	LAUNCH_FAILED, /* why */
	LAUNCH_EXITED  /* status, as wait gives it */
};

struct launch_notice {
	uint32_t what, tag;
	int32_t pid, status;
	struct sandbox_report report;
	char why[LAUNCH_WHY_MAX];
};

/* The layers the policy wants; nothing visible, no limits. */
void launcher_layers(struct sandbox_settings *settings, const struct policy *policy);

/* Forks keeper and launcher, which inherit everything but stdin and stdout. `worker` is the path of
 * rr-warden-worker. Returns the supervisor's end (CLOEXEC, NONBLOCK), or -1 with errno. */
int launcher_start(const char *worker, const struct policy *policy);

/* Returns 0, or -1 when there is no launcher, or it is hopelessly behind. */
int launcher_request(int fd, uint32_t tag, enum worker_kind kind, const struct visible *visible);

/* Returns 1 with a notice (fds are -1 but with LAUNCH_STARTED; the caller's to close), 0 when there
 * is none, -1 when launcher and keeper are gone. */
int launcher_receive(int fd, struct launch_notice *notice, int fds[2]);

/* The launcher's life, in its own process; never returns. Defined in launcher_process.c. */
_Noreturn void launcher_run(int fd, const char *worker, const struct policy *policy);

#endif
