/*
 * See recording_paths.h. A recording runs a program for its user, so the program can write where
 * its user works: in the home, and in the directories that the call names. Each of these is one
 * directory that grant.c has judged. A setting takes some of them away and adds none.
 */
#include "supervisor/monitor/recording_paths.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "sandbox/log.h"
#include "sandbox/pmu/pmu_probe.h"
#include "sandbox/roles.h"
#include "supervisor/monitor/compose.h"
#include "supervisor/monitor/grant.h"
#include "supervisor/monitor/trace_paths.h"

struct recording {
	struct composition *composition;
	struct grantee grantee;
	bool bounded;	  /* trace-root limits the server */
	bool has_program; /* there is one of this name, which may be recorded */
	char home[PATH_MAX], here[PATH_MAX];
	char *why;
	size_t why_size;
};

static int fail(const struct recording *recording, int error, const char *path, const char *reason)
{
	snprintf(recording->why, recording->why_size, "%.120s: %s", path, reason);
	errno = error;
	return -1;
}

static int refuse(const struct recording *recording, const char *what, const char *path,
    const char *rule, const char *remedy)
{
	char result[PATH_MAX + 16];

	snprintf(result, sizeof(result), "refused: %s", rule);
	log_audit_path(what, path, result);
	snprintf(result, sizeof(result), "%.150s; %.150s", rule, remedy);
	return fail(recording, EPERM, path, result);
}

/* Where a name of the call leads. 1; 0 if nothing is there, which the worker reports better; -1. */
static int follow(const struct recording *recording, const char *path, char real[PATH_MAX])
{
	if (visible_paths_follow(&recording->composition->visible, path, false, real) == 0)
		return 1;
	if (errno == ENOENT || errno == ENOTDIR || errno == EACCES)
		return 0;
	return fail(recording, errno, path,
	    errno == EPERM ? "programs cannot be recorded in /proc, /sys or /dev"
			   : strerror(errno));
}

static bool is_given(const struct visible_paths *visible, const char *real)
{
	for (size_t i = 0; i < visible->counts[VISIBLE_WRITE]; i++)
		if (visible_path_is_within(real, visible->lists[VISIBLE_WRITE][i]))
			return true;
	return false;
}

static bool is_temporary(const char *real)
{
	return strcmp(real, "/tmp") == 0 || strcmp(real, "/var/tmp") == 0;
}

/* A directory that a call names. */
static int give_named(struct recording *recording, bool is_for_trace, const char *real)
{
	const char *what = is_for_trace ? "directory for the trace" : "directory to record in";
	char rule[PATH_MAX];
	const char *remedy = "";
	struct stat status;

	if (lstat(real, &status) < 0 || !S_ISDIR(status.st_mode))
		return 0; /* the worker says so */
	recording->grantee.by_call = true;
	recording->grantee.for_trace = is_for_trace;
	/* with trace-root, it has temporary directories of its own */
	if ((recording->bounded && is_temporary(real)) ||
	    is_given(&recording->composition->visible, real))
		return 0;
	switch (grant_directory(&recording->grantee, real, rule, &remedy)) {
	case GRANT_REFUSED:
		return refuse(recording, what, real, rule, remedy);
	case GRANT_NOTHING:
		if (!is_for_trace)
			return 0; /* the program can start there, and write nothing */
		return refuse(recording, what, real,
		    "no recording may change the system's directories",
		    "name another directory: no option allows this one");
	case GRANT_WRITE:
		break;
	}
	if (visible_paths_add(&recording->composition->visible, VISIBLE_WRITE, real) < 0)
		return fail(recording, errno, real, strerror(errno));
	log_audit_path(what, real, "granted");
	return 0;
}

/* A directory that nobody asked for: left out if it cannot be given. */
static void give_unasked(struct recording *recording, const char *path)
{
	char real[PATH_MAX], rule[PATH_MAX];
	const char *remedy;
	struct stat status;

	recording->grantee.by_call = false;
	if (visible_paths_follow(&recording->composition->visible, path, false, real) == 0 &&
	    lstat(real, &status) == 0 && S_ISDIR(status.st_mode) &&
	    grant_directory(&recording->grantee, real, rule, &remedy) == GRANT_WRITE &&
	    !(recording->bounded && is_temporary(real)))
		(void)visible_paths_add(&recording->composition->visible, VISIBLE_WRITE, real);
}

/* Whether a cover lies over a directory and nothing given lies over that. */
static bool is_covered(
    const struct recording *recording, const struct sandbox_policy *policy, const char *path)
{
	char real[PATH_MAX];

	if (!policy->covers)
		return false;
	if (visible_paths_follow(&recording->composition->visible, path, false, real) < 0)
		return true;
	if (is_given(&recording->composition->visible, real))
		return false;
	for (const char *const *hidden = hidden_paths; *hidden; hidden++)
		if (visible_path_is_within(real, *hidden))
			return true;
	return visible_path_is_within(real, "/tmp") || visible_path_is_within(real, "/var/tmp");
}

static void find_home(struct recording *recording)
{
	const char *home = getenv("HOME");
	char real[PATH_MAX];

	if (home && *home == '/' &&
	    visible_paths_follow(&recording->composition->visible, home, false, real) == 0 &&
	    grant_is_home(real, recording->grantee.is_root))
		strlcpy(recording->home, real, sizeof(recording->home));
	recording->grantee.home = recording->home;
	recording->grantee.whole_home = !recording->bounded;
}

/* The worker compares the directory with these by where they lead, so it must see their links. */
static void show_links_of_directories(struct recording *recording)
{
	const char *const *item =
	    settings_list(recording->composition->settings, SETTING_DIRECTORIES);
	char real[PATH_MAX];

	for (; *item; item++)
		(void)visible_paths_follow(&recording->composition->visible, *item, false, real);
}

