#ifndef SUPERVISOR_LEDGER_SIGHT_H
#define SUPERVISOR_LEDGER_SIGHT_H
/*
 * Shows the separate files of debug information that the ledger lists for a trace, file by file,
 * because gdb opens them itself.
 */
struct composition;

/* Adds the files of the trace at a path without links to the composition's sight. */
void ledger_sight_add(struct composition *composition, const char *trace);

#endif
