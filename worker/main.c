/*
 * A worker: the process of one session (or one recording). Takes operations from the supervisor on
 * WORKER_CHANNEL_FD and answers them. Talks to nobody but the supervisor and the tools that it
 * starts, and never outlives its supervisor.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include "sandbox/wire/broker.h"
#include "worker/serve/ops.h"

int main(void)
{
	struct worker worker = {.channel = WORKER_CHANNEL_FD};

	if (fcntl(WORKER_CHANNEL_FD, F_GETFD) < 0) {
		fprintf(stderr, "rr-warden-worker: only rr-warden can start this program\n");
		return 2;
	}
	fcntl(WORKER_CHANNEL_FD, F_SETFD, FD_CLOEXEC);
	fcntl(WORKER_BROKER_FD, F_SETFD, FD_CLOEXEC);
	signal(SIGPIPE, SIG_IGN);
	return worker_run(&worker);
}
