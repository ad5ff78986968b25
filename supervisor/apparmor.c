/*
 * See apparmor.h. Of AppArmor's interface it takes two files of /proc, so it needs no library.
 */
#include "supervisor/apparmor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/cleanup.h"

#define OUTER	  "rr-warden"
#define INNER	  "rr-warden//server"
#define KEPT	  "RR_WARDEN_KEPT_"
#define AGAIN	  "RR_WARDEN_AGAIN" /* set between the two starts */
#define LABEL_MAX 256

static bool is_in_mode(const char *label, const char *profile, const char *mode)
{
	size_t length = strlen(profile);

	return strncmp(label, profile, length) == 0 && strcmp(label + length, mode) == 0;
}

enum apparmor_step apparmor_step_for(const char *label)
{
	/* A profile in this mode confines nothing, so the kernel asks none of its rules about an
	 * exec: executing again would lead to the same profile. Before there were two, the only one
	 * was of this kind. */
	if (is_in_mode(label, INNER, " (unconfined)") || is_in_mode(label, OUTER, " (unconfined)"))
		return APPARMOR_INSIDE;
	if (is_in_mode(label, OUTER, " (enforce)") || is_in_mode(label, OUTER, " (complain)"))
		return APPARMOR_AGAIN;
	return APPARMOR_NOTHING;
}

static enum apparmor_step step_here(void)
{
	char label[LABEL_MAX];
	cleanup_fd int fd = open("/proc/self/attr/apparmor/current", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, label, sizeof(label) - 1);

	if (length <= 0)
		return APPARMOR_NOTHING;
	label[length] = '\0';
	label[strcspn(label, "\n")] = '\0';
	return apparmor_step_for(label);
}

/* The profile of what is executed next, here or in processes forked from now on. */
static int set_next(const char *command)
{
	cleanup_fd int fd = open("/proc/self/attr/apparmor/exec", O_WRONLY | O_CLOEXEC);
	size_t length = strlen(command);

	return fd >= 0 && write(fd, command, length) == (ssize_t)length ? 0 : -1;
}

void apparmor_begin_anew(void)
{
	if (step_here() != APPARMOR_NOTHING)
		set_next("exec " OUTER);
}

/* ---- The environment --------------------------------------------------------------------------
 */

static bool is_named(const char *variable, const char *name)
{
	size_t length = strlen(name);

	return strncmp(variable, name, length) == 0 && variable[length] == '=';
}

/* Those of glibc's unsecvars.h that are read only when a program starts, or name plain data.
 * GCONV_PATH and LOCPATH are not among them: from there the C library would load code and tables,
 * into this process too. */
static bool belongs_to_recordings(const char *variable)
{
	static const char *const names[] = {"GETCONF_DIR", "GLIBC_TUNABLES", "HOSTALIASES",
	    "LOCALDOMAIN", "NIS_PATH", "NLSPATH", "RES_OPTIONS", "RESOLV_HOST_CONF", "TMPDIR",
	    "TZDIR"};

	if (strncmp(variable, "LD_", 3) == 0 || strncmp(variable, "MALLOC_", 7) == 0)
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (is_named(variable, names[i]))
			return true;
	return false;
}

char **apparmor_keep(char *const environment[])
{
	size_t count = 0;
	char **kept;

	while (environment[count])
		count++;
	kept = calloc(count + 2, sizeof(*kept));
	if (!kept)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		kept[i] = environment[i];
		if (belongs_to_recordings(environment[i]) &&
		    asprintf(&kept[i], KEPT "%s", environment[i]) < 0)
			return NULL;
	}
	kept[count] = (char *)AGAIN "=1";
	return kept;
}

/* The next variable that has a name of ours, or NULL. */
static char *next_kept(void)
{
	for (char **variable = environ; *variable; variable++)
		if (strncmp(*variable, KEPT, strlen(KEPT)) == 0)
			return *variable;
	return NULL;
}

void apparmor_restore(void)
{
	char *variable;

	while ((variable = next_kept()) != NULL) {
		cleanup_free char *copy = strdup(variable);
		char *equals = copy ? strchr(copy, '=') : NULL;

		if (!equals)
			return;
		/* whoever started us could write such a name too */
		if (belongs_to_recordings(copy + strlen(KEPT))) {
			*equals = '\0';
			setenv(copy + strlen(KEPT), equals + 1, 1);
		}
		*equals = '\0';
		unsetenv(copy);
	}
}

/* ---- Starting ---------------------------------------------------------------------------------
 */

/* Returns only if that fails. */
static void execute_again(char *const argv[])
{
	/* by its name, because the process would be called "exe" otherwise */
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char **environment = apparmor_keep(environ);

	if (length <= 0 || !environment)
		return;
	program[length] = '\0';
	execve(program, argv, environment);
	fprintf(stderr,
	    "rr-warden: AppArmor does not let it enter the profile " INNER " (%s), so it has no "
	    "user namespaces: start it without no_new_privs, and load both profiles of "
	    "rr-warden.apparmor\n",
	    strerror(errno));
}

int apparmor_begin(char *const argv[])
{
	enum apparmor_step step = step_here();
	bool again = getenv(AGAIN) != NULL;

	unsetenv(AGAIN);
	if (step == APPARMOR_AGAIN && !again)
		execute_again(argv);
	if (step != APPARMOR_INSIDE)
		return 0;
	apparmor_restore();
	if (set_next("exec unconfined") == 0)
		return 0;
	fprintf(stderr,
	    "rr-warden: AppArmor does not let the programs that it starts leave its profile: %s: "
	    "load the profiles of rr-warden.apparmor as they are\n",
	    strerror(errno));
	return -1;
}
