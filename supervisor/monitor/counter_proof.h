#ifndef SUPERVISOR_COUNTER_PROOF_H
#define SUPERVISOR_COUNTER_PROOF_H
/*
 * What the launcher knows of the processor's counters: whether rr really records and replays with
 * them. Found out once, by the first worker that needs them, so that the server's start stays
 * cheap.
 */
#include "supervisor/paths.h"
#include "supervisor/settings.h"

struct counter_proof;

/* It lives as long as the process. NULL with errno. */
struct counter_proof *counter_proof_new(void);

/*
 * If the setting is `auto`, the processor's counter seems to work, and this is not known yet, tries
 * it. That takes about a tenth of a second, and at most ten, in which the caller waits. Not for a
 * process in a new pid namespace, where rr does not find itself in /proc. Returns "" while the
 * counter may be used, otherwise why it must not: one clause that says what happened. Borrowed.
 * proof may be NULL.
 */
const char *counter_proof_find(
    struct counter_proof *proof, const struct settings *settings, const struct paths *paths);

#endif
