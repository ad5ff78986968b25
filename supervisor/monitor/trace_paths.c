/*
 * See trace_paths.h. A directory counts as a trace only if it has a trace's files, and a file as a
 * recorded program only if it is one. A file is never shown just because a trace names it.
 */
#include "supervisor/monitor/trace_paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "supervisor/monitor/compose.h"
#include "supervisor/monitor/grant.h"
#include "supervisor/monitor/ledger_paths.h"
#include "supervisor/monitor/program_paths.h"

#define LATEST	    "latest-trace"
#define BASES_MAX   2
#define ENTRIES_MAX 100000 /* of a directory that is looked through for traces */

/* ---- Names ------------------------------------------------------------------------------------
 */

static const char *absolute_variable(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] == '/' ? value : NULL;
}

static int join(char *path, size_t size, const char *directory, const char *name)
{
	return (size_t)snprintf(path, size, "%s/%s", directory, name) < size ? 0 : -1;
}

int trace_paths_absolute(
    const struct composition *composition, const char *name, char *path, size_t size)
{
	const char *home = absolute_variable("HOME");

	if (name[0] == '/')
		return strlcpy(path, name, size) < size ? 0 : -1;
	if (strncmp(name, "~/", 2) == 0 && home)
		return join(path, size, home, name + 2);
	return join(path, size, composition->paths->here, name);
}

/* The default directories for traces; the worker sees each of them. */
struct trace_bases {
	char paths[BASES_MAX][PATH_MAX];
	size_t count;
};

static void add_base(struct trace_bases *bases, const char *directory, const char *name)
{
	if (directory && join(bases->paths[bases->count], PATH_MAX, directory, name) == 0)
		bases->count++;
}

/* Like rr: the variable, or the XDG directory, or the old ~/.rr. */
static void find_bases(const struct composition *composition, struct trace_bases *bases)
{
	const char *named = getenv("_RR_TRACE_DIR"), *home = absolute_variable("HOME");
	const char *data = absolute_variable("XDG_DATA_HOME");

	bases->count = 0;
	if (named && *named) {
		if (trace_paths_absolute(composition, named, bases->paths[0], PATH_MAX) == 0)
			bases->count = 1;
		return;
	}
	if (data)
		add_base(bases, data, "rr");
	else
		add_base(bases, home, ".local/share/rr");
	add_base(bases, home, ".rr");
}

/* errno becomes the code of the answer. */
static int fail(int error, const char *path, const char *reason, char *why, size_t why_size)
{
	snprintf(why, why_size, "%.180s: %s", path, reason);
	errno = error;
	return -1;
}

/* Reports what the worker cannot know: that a path is a loop, or not allowed. The worker reports
 * the rest. */
static int fail_to_follow(const char *path, int error, char *why, size_t why_size)
{
	switch (error) {
	case ENOENT:
		return 0;
	case EPERM:
		return fail(EPERM, path, "a trace cannot be in /proc, /sys or /dev", why, why_size);
	case EACCES:
		return fail(EPERM, path, "it cannot be read: permission denied", why, why_size);
	case ENOTDIR:
		return fail(
		    EINVAL, path, "it is not a directory, so it cannot be a trace", why, why_size);
	default:
		return fail(EINVAL, path, strerror(error), why, why_size);
	}
}

/* ---- Traces -----------------------------------------------------------------------------------
 */

static bool is_file(int directory, const char *name)
{
	struct stat status;

	return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(status.st_mode);
}

/* Whether there are only the marks, because a removal was interrupted: it removes them last. */
static bool has_marks_only(int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	size_t others = 0;

	while (entries && others == 0 && (entry = readdir(entries)))
		others += strcmp(entry->d_name, "version") != 0 &&
			  strcmp(entry->d_name, "incomplete") != 0 && entry->d_name[0] != '.';
	if (entries)
		closedir(entries);
	return entries && others == 0;
}

static bool is_stream(const char *name)
{
	static const char *const streams[] = {"events", "data", "mmaps", "tasks"};

	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		if (strcmp(name, streams[i]) == 0)
			return true;
	return false;
}

/* An rr that was killed while it made a trace leaves only empty streams. */
static bool is_beginning(int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat status;
	bool sound = entries && is_file(directory, "events");

	while (sound && (entry = readdir(entries)))
		sound = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
			(is_stream(entry->d_name) &&
			    fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
			    S_ISREG(status.st_mode) && status.st_size == 0);
	if (entries)
		closedir(entries);
	return sound;
}

/* A file called "version" does not make a trace: /proc has one, and so do many programs. */
static bool is_trace(int directory)
{
	return is_beginning(directory) ||
	       ((is_file(directory, "version") || is_file(directory, "incomplete")) &&
		   (is_file(directory, "events") || has_marks_only(directory)));
}

