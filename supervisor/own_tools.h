#ifndef SUPERVISOR_OWN_TOOLS_H
#define SUPERVISOR_OWN_TOOLS_H
/*
 * Which rr and gdb are used where no setting names them: the first on PATH, or those that a package
 * of rr-warden brought (rr-warden-rr, rr-warden-gdb): the rr if PATH has none that is newer, the
 * gdb if PATH has none.
 */
#include "supervisor/paths.h"
#include "supervisor/settings.h"

#define OWN_TOOL_WHY_MAX (PATH_MAX + 128)

/*
 * Finds the tool ("rr", "gdb") that was installed with the program at paths->program, and writes
 * its path; "" if there is none. It is looked for where pip and npm put it, and nowhere else.
 */
void own_tool_find(const struct paths *paths, const char *name, char tool[PATH_MAX]);

/*
 * Makes SETTING_RR the path of `own` if that is the one to use, and writes why it is this one
 * or that one; "" if a setting names it.
 * Runs both rr to compare their versions; waits for each no longer than OWN_RR_SECONDS.
 */
void own_rr_choose(struct settings *settings, const char *own, char why[OWN_TOOL_WHY_MAX]);

/* The same for SETTING_GDB; runs neither of the two. */
void own_gdb_choose(struct settings *settings, const char *own, char why[OWN_TOOL_WHY_MAX]);

#define OWN_RR_SECONDS 5

/* Why it is this rr and this gdb; "" if a setting names it. */
struct own_choices {
	char rr[OWN_TOOL_WHY_MAX], gdb[OWN_TOOL_WHY_MAX];
};

/* Finds and chooses both. */
void own_tools_choose(
    struct settings *settings, const struct paths *paths, struct own_choices *choices);

#endif
