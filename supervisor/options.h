#ifndef SUPERVISOR_OPTIONS_H
#define SUPERVISOR_OPTIONS_H
/*
 * The command line and the environment, put on top of the configuration files.
 */
#include <stdbool.h>

#include "supervisor/settings.h"

enum options_mode {
	MODE_SERVE,
	MODE_DOCTOR,
	MODE_CONFIG, /* `rr-warden config CLIENT` */
	MODE_RR, /* `rr-warden rr ARGS`: what follows is rr's, but for leading flags of [tools] */
	MODE_RECORD_UNTIL, /* `rr-warden record-until ARGS` */
	MODE_EXPLAIN,	   /* `rr-warden explain TRACE` */
	MODE_HELP,
	MODE_HELP_SETTINGS, /* `--help settings` */
	MODE_VERSION,
	MODE_WRONG /* `why` says what is wrong */
};

struct options {
	enum options_mode mode;
	struct settings *settings; /* owned; NULL where only a text is to be printed */
	int rest;		   /* of a subcommand: index in argv of its first argument */
	char why[SETTINGS_WHY_MAX];
};

/*
 * Reads argv and the environment, and the files: `admin_file` (SETTINGS_FILE but in tests), then
 * --config's. Wrong values in the environment are named on stderr and ignored; wrong flags are
 * MODE_WRONG. settings_free what it returns in settings.
 */
void options_read(struct options *options, int argc, char **argv, const char *admin_file);

#endif
