/*
 * See ledger_survey.h. The trace and the ELF files are untrusted, so only inspectors read them, and
 * each name that they answer is judged here.
 */
#include "supervisor/monitor/ledger_survey.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "supervisor/monitor/debug_names.h"
#include "supervisor/monitor/inspector.h"
#include "supervisor/monitor/ledger.h"
#include "supervisor/monitor/project_roots.h"
#include "supervisor/monitor/recorded_files.h"
#include "supervisor/monitor/visible_paths.h"
#include "supervisor/monitor/source_place.h"
#include "supervisor/monitor/source_search.h"

#define SURVEY_MS    8000	      /* for all files; fewer are noted if that does not suffice */
#define PROGRAMS_MAX 500	      /* files that are read */
#define PLACES_MAX   32		      /* directories of programs in which sources are looked for */
#define SEARCHES_MAX 3000	      /* sources that are not where they should be */
#define SYSTEM_DEBUG "/usr/lib/debug" /* gdb's debug-file-directory */
#define SPLIT_MAX    400	      /* .dwo files: a session's view has room for no more */

struct survey {
	const struct ledger_scene *scene;
	struct ledger *ledger;
	struct source_homes homes;
	struct timespec end;
	struct {
		dev_t device;
		ino_t inode;
		off_t size;
		char name[NAME_MAX + 1];
	} seen[PROGRAMS_MAX];
	size_t seen_count, split_count, search_count;
	char places[PLACES_MAX][PATH_MAX]; /* of programs */
	size_t place_count;
	struct project_roots own, all; /* of the program own_place, and of all */
	size_t own_place;
	bool has_own, has_all;
	unsigned char *names; /* of one file */
	/* Sources of all files that were not found where they should be: for each, the number of
	 * its program's place as a byte (PLACES_MAX: not known), and the name. */
	char *missing;
	size_t missing_length;
	size_t place; /* of the program that is read */
};

static int left_ms(const struct survey *survey)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int)((survey->end.tv_sec - now.tv_sec) * 1000 +
		     (survey->end.tv_nsec - now.tv_nsec) / 1000000);
}

/* ---- Judging ----------------------------------------------------------------------------------
 */

static bool is_shown(const struct survey *survey, const char *real)
{
	const char *const *shown = survey->scene->shown;

	if (!shown || !source_place_is_hidden(real))
		return true;
	for (; *shown; shown++)
		if (visible_path_is_within(real, *shown))
			return true;
	return false;
}

/* Whether the user could have read this regular file, which belongs to nobody else. */
static bool is_readable(const char *real, struct stat *status)
{
	return lstat(real, status) == 0 && S_ISREG(status->st_mode) &&
	       (status->st_uid == geteuid() || status->st_uid == 0) &&
	       faccessat(AT_FDCWD, real, R_OK, AT_EACCESS) == 0;
}

static bool is_source(const struct survey *survey, const char *real, struct stat *status)
{
	return source_place_is_fit(&survey->homes, real) && is_shown(survey, real) &&
	       is_readable(real, status);
}