static bool is_in_one(const char *const *roots, const char *real)
{
	struct visible_paths ignored = {0};
	char at[PATH_MAX];

	if (!*roots)
		return true;
	for (; *roots; roots++)
		if (visible_paths_follow(&ignored, *roots, false, at) == 0 &&
		    visible_path_is_within(real, at))
			return true;
	return false;
}

bool trace_paths_allows(
    const struct composition *composition, enum setting setting, const char *real)
{
	return is_in_one(settings_list(composition->settings, setting), real) &&
	       is_in_one(settings_ceiling(composition->settings, setting), real);
}

bool trace_paths_may_be_here(const struct composition *composition, const char *real)
{
	return trace_paths_allows(composition, SETTING_ROOTS, real);
}

static int add_parent(struct composition *composition, const char *real, char *why, size_t why_size)
{
	char parent[PATH_MAX];

	strlcpy(parent, real, sizeof(parent));
	*strrchr(parent, '/') = '\0';
	if (!*parent)
		return fail(EPERM, real, "a trace in / cannot be removed", why, why_size);
	return visible_paths_add(&composition->visible, VISIBLE_PARENT, parent);
}

/* The trace at a path from visible_paths_follow. */
static int add_trace(struct composition *composition, const char *real, enum trace_paths how,
    const struct sandbox_policy *policy, char *why, size_t why_size)
{
	struct visible_paths *visible = &composition->visible;
	bool writes = how == TRACE_PATHS_CHANGE || how == TRACE_PATHS_REMOVE;
	cleanup_fd int trace = open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int error = errno;

	if (!trace_paths_may_be_here(composition, real))
		return 0;
	if (trace < 0)
		return fail_to_follow(real, error, why, why_size);
	if (!is_trace(trace))
		return visible_paths_add(visible, VISIBLE_EMPTY, real);
	if (how == TRACE_PATHS_REMOVE && add_parent(composition, real, why, why_size) < 0)
		return -1;
	if (visible_paths_add(visible, writes ? VISIBLE_WRITE : VISIBLE_READ, real) < 0)
		return -1;
	if (how == TRACE_PATHS_REPLAY)
		strlcpy(composition->trace[0] ? composition->other_trace : composition->trace, real,
		    PATH_MAX);
	composition->unfinished |= !is_file(trace, "version");
	if (how == TRACE_PATHS_REPLAY || how == TRACE_PATHS_CHANGE)
		program_paths_add(composition, trace, policy);
	if (how == TRACE_PATHS_REPLAY)
		ledger_paths_add(composition, real);
	return 0;
}

static bool is_directory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int trace_paths_add(struct composition *composition, enum launch_name which, enum trace_paths how,
    const struct sandbox_policy *policy, char *why, size_t why_size)
{
	const char *name = composition->names[which];
	bool keep_last = how == TRACE_PATHS_REMOVE;
	char paths[1 + BASES_MAX][PATH_MAX], real[PATH_MAX];
	struct trace_bases bases;
	size_t count = 0;

	if (!*name && how == TRACE_PATHS_REMOVE)
		return 0;
	if (*name && trace_paths_absolute(composition, name, paths[0], PATH_MAX) == 0)
		count = 1;
	/* A bare name means a trace in the default directory, unless there is a directory of that
	 * name here. */
	if (!*name || (!strchr(name, '/') && !is_directory(paths[0]))) {
		count = 0;
		find_bases(composition, &bases);
		for (size_t i = 0; i < bases.count; i++)
			if (join(paths[count], PATH_MAX, bases.paths[i], *name ? name : LATEST) ==
			    0)
				count++;
	}
	for (size_t i = 0; i < count; i++) {
		if (visible_paths_follow(&composition->visible, paths[i], keep_last, real) < 0) {
			if (fail_to_follow(paths[i], errno, why, why_size) < 0)
				return -1;
			continue;
		}
		if (add_trace(composition, real, how, policy, why, why_size) < 0)
			return -1;
	}
	return 0;
}

/* ---- Directories of traces --------------------------------------------------------------------
 */

/* Adds each entry that is a trace, and the link to the newest. */
static int add_entries(
    struct composition *composition, const char *base, char *why, size_t why_size)
{
	DIR *entries = opendir(base);
	struct dirent *entry;
	size_t looked = 0;
	int result = visible_paths_add(&composition->visible, VISIBLE_EMPTY, base);

	if (result == 0)
		result = visible_paths_add(&composition->visible, VISIBLE_LISTED, base);

