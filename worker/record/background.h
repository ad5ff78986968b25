#ifndef WORKER_BACKGROUND_H
#define WORKER_BACKGROUND_H
/*
 * A recording in the background: the client is answered when the program runs, and can then look at
 * its output and write to its input, until it ends.
 */
#include "worker/record/recording.h"

/* As recording_run, whether in the background or not. */
bool background_run(struct recording *recording, struct failure *failure);

#endif
