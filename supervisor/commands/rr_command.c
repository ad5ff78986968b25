/*
 * `rr-warden rr ARGS...`: finds out which counters work, and then executes rr. There is no sandbox,
 * because the user runs a program in the user's own terminal; only a network of its own for a
 * replay. Must never change the meaning of the
 * arguments.
 */
#include "supervisor/commands/rr_command.h"

#include "sandbox/cleanup.h"
#include "sandbox/ns.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_NOT_STARTED 127

enum rr_task { TASK_OTHER, TASK_RECORD, TASK_IMPLIED_RECORD, TASK_REPLAY };

/* rr's commands except record and replay; any other word is a program to record. */
static const char *const other_commands[] = {"buildid", "cpufeatures", "dump", "explicit-sources",
    "filename", "gdbinit", "help", "ls", "pack", "ps", "rerun", "rm", "sources", "traceinfo"};

/* rr's options that take the next argument when they stand alone. */
static bool takes_next(const char *option)
{
	return option[0] == '-' && option[1] != '\0' && strchr("ACDT", option[1]) != NULL &&
	       option[2] == '\0';
}

/* The index of rr's command, or of the program or trace if there is no command; argc if none. */
static int find_command(int argc, char *const argv[])
{
	int at = 0;
	while (at < argc && argv[at][0] == '-')
		at += takes_next(argv[at]) ? 2 : 1;
	return at < argc ? at : argc;
}

static bool is_directory(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static enum rr_task task_of(int argc, char *const argv[])
{
	int at = find_command(argc, argv);
	if (at == argc)
		return TASK_OTHER;
	if (strcmp(argv[at], "record") == 0)
		return TASK_RECORD;
	if (strcmp(argv[at], "replay") == 0)
		return TASK_REPLAY;
	for (size_t i = 0; i < sizeof(other_commands) / sizeof(other_commands[0]); i++)
		if (strcmp(argv[at], other_commands[i]) == 0)
			return TASK_OTHER;
	return is_directory(argv[at]) ? TASK_REPLAY : TASK_IMPLIED_RECORD;
}

/* Whether one of these options is given to rr's command. */
static bool has_option(int argc, char *const argv[], const char *const *options)
{
	for (int i = find_command(argc, argv); i < argc && strcmp(argv[i], "--") != 0; i++)
		for (size_t k = 0; options[k] != NULL; k++)
			if (strncmp(argv[i], options[k], strlen(options[k])) == 0)
				return true;
	return false;
}

int rr_command_wants_gdb(int argc, char *const argv[])
{
	static const char *const without[] = {
	    "-a", "--autopilot", "-s", "--dbgport", "-d", "--debugger", "-h", "--help", NULL};

	return task_of(argc, argv) == TASK_REPLAY && !has_option(argc, argv, without);
}

enum rr_port rr_command_port(int argc, char *const argv[])
{
	static const char *const none[] = {"-a", "--autopilot", "-h", "--help", NULL};
	static const char *const named[] = {"-s", "--dbgport", NULL};

	if (task_of(argc, argv) != TASK_REPLAY || has_option(argc, argv, none))
		return RR_PORT_NONE;
	return has_option(argc, argv, named) ? RR_PORT_OPEN : RR_PORT_PRIVATE;
}

const char **rr_command_arguments(const struct pmu_choice *choice, int argc, char *const argv[])
{
	const char *const *options = pmu_rr_options(choice);
	enum rr_task task = choice->no_syscall_buffer ? task_of(argc, argv) : TASK_OTHER;
	int command = find_command(argc, argv);
	size_t count = 0, used = 0;
	while (options[count] != NULL)
		count++;
	const char **all = calloc(1 + count + (size_t)argc + 2 + 1, sizeof(*all));
	if (all == NULL)
		return NULL;
	all[used++] = "rr";
	for (size_t i = 0; i < count; i++)
		all[used++] = options[i];
	for (int i = 0; i < argc; i++) {
		if (i == command && task == TASK_IMPLIED_RECORD) {
			all[used++] = "record";
			all[used++] = "-n";
		}
		all[used++] = argv[i];
		if (i == command && task == TASK_RECORD)
			all[used++] = "-n";
	}
	return all;
}

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "rr-warden: %s%s%s\n", what, why[0] != '\0' ? ": " : "", why);
	return EXIT_NOT_STARTED;
}

/* The environment, NULL after a complaint. */
static char **prepare_environment(const struct pmu_choice *choice, const char *library)
{
	char **environment = pmu_rr_environment(choice, library, environ);
	if (environment == NULL && errno == EINVAL)
		complain(library, "the dynamic linker cannot preload from a path with a colon or "
				  "semicolon: install "
				  "rr-warden elsewhere");
	else if (environment == NULL)
		complain(library, strerror(errno));
	return environment;
}

/* Moves this process into a network of its own. */
static int enter_network(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();

	/* Root needs no user namespace, in which it could not use the processor's counters. */
	if (unshare(CLONE_NEWNET | (uid == 0 ? 0 : CLONE_NEWUSER)) < 0 ||
	    (uid != 0 && ns_map_ids(uid, gid) < 0))
		return -1;
	return ns_loopback_up();
}

/* Half of it would be worse than nothing, so a child tries first. */
static bool can_enter_network(void)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(enter_network() == 0 ? 0 : 1);
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return child > 0 && status == 0;
}

/* rr's debug port has no password: who reaches it runs code as this user. */
static void close_port(enum rr_port port)
{
	if (port == RR_PORT_NONE)
		return;
	if (port == RR_PORT_PRIVATE && can_enter_network() && enter_network() == 0)
		return;
	complain("warning",
	    "rr's debug port has no password, and every user of this machine can connect to it "
	    "while rr replays: do so only where you are the only user, or replay with the server's "
	    "tools");
}

/* Executes rr; the arguments are all for rr. */
static int become_rr(
    const struct pmu_choice *choice, const char *library, int argc, char *const argv[])
{
	char gdb[PATH_MAX];
	if (rr_command_wants_gdb(argc, argv) && pmu_find_program("gdb", gdb, sizeof(gdb)) != 0)
		return complain(
		    "gdb was not found: install it (apt install gdb), or replay without "
		    "a debugger (rr replay -a)",
		    "");
	cleanup_free const char **arguments = rr_command_arguments(choice, argc, argv);
	if (arguments == NULL)
		return complain("out of memory", "");
	char **environment = prepare_environment(choice, library);
	if (environment == NULL)
		return EXIT_NOT_STARTED;
	close_port(rr_command_port(argc, argv));
	execve(choice->rr_path, (char *const *)arguments, environment);
	pmu_environment_free(environment);
	return complain(choice->rr_path, strerror(errno));
}

int rr_command_run(
    const struct settings *settings, const struct paths *paths, int argc, char *const argv[])
{
	int mode = pmu_mode_from_name(settings_text(settings, SETTING_PMU));
	struct pmu_choice choice;

	if (pmu_choose(mode < 0 ? PMU_MODE_AUTO : (enum pmu_mode)mode,
		settings_text(settings, SETTING_RR),
		(double)settings_number(settings, SETTING_TIMEOUT_STARTUP), &choice) != 0)
		return complain(choice.error, "");
	if (choice.warning[0] != '\0')
		complain("warning", choice.warning);
	if (choice.kind == PMU_SOFTWARE && paths->softpmu[0] == '\0')
		return complain("its software counter is not installed", "");
	return become_rr(&choice, paths->softpmu, argc, argv);
}
