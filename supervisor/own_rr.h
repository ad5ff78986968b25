#ifndef SUPERVISOR_OWN_RR_H
#define SUPERVISOR_OWN_RR_H
/*
 * Which rr is used where no setting names one: the first on PATH, or the one that a package of
 * rr-warden brought (rr-warden-rr), if PATH has none that is newer.
 */
#include "supervisor/paths.h"
#include "supervisor/settings.h"

#define OWN_RR_WHY_MAX (PATH_MAX + 128)

/*
 * Finds the rr that was installed with the program at paths->program, and writes its path; "" if
 * there is none. It is looked for where pip and npm put it, and nowhere else.
 */
void own_rr_find(const struct paths *paths, char rr[PATH_MAX]);

/*
 * Makes SETTING_RR the path of `own` if that is the one to use, and writes why it is this one
 * or that one; "" if a setting names it.
 * Runs both rr to compare their versions; waits for each no longer than OWN_RR_SECONDS.
 */
void own_rr_choose(struct settings *settings, const char *own, char why[OWN_RR_WHY_MAX]);

#define OWN_RR_SECONDS 5

#endif
