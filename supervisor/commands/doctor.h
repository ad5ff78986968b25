#ifndef SUPERVISOR_DOCTOR_H
#define SUPERVISOR_DOCTOR_H
/*
 * `rr-warden doctor`: says what works on this machine, what does not, and how to fix it. It starts
 * this very server, asks it for rr_status, and lets it record and replay a small program.
 *
 * Prints one line for each finding, with --verbose all that is known of it, or with --json one
 * object:
 *	{"version", "result": "ok"|"warning"|"problem",
 *	 "findings": [{"state": "ok"|"warning"|"problem", "subject", "text", "fix"}], "status":
 *rr_status}
 */
#include "supervisor/own_tools.h"
#include "supervisor/settings.h"

/* The exit status, which depends on the worst finding; of a wrong option as everywhere. */
enum doctor_exit { DOCTOR_OK, DOCTOR_WARNING, DOCTOR_PROBLEM, DOCTOR_USAGE = 2 };

/* argv as main has it; rest is the index of the doctor's own first argument. */
int doctor_run(const struct settings *settings, const struct own_choices *choices, int argc,
    char *const argv[], int rest);

#endif
