#ifndef SUPERVISOR_LEDGER_PATHS_H
#define SUPERVISOR_LEDGER_PATHS_H
/*
 * Shows the separate files of debug information that the ledger lists for a trace, file by file,
 * because gdb opens them itself.
 */
struct composition;

/* Adds the files of the trace at a path without links to what the worker sees. */
void ledger_paths_add(struct composition *composition, const char *trace);

#endif