/* The ELF file, opened for reading; -1 if it is none, or one that cannot be read. */
static int open_elf(int at, const char *path, struct stat *status)
{
	cleanup_fd int fd =
	    openat(at, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char magic[SELFMAG];

	if (fd < 0 || fstat(fd, status) < 0 || !S_ISREG(status->st_mode) ||
	    (status->st_uid != geteuid() && status->st_uid != 0) ||
	    pread(fd, magic, sizeof(magic), 0) != (ssize_t)sizeof(magic) ||
	    memcmp(magic, ELFMAG, SELFMAG) != 0)
		return -1;
	return steal_fd(&fd);
}

/* ---- What a file names ------------------------------------------------------------------------
 */

static void note_missing(struct survey *survey, const char *name)
{
	size_t length = strlen(name) + 1;

	if (survey->search_count == SEARCHES_MAX ||
	    length + 1 > DEBUG_NAMES_BYTES_MAX - survey->missing_length)
		return;
	survey->missing[survey->missing_length++] = (char)survey->place;
	memcpy(survey->missing + survey->missing_length, name, length);
	survey->missing_length += length;
	survey->search_count++;
}

static void note_source(struct survey *survey, const char *name)
{
	char real[PATH_MAX];
	struct stat status;

	if (name[0] != '/' || visible_paths_follow(NULL, name, false, real) < 0)
		note_missing(survey, name);
	else if (!visible_path_is_of_system(real) && is_source(survey, real, &status))
		ledger_add(survey->ledger, LEDGER_SOURCE, &status, real, "");
}

static void read_file(struct survey *survey, int file, const char *directory);

/* A file of debug information: gdb opens it itself, by the name that it knows. The system's are in
 * every session's view. With a directory, its own names count too. */
static void note_debug(struct survey *survey, const char *name, const char *directory)
{
	char real[PATH_MAX];
	struct stat status;
	cleanup_fd int fd = -1;
	bool found = name[0] == '/' && visible_paths_follow(NULL, name, false, real) == 0;
	bool of_system = found && visible_path_is_of_system(real);

	if (!found || (!of_system &&
			  (!source_place_is_open(&survey->homes, real) || !is_shown(survey, real))))
		return;
	fd = open_elf(AT_FDCWD, real, &status);
	if (fd < 0)
		return;
	if (!of_system)
		ledger_add(survey->ledger, LEDGER_DEBUG, &status, real, name);
	if (directory)
		read_file(survey, fd, NULL);
}

/* Where gdb looks for the file that a debuglink names: beside the program, and for the system. */
static void note_linked(struct survey *survey, const char *directory, const char *link)
{
	static const char *const places[][2] = {{"", ""}, {"", "/.debug"}, {SYSTEM_DEBUG, ""}};
	char path[PATH_MAX];

	for (size_t i = 0; directory && i < sizeof(places) / sizeof(*places); i++)
		if ((size_t)snprintf(path, sizeof(path), "%s%s%s/%s", places[i][0], directory,
			places[i][1], link) < sizeof(path))
			note_debug(survey, path, directory);
}

/* A file that is called like the program's build id. */
static void note_build_id(struct survey *survey, const char *directory, const char *id)
{
	char path[PATH_MAX];

	if (directory && (size_t)snprintf(path, sizeof(path),
			     SYSTEM_DEBUG "/.build-id/%.2s/%s.debug", id, id + 2) < sizeof(path))
		note_debug(survey, path, directory);
}

static void note_name(struct survey *survey, const char *record, const char *directory)
{
	switch ((enum debug_name)record[0]) {
	case DEBUG_NAME_SOURCE:
		note_source(survey, record + 1);
		break;
	case DEBUG_NAME_SPLIT:
		if (survey->split_count++ < SPLIT_MAX)
			note_debug(survey, record + 1, NULL);
		break;
	case DEBUG_NAME_LINK:
		note_linked(survey, directory, record + 1);
		break;
	case DEBUG_NAME_BUILD_ID:
		note_build_id(survey, directory, record + 1);
		break;
	}
}

/* Whether the file was read already, or notes that it is read now. */
static bool is_seen(struct survey *survey, const struct stat *status, const char *name)
{
	for (size_t i = 0; i < survey->seen_count; i++)
		if (survey->seen[i].device == status->st_dev &&
		    survey->seen[i].inode == status->st_ino)
			return true;
	if (survey->seen_count == PROGRAMS_MAX)
		return true;
	survey->seen[survey->seen_count].device = status->st_dev;
	survey->seen[survey->seen_count].inode = status->st_ino;
	survey->seen[survey->seen_count].size = status->st_size;
	strlcpy(survey->seen[survey->seen_count].name, name, NAME_MAX + 1);
	survey->seen_count++;
	return false;
}

/* rr's name for a copy ends like the program's. */
static bool is_copy_of_seen(
    const struct survey *survey, const struct stat *status, const char *copy)
{
	size_t length = strlen(copy);

	for (size_t i = 0; i < survey->seen_count; i++) {
		size_t known = strlen(survey->seen[i].name);
		if (survey->seen[i].size == status->st_size && known < length &&
		    strcmp(copy + length - known, survey->seen[i].name) == 0)
			return true;
	}
	return false;
}

/* Reads the names of an ELF file. `directory` is its place; NULL: nothing beside it counts. */
static void read_file(struct survey *survey, int file, const char *directory)
{
	unsigned char *names = directory ? survey->names : malloc(DEBUG_NAMES_BYTES_MAX);
	size_t length = 0;
	int left = left_ms(survey);

	if (names && left > 0)
		length = inspector_run(file, debug_names_read, survey->scene->policy, left, names,
		    DEBUG_NAMES_BYTES_MAX);
	while (length > 0 && names[length - 1] != '\0')
		length--;
	for (size_t at = 0; at < length; at += strlen((char *)names + at) + 1)
		note_name(survey, (char *)names + at, directory);
	if (!directory)
		free(names);
}

/* ---- The recorded files -----------------------------------------------------------------------
 */

/* Returns its number; PLACES_MAX: there are too many. */
static size_t note_place(struct survey *survey, const char *directory)
{
	for (size_t i = 0; i < survey->place_count; i++)
		if (strcmp(survey->places[i], directory) == 0)
			return i;
	if (survey->place_count < PLACES_MAX)
		strlcpy(survey->places[survey->place_count++], directory, PATH_MAX);
	else
		return PLACES_MAX;
	return survey->place_count - 1;
}

/* A program or library at its own place, with what is beside it. */
static void survey_program(struct survey *survey, const char *name)
{
	char real[PATH_MAX], path[PATH_MAX];
	struct stat status;
	cleanup_fd int fd = -1;
	bool found = visible_paths_follow(NULL, name, false, real) == 0;

	if (!found || visible_path_is_of_system(real))
		return;
	fd = open_elf(AT_FDCWD, real, &status);
	if (fd < 0 || is_seen(survey, &status, strrchr(real, '/') + 1))
		return;
	ledger_add(survey->ledger, LEDGER_PROGRAM, &status, real, "");
	if ((size_t)snprintf(path, sizeof(path), "%s.dwp", real) < sizeof(path))
		note_debug(survey, path, NULL);
	*strrchr(real, '/') = '\0';
	survey->place = real[0] ? note_place(survey, real) : PLACES_MAX;
	read_file(survey, fd, real);
}

/* Whether somebody else's file was copied: by its name, rr's for the copy ends like it. One that is
 * gone counts as the user's own, whose build may have removed it. */
static bool is_of_others(const char *original, const char *copy)
{
	const char *name = strrchr(original, '/');
	size_t length = name ? strlen(name + 1) : 0, whole = strlen(copy);
	char real[PATH_MAX];
	struct stat status;

	if (length == 0 || length > whole || strcmp(copy + whole - length, name + 1) != 0)
		return true;
	return visible_paths_follow(NULL, original, false, real) == 0 &&
	       lstat(real, &status) == 0 && status.st_uid != geteuid() && status.st_uid != 0;
}

/* rr keeps a link to or a copy of most files, which is what ran, even if it was built again since.
 * A copy belongs to the user, whoever made the file. */
static void survey_copy(struct survey *survey, int trace, const char *original, const char *name)
{
	struct stat status;
	cleanup_fd int fd = strchr(name, '/') ? -1 : open_elf(trace, name, &status);

	survey->place = PLACES_MAX;
	if (fd >= 0 && !is_of_others(original, name) && !is_copy_of_seen(survey, &status, name) &&
	    !is_seen(survey, &status, name))
		read_file(survey, fd, NULL);
}

static void survey_files(struct survey *survey, int trace)
{
	cleanup_free char *names = malloc(RECORDED_FILES_BYTES_MAX);
	size_t length = names ? recorded_files_list(
				    trace, survey->scene->policy, names, RECORDED_FILES_BYTES_MAX)
			      : 0;
	const char *last = "", *original = "";

	for (int copies = 0; copies <= 1; copies++)
		for (size_t at = 0; at < length; at += strlen(names + at) + 1) {
			const char *name = names + at;
			if (name[0] == '/')
				original = name;
			if (strcmp(name, last) == 0 || (name[0] == '/') == copies)
				continue;
			if (copies)
				survey_copy(survey, trace, original, name);
			else
				survey_program(survey, name);
			last = name;
		}
}

/* ---- Sources that are elsewhere ---------------------------------------------------------------
 */

struct attempt {
	const struct survey *survey;
	struct stat status;
	char real[PATH_MAX];
};

/* A source_open. Nothing stays open, so any number will do for a descriptor. */
static int try_place(void *owner, const char *path)
{
	struct attempt *attempt = owner;
	bool found = visible_paths_follow(NULL, path, false, attempt->real) == 0;

	if (found && is_source(attempt->survey, attempt->real, &attempt->status))
		return 0;
	errno = ENOENT;
	return -1;
}

static const struct source_roots *own_roots(struct survey *survey, size_t place)
{
	if (!survey->has_own || survey->own_place != place)
		project_roots_of_program(&survey->homes, survey->places[place], &survey->own);
	survey->own_place = place;
	survey->has_own = true;
	return &survey->own.roots;
}

static const struct source_roots *all_roots(struct survey *survey)
{
	if (!survey->has_all)
		project_roots_of_all(&survey->homes, survey->places, survey->place_count,
		    survey->scene->beside, &survey->all);
	survey->has_all = true;
	return &survey->all.roots;
}

/* Two projects may both be told to write "src/list.c" for a file of their own, so each is looked
 * for in its own first. */
static bool find_missing(
    struct survey *survey, size_t place, const char *name, struct attempt *attempt)
{
	char found[PATH_MAX];

	return (place < survey->place_count &&
		   source_search(own_roots(survey, place), name, try_place, attempt, found) == 0) ||
	       source_search(all_roots(survey), name, try_place, attempt, found) == 0;
}

static void add_named(struct survey *survey, const struct attempt *attempt, const char *name)
{
	char plain[PATH_MAX];

	if (source_name_plain(name, plain))
		ledger_add(survey->ledger, LEDGER_SOURCE, &attempt->status, attempt->real, plain);
}

/* The build was told to write other names, or the program moved together with its sources. */
static void survey_missing(struct survey *survey)
{
	struct attempt attempt = {.survey = survey};

	for (size_t at = 0; at < survey->missing_length && left_ms(survey) > 0;
	     at += 1 + strlen(survey->missing + at + 1) + 1) {
		size_t place = (unsigned char)survey->missing[at];
		char *name = survey->missing + at + 1, *below = strchr(name, DEBUG_NAME_BELOW);

		if (below)
			*below = '/';
		if (!find_missing(survey, place, name, &attempt))
			continue;
		add_named(survey, &attempt, name);
		if (below && below[1] != '/')
			add_named(survey, &attempt, below + 1);
	}
}

/* ---- The whole --------------------------------------------------------------------------------
 */

static bool is_new_trace(int trace, long long since)
{
	struct statx status;
	struct stat mark;

	if (trace < 0 ||
	    statx(trace, "", AT_EMPTY_PATH, STATX_UID | STATX_BTIME | STATX_CTIME, &status) < 0 ||
	    status.stx_uid != geteuid() ||
	    fstatat(trace, "events", &mark, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(mark.st_mode))
		return false;
	const struct statx_timestamp *time =
	    status.stx_mask & STATX_BTIME ? &status.stx_btime : &status.stx_ctime;
	return time->tv_sec * 1000000000LL + time->tv_nsec >= since;
}

static int survey_trace(struct survey *survey, int trace, const char *path)
{
	cleanup_fd int directory = -1;
	char place[PATH_MAX];

	survey->names = malloc(DEBUG_NAMES_BYTES_MAX);
	survey->missing = malloc(DEBUG_NAMES_BYTES_MAX);
	survey->ledger = calloc(1, sizeof(*survey->ledger));
	if (!survey->names || !survey->missing || !survey->ledger)
		return -1;
	source_homes_find(&survey->homes);
	survey_files(survey, trace);
	survey_missing(survey);
	directory = ledger_directory(place, false);
	if (directory < 0 || ledger_save(survey->ledger, directory, trace, path) < 0)
		return -1;
	ledger_sweep(directory);
	return 0;
}

int ledger_survey(const struct ledger_scene *scene, const char *path)
{
	struct survey *survey = calloc(1, sizeof(*survey));
	char real[PATH_MAX];
	int result = -1, followed = visible_paths_follow(NULL, path, false, real);
	cleanup_fd int trace =
	    followed < 0 ? -1 : open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (survey && !is_new_trace(trace, scene->since)) {
		errno = EPERM;
	} else if (survey) {
		survey->scene = scene;
		clock_gettime(CLOCK_MONOTONIC, &survey->end);
		survey->end.tv_sec += SURVEY_MS / 1000;
		result = survey_trace(survey, trace, real);
	}
	if (survey) {
		ledger_free(survey->ledger);
		free(survey->names);
		free(survey->missing);
	}
	free(survey);
	return result;
}
