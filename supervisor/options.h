#ifndef SUPERVISOR_OPTIONS_H
#define SUPERVISOR_OPTIONS_H
/*
 * The command line and the environment, put on top of the configuration files.
 */
#include <stdbool.h>

#include "supervisor/policy.h"

enum options_mode {
	MODE_SERVE,
	MODE_DOCTOR,
	MODE_RR, /* `rr-warden rr ARGS`: what follows is rr's */
	MODE_HELP,
	MODE_VERSION,
	MODE_WRONG /* `why` says what is */
};

struct options {
	enum options_mode mode;
	struct policy *policy; /* owned; NULL but for MODE_SERVE and MODE_DOCTOR */
	int rest;	       /* MODE_RR: index in argv of rr's first argument */
	char why[POLICY_WHY_MAX];
};

/*
 * Reads argv and the environment, and the files: `admin_file` (POLICY_FILE but in tests), then
 * --config's. Wrong values in the environment are said on stderr and left out, as its readers have
 * always done; wrong flags are MODE_WRONG. policy_free what it returns in policy.
 */
void options_read(struct options *options, int argc, char **argv, const char *admin_file);

/* The text of --help, to stdout. */
void options_print_help(void);

#endif
