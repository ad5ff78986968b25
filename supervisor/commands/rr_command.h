#ifndef SUPERVISOR_RR_COMMAND_H
#define SUPERVISOR_RR_COMMAND_H
/*
 * `rr-warden rr ARGS...`: rr by hand, with the counters that work here.
 */
#include <stddef.h>

#include "sandbox/pmu/pmu.h"
#include "supervisor/paths.h"
#include "supervisor/settings.h"

/*
 * Replaces this process with the rr that the settings name, with the counters that they allow and
 * the arguments (argv[0] is rr's first one, not a program's name; NULL-terminated). Returns only
 * when rr could not be started, with the exit status; one line on stderr has said why.
 */
int rr_command_run(
    const struct settings *settings, const struct paths *paths, int argc, char *const argv[]);

/*
 * What rr is given: its name, the options that the choice needs, argv with -n put in where the
 * choice wants a recording without syscall buffer. Returns an array to be freed, whose strings are
 * argv's or static; NULL with errno ENOMEM.
 */
const char **rr_command_arguments(const struct pmu_choice *choice, int argc, char *const argv[]);

/* Whether rr would start gdb for these arguments. */
int rr_command_wants_gdb(int argc, char *const argv[]);

/* Who reaches rr's debug port with these arguments. */
enum rr_port {
	RR_PORT_NONE,	 /* there is none */
	RR_PORT_PRIVATE, /* the gdb that rr starts: both get a network of their own */
	RR_PORT_OPEN	 /* a gdb that the user starts, and everybody else on the machine */
};
enum rr_port rr_command_port(int argc, char *const argv[]);

#endif
