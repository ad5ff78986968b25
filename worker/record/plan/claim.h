#ifndef WORKER_CLAIM_H
#define WORKER_CLAIM_H
/*
 * The names of traces that are being made, so that no two recordings choose the same one, whichever
 * servers they run in. rr makes a trace's directory some time after its name was chosen.
 *
 * In a directory of traces, the file CLAIM_FILE has a byte for each name, and a lock on that byte
 * is the claim. The kernel lets go of it with the process, whoever dies. The byte itself is the
 * mark of a recording that has not been settled: where everything was killed as rr had made the
 * directory and nothing in it, the mark tells that it is ours to remove.
 */
#include <stdbool.h>

#define CLAIM_FILE ".rr-warden-names"

/* The descriptor for claims in `directory`, CLOEXEC; -1 with errno if there can be none, for
 * instance in another user's directory. Closing it ends its claim. */
int claim_open(const char *directory);

/* Claims `name`, and gives up the previous claim of this descriptor. False if somebody else has
 * claimed it. Also true if there are no locks, because rr then finds out. */
bool claim_name(int claims, const char *name);

/* True when a recording under this name began and was never settled, whether it runs or died. */
bool claim_was_left(int claims, const char *name);

/* The recording has ended, and its result is a trace or has been removed. */
void claim_settle(int claims, const char *name);

#endif
