#ifndef WORKER_RELAY_H
#define WORKER_RELAY_H
/*
 * What gdb and rr say to each other in the remote protocol, packet by packet, passed on with
 * these corrections. Pure: bytes in, bytes out, no I/O.
 *
 * 1. gdb names the thread that a reverse resume is about (`Hc`) only when that has changed since it
 *    last said so. rr forgets it at most stops and takes the thread that stopped: a reverse run
 * then reports the stops of that one thread, and passes by the others silently. So gdb's last
 *    `Hc` goes before each reverse resume again.
 * 2. An interrupt ends the run for sure: rr gets its interrupt byte only while it runs, a reply
 * that crossed it on the way is not taken for the next run's, and where gdb would resume once more
 * by itself (a false condition, the next of a million steps) it is told that the program has
 * stopped.
 * 3. Where rr was to step a thread back from its first instruction, and stops in another thread,
 * gdb is told that the recording goes no further back: by an assertion of its own it would end.
 * 4. Conditions of breakpoints are written so that rr judges them itself, see widths.h.
 * 5. relay_seek makes a seek of gdb's next resume: rr gets `vRun`, and gdb sees the program run and
 * stop. At a vRun of its own, gdb forgets the program's libraries, and reads them all once more.
 */
#include <stdbool.h>
#include <stddef.h>

#define RELAY_PACKET_MAX                                                                           \
	(4 * 1024 * 1024) /* bytes of one packet; a longer one breaks the protocol */

enum relay_end { RELAY_GDB, RELAY_RR };

struct relay;

/* NULL: out of memory. */
struct relay *relay_new(void);
void relay_free(struct relay *relay);

/* Takes what one end has sent. False if it breaks the protocol, and the session is lost. */
bool relay_take(struct relay *relay, enum relay_end from, const char *bytes, size_t length);

/* What must be sent to an end, borrowed until the next call; relay_sent removes it. */
const char *relay_pending(const struct relay *relay, enum relay_end to, size_t *length);
void relay_sent(struct relay *relay, enum relay_end to, size_t length);

/* Whether gdb has resumed the program, and the stop has not gone through to gdb yet. */
bool relay_is_running(const struct relay *relay);

/*
 * Lets gdb run the program back so many times, until this is called with 0: where it would do so
 * once more, because a hit was none to it, the program has stopped as at an interrupt. The limit is
 * reached from then on until this is called again, also with 0.
 */
void relay_limit_back(struct relay *relay, unsigned times);
bool relay_reached_limit(const struct relay *relay);

/* Whether rr, where it was to step a thread back, ran to the start of the recording, because there
 * the thread had only begun. gdb mostly ends over that, by an assertion of its own. */
bool relay_stepped_before_thread(const struct relay *relay);

/* Makes a seek to rr's `target` ("c12", "4711") of the next resume; NULL: of none any more. False:
 * the target is too long. */
bool relay_seek(struct relay *relay, const char *target);
/* Whether rr went there, with all of gdb's breakpoints, and gdb has the stop. */
bool relay_has_sought(const struct relay *relay);

/* Whether gdb has run the program back since the last time that this was called. */
bool relay_took_back(struct relay *relay);

/* Has the program stop as soon as it can, and keeps it from being resumed until relay_permit. */
void relay_interrupt(struct relay *relay);
void relay_permit(struct relay *relay);

#endif