static int check_directory(struct recording *recording, const char *real)
{
	show_links_of_directories(recording);
	if (trace_paths_allows(recording->composition, SETTING_DIRECTORIES, real))
		return 0;
	return refuse(recording, "directory to record in", real,
	    "the server's settings limit where programs can be started",
	    "name a directory below one of --record-directory");
}

/* The directory in which the program starts: relative names of the call begin there. */
static int give_directory(struct recording *recording)
{
	const char *name = recording->composition->names[LAUNCH_DIRECTORY];
	char path[PATH_MAX];
	int found;

	strlcpy(recording->here, recording->composition->paths->here, sizeof(recording->here));
	if (!*name && visible_paths_follow(
			  &recording->composition->visible, recording->here, false, path) < 0)
		return 0;
	if (*name && trace_paths_absolute(recording->composition, name, path, sizeof(path)) < 0)
		return 0;
	found = follow(recording, path, recording->here);
	if (found <= 0)
		return found;
	if (check_directory(recording, recording->here) < 0)
		return -1;
	return !*name ? 0 : give_named(recording, false, recording->here);
}

static int absolute(const struct recording *recording, const char *name, char path[PATH_MAX])
{
	if (name[0] == '/' || strncmp(name, "~/", 2) == 0)
		return trace_paths_absolute(recording->composition, name, path, PATH_MAX);
	return snprintf(path, PATH_MAX, "%s/%s", recording->here, name) < PATH_MAX ? 0 : -1;
}

/* The deepest directory on the way to the trace: rr makes the trace in it, and the worker what is
 * missing in between. */
static int give_trace(struct recording *recording)
{
	const char *name = recording->composition->names[LAUNCH_TRACE];
	char path[PATH_MAX], real[PATH_MAX];
	int found = 0;

	if (!*name) {
		/* it is made if it is missing, which a call that will fail must not do */
		if (recording->has_program)
			trace_paths_add_new(recording->composition);
		return 0;
	}
	if (absolute(recording, name, path) < 0)
		return 0;
	for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--)
		path[end - 1] = '\0';
	while (found == 0 && strchr(path + 1, '/')) {
		*strrchr(path, '/') = '\0';
		found = follow(recording, path, real);
	}
	if (found < 0)
		return -1;
	if (found == 0 && follow(recording, "/", real) < 0)
		return -1;
	if (!trace_paths_may_be_here(recording->composition, real))
		return 0; /* the worker says that it is not below the roots */
	if (trace_paths_is_base(recording->composition, real)) {
		give_unasked(recording, real);
		return 0;
	}
	return give_named(recording, true, real);
}

/* The worker checks it once more, as the program's own PATH has it. */
static int check_command(struct recording *recording, const char *real)
{
	const char *const *patterns =
	    settings_list(recording->composition->settings, SETTING_COMMANDS);

	for (const char *const *pattern = patterns; *pattern; pattern++)
		if (fnmatch(*pattern, real, 0) == 0)
			return 0;
	if (!*patterns)
		return 0;
	return refuse(recording, "program to record", real,
	    "the server's settings limit which programs can be recorded",
	    "this program may not be recorded unless --record-command=PATTERN matches its path");
}

/* The program as one file, where it would be covered otherwise. */
static int give_program(struct recording *recording)
{
	struct composition *composition = recording->composition;
	const char *name = composition->names[LAUNCH_PROGRAM], *remedy = "";
	char path[PATH_MAX], real[PATH_MAX], rule[PATH_MAX];
	struct stat status;
	int found;

	if ((strchr(name, '/') ? absolute(recording, name, path)
			       : pmu_find_program(name, path, sizeof(path))) < 0)
		return 0;
	found = follow(recording, path, real);
	if (found <= 0)
		return found;
	recording->has_program = true;
	if (check_command(recording, real) < 0)
		return -1;
	if (is_given(&composition->visible, real) || visible_path_is_of_system(real))
		return 0;
	if (!grant_program(&recording->grantee, real, rule, &remedy))
		return refuse(recording, "program to record", real, rule, remedy);
	/* What cannot be executed is no program, and the worker says so. */
	if (stat(real, &status) < 0 || !S_ISREG(status.st_mode) || access(real, X_OK) < 0)
		return 0;
	if (visible_paths_add(&composition->visible, VISIBLE_READ, real) < 0)
		return fail(recording, errno, real, strerror(errno));
	log_audit_path("program to record", real, "granted");
	return 0;
}

int recording_paths_add(
    struct composition *composition, struct sandbox_policy *policy, char *why, size_t why_size)
{
	cleanup_free struct recording *recording = calloc(1, sizeof(*recording));
	const char *here = composition->paths->here;

	if (!recording) {
		snprintf(why, why_size, "out of memory");
		return -1;
	}
	*recording = (struct recording){.composition = composition,
	    .bounded = settings_list(composition->settings, SETTING_ROOTS)[0] != NULL,
	    .grantee.is_root = geteuid() == 0,
	    .why = why,
	    .why_size = why_size};
	/* For root, more than the user's own files must be hidden from a program. */
	policy->covers = recording->bounded || recording->grantee.is_root;
	find_home(recording);
	if (!recording->bounded) {
		if (*recording->home)
			give_unasked(recording, recording->home);
		give_unasked(recording, "/tmp");
		give_unasked(recording, "/var/tmp");
	}
	give_unasked(recording, here);
	if (!is_covered(recording, policy, here) && access(here, X_OK) == 0)
		policy->directory = here;
	/* The trace last: it may make the default directory, which a refused call must not. */
	return give_directory(recording) < 0 || give_program(recording) < 0 ||
		       give_trace(recording) < 0
		   ? -1
		   : 0;
}
