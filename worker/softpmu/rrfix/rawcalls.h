/*
 * System calls that rr makes on a counter without libc, in its start-up checks of Intel processors:
 * no interposed symbol sees them. Linux 5.11's user dispatch sends them to a signal handler.
 */
#ifndef RR_WARDEN_SOFTPMU_RAWCALLS_H
#define RR_WARDEN_SOFTPMU_RAWCALLS_H

#include <signal.h>
#include <stdbool.h>

struct raw_calls {
	int fd; /* of the counter whose calls are answered */
	bool on;
	volatile unsigned char selector; /* the kernel reads it at every system call */
	struct sigaction before;
};

/* From now on ioctl(fd) succeeds for this thread, however it is called. False if that is not
 * possible. */
bool raw_calls_answer(struct raw_calls *raw, int fd);

/* The end of that; nothing when fd is not the one. */
void raw_calls_end(struct raw_calls *raw, int fd);

#endif
