/*
 * See program_paths.h. The names come from an untrusted trace. A file is shown only if it is an ELF
 * file that belongs to this user or that everybody can read, or a file of the administrator that
 * everybody can read, outside of home directories.
 */
#include "supervisor/monitor/program_paths.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "supervisor/monitor/compose.h"
#include "supervisor/monitor/core_names.h"
#include "supervisor/monitor/recorded_files.h"
#include "supervisor/monitor/source_place.h"
#include "supervisor/monitor/trace_paths.h"

/* LIMIT: entries of libraries' directories that are looked at for one worker. Links beyond that are
 * not seen, and gdb then finds these libraries by their own names only. */
#define LINKS_LOOKED_MAX 40000

/* Where trace-root limits the server, other users' homes are hidden. */
static bool settings_allow(
    struct composition *composition, const char *real, const struct stat *status)
{
	return status->st_uid == geteuid() || !source_is_in_home(&composition->homes, real) ||
	       trace_paths_may_be_here(composition, real);
}

/* 0 when it is no ELF file of a program, else ELFCLASS32 or ELFCLASS64. A core is an ELF file too,
 * but it contains the memory of another process. */
static int elf_class(int fd)
{
	unsigned char start[EI_NIDENT + 2]; /* with the type, of either byte order */

	if (pread(fd, start, sizeof(start), 0) != (ssize_t)sizeof(start) ||
	    memcmp(start, ELFMAG, SELFMAG) != 0 ||
	    start[EI_NIDENT] + start[EI_NIDENT + 1] == ET_CORE)
		return 0;
	return start[EI_CLASS] == ELFCLASS32 ? ELFCLASS32 : ELFCLASS64;
}

/* Opened without waiting for the other end of a pipe or device. */
static int open_file(int at, const char *path, struct stat *status)
{
	cleanup_fd int fd =
	    openat(at, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, status) < 0 || !S_ISREG(status->st_mode))
		return -1;
	return steal_fd(&fd);
}

static bool is_shown(struct composition *composition, const char *real)
{
	struct stat status;
	cleanup_fd int fd = open_file(AT_FDCWD, real, &status);
	bool everybodys, programs;

	if (fd < 0 || !settings_allow(composition, real, &status))
		return false;
	everybodys = status.st_mode & S_IROTH;
	programs = elf_class(fd) != 0 && (status.st_uid == geteuid() || everybodys);
	return programs || (status.st_uid == 0 && geteuid() != 0 && everybodys &&
			       !source_is_in_home(&composition->homes, real));
}

/* Whether it is one of the programs that were added from `first` on. */
static bool is_added(const struct composition *composition, size_t first, const char *path)
{
	for (size_t i = first; i < composition->visible.counts[VISIBLE_READ]; i++)
		if (strcmp(composition->visible.lists[VISIBLE_READ][i], path) == 0)
			return true;
	return false;
}

static void add_links_in(struct composition *composition, size_t first, const char *directory)
{
	char path[2 * PATH_MAX], target[PATH_MAX];
	DIR *entries = opendir(*directory ? directory : "/");
	struct dirent *entry;

	while (entries && composition->links_looked++ < LINKS_LOOKED_MAX &&
	       (entry = readdir(entries))) {
		ssize_t length;
		if (entry->d_type != DT_LNK)
			continue;
		length = readlinkat(dirfd(entries), entry->d_name, target, NAME_MAX);
		if (length <= 0)
			continue;
		target[length] = '\0';
		snprintf(path, sizeof(path), "%s/%s", directory, target);
		if (strchr(target, '/') || !is_added(composition, first, path))
			continue;
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		(void)visible_paths_follow(&composition->visible, path, false, target);
	}
	if (entries)
		closedir(entries);
}

static size_t directory_length(const char *path)
{
	return (size_t)(strrchr(path, '/') - path);
}

/* gdb looks for a library by the name that the loader used, which is often a link next to it. Each
 * directory is looked at once, however many of its files were mapped. */
static void add_links(struct composition *composition, size_t first)
{
	const char *const *programs = composition->visible.lists[VISIBLE_READ];
	size_t count = composition->visible.counts[VISIBLE_READ];
	char directory[PATH_MAX];

	for (size_t i = first; i < count; i++) {
		size_t length = directory_length(programs[i]), j = first;
		while (j < i && (directory_length(programs[j]) != length ||
				    memcmp(programs[j], programs[i], length) != 0))
			j++;
		if (j < i)
			continue;
		memcpy(directory, programs[i], length);
		directory[length] = '\0';
		add_links_in(composition, first, directory);
	}
}

/* The file, and its debug information if that is next to it. */
static void add_program(struct composition *composition, const char *real)
{
	static const char *const companions[] = {".debug", ".dwp"};
	char path[PATH_MAX];

	size_t before = composition->visible.counts[VISIBLE_READ];

	/* a trace names a library for each of its mappings */
	if (visible_paths_add(&composition->visible, VISIBLE_READ, real) < 0 ||
	    composition->visible.counts[VISIBLE_READ] == before)
		return;
	for (size_t i = 0; i < sizeof(companions) / sizeof(*companions); i++)
		if ((size_t)snprintf(path, sizeof(path), "%s%s", real, companions[i]) <
			sizeof(path) &&
		    is_shown(composition, path))
			(void)visible_paths_add(&composition->visible, VISIBLE_READ, path);
}

static void show_named(struct composition *composition, int trace, const char *name)
{
	char real[PATH_MAX];
	struct stat status;
	cleanup_fd int fd = -1;

	if (name[0] != '/') { /* a file of the trace */
		if (!strchr(name, '/'))
			fd = open_file(trace, name, &status);
		composition->compat_abi |= fd >= 0 && elf_class(fd) == ELFCLASS32;
		return;
	}
	if (visible_paths_follow(&composition->visible, name, false, real) < 0)
		return;
	fd = open_file(AT_FDCWD, real, &status);
	composition->compat_abi |= fd >= 0 && elf_class(fd) == ELFCLASS32;
	if (fd >= 0 && !visible_path_is_of_system(real) && is_shown(composition, real))
		add_program(composition, real);
}

/* `list` fills names[RECORDED_FILES_BYTES_MAX] and returns its length. */
static void show_all(struct composition *composition, int from, const struct sandbox_policy *policy,
    size_t (*list)(int from, const struct sandbox_policy *policy, char *names, size_t size))
{
	cleanup_free char *names = malloc(RECORDED_FILES_BYTES_MAX);
	size_t length = names ? list(from, policy, names, RECORDED_FILES_BYTES_MAX) : 0;
	size_t first = composition->visible.counts[VISIBLE_READ];
	const char *last = "";

	source_homes_find(&composition->homes);
	for (size_t at = 0; at < length; at += strlen(names + at) + 1) {
		if (strcmp(names + at, last) != 0)
			show_named(composition, from, names + at);
		last = names + at;
	}
	add_links(composition, first);
}

void program_paths_add(
    struct composition *composition, int trace, const struct sandbox_policy *policy)
{
	show_all(composition, trace, policy, recorded_files_list);
}

void program_paths_add_mapped(
    struct composition *composition, int core, const struct sandbox_policy *policy)
{
	show_all(composition, core, policy, core_names_list);
}

bool program_paths_add_named(struct composition *composition, const char *real)
{
	struct stat status;
	cleanup_fd int fd = open_file(AT_FDCWD, real, &status);

	if (fd < 0 || elf_class(fd) == 0 ||
	    !(visible_path_is_of_system(real) || is_shown(composition, real)))
		return false;
	if (!visible_path_is_of_system(real))
		add_program(composition, real);
	return true;
}
