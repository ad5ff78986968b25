#ifndef WORKER_CLAIM_H
#define WORKER_CLAIM_H
/*
 * The names of traces that are being made, so that no two recordings choose the same one, whichever
 * servers they run in. rr makes a trace's directory some time after its name was chosen.
 *
 * In a directory of traces, the file CLAIM_FILE has a byte for each name, and a lock on that byte
 * is the claim. The kernel lets go of it with the process: nothing is left to clear up, whoever
 * dies.
 */
#include <stdbool.h>

#define CLAIM_FILE ".rr-warden-names"

/* The descriptor that claims in `directory` are made with, CLOEXEC; -1 where there can be none,
 * with errno: another user's directory, for instance. Closing it ends its claim. */
int claim_open(const char *directory);

/* Claims `name`, and gives up what was claimed with this descriptor before. False when somebody
 * else has claimed it. True, too, where there are no locks: rr then finds out. */
bool claim_name(int claims, const char *name);

#endif