	while (entries && result == 0 && looked++ < ENTRIES_MAX && (entry = readdir(entries))) {
		char path[PATH_MAX], real[PATH_MAX];
		if (join(path, sizeof(path), base, entry->d_name) < 0 || entry->d_name[0] == '.')
			continue;
		if (entry->d_type == DT_LNK && strcmp(entry->d_name, LATEST) == 0)
			(void)visible_paths_follow(&composition->visible, path, false, real);
		if (visible_paths_follow(&composition->visible, path, true, real) < 0)
			continue;
		cleanup_fd int fd = entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN
					? openat(dirfd(entries), entry->d_name,
					      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
					: -1;
		if (fd >= 0 && is_trace(fd))
			result = visible_paths_add(&composition->visible, VISIBLE_READ, real);
	}
	if (entries)
		closedir(entries);
	if (result < 0 && errno == E2BIG)
		return fail(E2BIG, base,
		    "it contains more than 1000 traces; remove some, or name a directory with "
		    "fewer",
		    why, why_size);
	return result;
}

/* Judges directories that a setting names for traces. */
static void begin_starter(struct grantee *starter, char home[PATH_MAX])
{
	struct visible_paths ignored = {0};
	const char *name = absolute_variable("HOME");
	bool is_root = geteuid() == 0;

	if (!name || visible_paths_follow(&ignored, name, false, home) < 0 ||
	    !grant_is_home(home, is_root))
		*home = '\0';
	*starter = (struct grantee){.home = home, .is_root = is_root};
}

/* A default directory contains traces and nothing else, unless somebody has named a home or the
 * like. */
static int add_base_to_list(
    struct composition *composition, const char *base, char *why, size_t why_size)
{
	char real[PATH_MAX], home[PATH_MAX], rule[PATH_MAX];
	struct grantee starter;
	const char *remedy;

	if (visible_paths_follow(&composition->visible, base, false, real) < 0 ||
	    !is_directory(real) || !trace_paths_may_be_here(composition, real))
		return 0;
	begin_starter(&starter, home);
	if (grant_directory(&starter, real, rule, &remedy) == GRANT_WRITE)
		return visible_paths_add(&composition->visible, VISIBLE_READ, real);
	return add_entries(composition, real, why, why_size);
}

int trace_paths_add_base(struct composition *composition, char *why, size_t why_size)
{
	const char *name = composition->names[LAUNCH_BASE];
	char path[PATH_MAX], real[PATH_MAX];
	struct trace_bases bases;

	if (!*name) {
		find_bases(composition, &bases);
		for (size_t i = 0; i < bases.count; i++)
			if (add_base_to_list(composition, bases.paths[i], why, why_size) < 0)
				return -1;
		return 0;
	}
	if (trace_paths_absolute(composition, name, path, sizeof(path)) < 0)
		return 0;
	if (visible_paths_follow(&composition->visible, path, false, real) < 0)
		return fail_to_follow(path, errno, why, why_size);
	return trace_paths_may_be_here(composition, real)
		   ? add_entries(composition, real, why, why_size)
		   : 0;
}

/* Makes it private, with its missing parents, as rr does. */
static void make_directories(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(path, 0700);
		*slash = '/';
	}
	(void)mkdir(path, 0700);
}

/* Whether new traces may be in a default directory, which need not exist yet. */
static bool takes_traces(const struct composition *composition, const char *base)
{
	struct grantee starter;
	struct visible_paths ignored = {0};
	char path[PATH_MAX], real[PATH_MAX], rule[PATH_MAX], home[PATH_MAX];
	const char *remedy;

	begin_starter(&starter, home);
	strlcpy(path, base, sizeof(path));
	while (visible_paths_follow(&ignored, path, false, real) < 0) {
		if (errno != ENOENT || strcmp(path, "/") == 0)
			return false;
		*(strrchr(path, '/') == path ? path + 1 : strrchr(path, '/')) = '\0';
	}
	if (strlcat(real, base + strlen(path), sizeof(real)) >= sizeof(real))
		return false;
	return trace_paths_may_be_here(composition, real) &&
	       grant_directory(&starter, real, rule, &remedy) == GRANT_WRITE;
}

bool trace_paths_is_base(const struct composition *composition, const char *real)
{
	struct visible_paths ignored = {0};
	struct trace_bases bases;
	char at[PATH_MAX];

	find_bases(composition, &bases);
	for (size_t i = 0; i < bases.count; i++)
		if (visible_paths_follow(&ignored, bases.paths[i], false, at) == 0 &&
		    strcmp(at, real) == 0)
			return takes_traces(composition, bases.paths[i]);
	return false;
}

void trace_paths_add_new(struct composition *composition)
{
	struct trace_bases bases;

	find_bases(composition, &bases);
	for (size_t i = 0; i < bases.count; i++) {
		if (!takes_traces(composition, bases.paths[i]))
			continue;
		if (i == 0)
			make_directories(bases.paths[i]);
		visible_paths_offer(&composition->visible, VISIBLE_WRITE, bases.paths[i]);
	}
}
