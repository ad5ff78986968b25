#ifndef SUPERVISOR_EXPLAIN_COMMAND_H
#define SUPERVISOR_EXPLAIN_COMMAND_H
/*
 * `rr-warden explain TRACE [--markdown]`: why the recorded program ended, without an agent: the
 * crash report, where the value at fault comes from, and who wrote it last. For people, and with
 * --markdown for the summary of a CI job. It starts this very server and asks it.
 */
#include "supervisor/settings.h"

#define EXPLAIN_DONE	0
#define EXPLAIN_TROUBLE 2 /* wrong arguments, or the trace could not be explained */

/* argv as main has it; rest is the index of the command's own first argument. Returns the exit
 * status. */
int explain_command_run(const struct settings *settings, int argc, char *const argv[], int rest);

#endif
