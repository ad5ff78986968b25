#ifndef SUPERVISOR_TOOL_PATHS_H
#define SUPERVISOR_TOOL_PATHS_H
/*
 * Shows an rr or a gdb that is not the system's: its file, the libraries that the loader resolves
 * for it, and its own data beside it.
 */
#include "supervisor/settings.h"

struct composition;

/* SETTING_RR or SETTING_GDB. Leaves out what cannot be shown: the worker reports that the tool does
 * not start. */
void tool_paths_add(struct composition *composition, enum setting setting);

#endif
