#ifndef TESTS_BENCH_PEER_H
#define TESTS_BENCH_PEER_H
/*
 * A client that costs next to nothing: it writes lines and counts those that come back, so that the
 * figures show the server alone. For whole answers see tests/e2e/harness.h.
 */
#include <stddef.h>
#include <sys/types.h>

struct peer;

/* Starts argv (NULL-terminated) and waits until initialize is answered. */
struct peer *peer_start(const char *const *argv);
pid_t peer_pid(const struct peer *peer);

void peer_send(struct peer *peer, const char *bytes, size_t length);

/* Waits for `count` more lines; the last of them, without its newline, is valid until the next
 * call. Ends the program when the server does. */
const char *peer_await(struct peer *peer, size_t count, size_t *length);

/* Kills the server, because nothing measures its end. */
void peer_end(struct peer *peer);

/* The highest resident memory that a process ever had, in KiB. */
long long peer_peak_kib(const struct peer *peer);

#endif
