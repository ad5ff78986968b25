#ifndef TESTS_ATTACKS_SNARE_H
#define TESTS_ATTACKS_SNARE_H
/*
 * Changes something at one certain moment in the start of a recording: a process of the test's
 * traces the monitor and what it forks, holds one of them at that moment, runs a command, and lets
 * go of all. So what happens between a check and a use needs no luck. Only for root, because the
 * monitor's processes can be traced by nobody else.
 */
#include <sys/types.h>

enum snare_moment {
	SNARE_ENTERS, /* a process is about to enter this directory; the worker has judged it */
	SNARE_RECORDS /* rr begins to record; the worker has judged the program. `directory` is not
			 looked at */
};

/* Of a server that has its monitor; what it starts from now on is traced. */
pid_t snare_set(pid_t server, enum snare_moment moment, const char *directory, const char *command);

/* The moment came, and the command ran; `answer` is for the message if not. */
void snare_expect_sprung(pid_t snare, const char *answer);

#endif
