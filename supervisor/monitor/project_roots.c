/*
 * See project_roots.h. What a build tool wrote is the user's own, and only names a directory: it is
 * judged like every other.
 */
#include "supervisor/monitor/project_roots.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "supervisor/monitor/visible_paths.h"

#define BUILD_FILE_MAX	(1 << 20) /* bytes of what a build tool wrote */
#define BUILD_DEPTH_MAX 6	  /* directories between a program and that */

/* A directory for things that belong together: there a name alone is enough. */
static void add_project(
    const struct source_homes *homes, struct project_roots *places, const char *directory)
{
	char *tree;

	if (places->project_count == PROJECTS_MAX)
		return;
	tree = places->projects[places->project_count];
	if (!source_place_work_tree(homes, directory, tree, NULL))
		return;
	source_roots_add(&places->roots, tree);
	places->project_count++;
}

static void add_project_above(
    const struct source_homes *homes, struct project_roots *places, const char *directory)
{
	char parent[PATH_MAX];

	strlcpy(parent, directory, sizeof(parent));
	*strrchr(parent, '/') = '\0';
	if (*parent)
		add_project(homes, places, parent);
}

/* The value behind a key at the beginning of a line. False if there is none. */
static bool value_of(const char *text, const char *key, char value[PATH_MAX])
{
	const char *at = strstr(text, key);
	size_t length;

	if (!at)
		return false;
	at += strlen(key);
	length = strcspn(at, "\n");
	if (length >= PATH_MAX)
		return false;
	memcpy(value, at, length);
	value[length] = '\0';
	return true;
}

/* The user's own text file. Freed by the caller; NULL if it is none. */
static char *read_build_file(const char *directory, const char *name)
{
	char path[PATH_MAX + NAME_MAX];
	struct stat status;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	cleanup_fd int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
	    status.st_uid != geteuid() || status.st_size > BUILD_FILE_MAX)
		return NULL;
	char *text = calloc(1, (size_t)status.st_size + 2);
	if (!text || read(fd, text + 1, (size_t)status.st_size) < 0) {
		free(text);
		return NULL;
	}
	text[0] = '\n'; /* every key follows one */
	return text;
}

/* A build directory beside its project says where that is, and a build may be told to write that no
 * name does. Nothing is shown that could not be named by the debug information itself. */
static void add_source_of_build(
    const struct source_homes *homes, struct project_roots *places, const char *directory)
{
	static const struct {
		const char *file, *key;
	} tools[] = {{"CMakeCache.txt", "\nCMAKE_HOME_DIRECTORY:INTERNAL="},
	    {"Makefile", "\nabs_top_srcdir = "}};
	char value[PATH_MAX], real[PATH_MAX], tree[PATH_MAX];

	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		cleanup_free char *text = read_build_file(directory, tools[i].file);
		if (!text || places->project_count == PROJECTS_MAX ||
		    !value_of(text, tools[i].key, value) || value[0] != '/' ||
		    visible_paths_follow(NULL, value, false, real) < 0 ||
		    !source_place_work_tree(homes, real, tree, NULL))
			continue;
		strlcpy(places->projects[places->project_count], real, PATH_MAX);
		source_roots_add(&places->roots, places->projects[places->project_count++]);
	}
}

/* The same for a directory and those above it that may belong to the project. */
static void add_sources_of_builds(
    const struct source_homes *homes, struct project_roots *places, const char *directory)
{
	char at[PATH_MAX], tree[PATH_MAX];

	strlcpy(at, directory, sizeof(at));
	for (int i = 0;
	     i < BUILD_DEPTH_MAX && at[0] && source_place_work_tree(homes, at, tree, NULL); i++) {
		add_source_of_build(homes, places, at);
		*strrchr(at, '/') = '\0';
	}
}

/* Of the directories above a program, only those that may be its project: no home, and nothing that
 * contains one. */
static void keep_projects(const struct source_homes *homes, struct source_roots *roots)
{
	char directory[PATH_MAX], tree[PATH_MAX];
	size_t kept = 0;

	for (size_t i = 0; i < roots->count; i++) {
		snprintf(directory, sizeof(directory), "%.*s", roots->list[i].length,
		    roots->list[i].directory);
		if (source_place_work_tree(homes, directory, tree, NULL))
			roots->list[kept++] = roots->list[i];
	}
	roots->count = kept;
}

void project_roots_of_program(
    const struct source_homes *homes, const char *directory, struct project_roots *places)
{
	places->roots.count = places->project_count = 0;
	source_roots_add(&places->roots, directory);
	add_project_above(homes, places, directory);
	add_sources_of_builds(homes, places, directory);
	source_roots_of_directory(&places->roots, directory);
	keep_projects(homes, &places->roots);
}

void project_roots_of_all(const struct source_homes *homes, char (*directories)[PATH_MAX],
    size_t count, const char *const *beside, struct project_roots *places)
{
	places->roots.count = places->project_count = 0;
	for (size_t i = 0; i < count; i++)
		source_roots_add(&places->roots, directories[i]);
	for (size_t i = 0; i < count; i++)
		add_project_above(homes, places, directories[i]);
	for (; beside && *beside; beside++)
		if (**beside)
			add_project(homes, places, *beside);
	for (size_t i = 0; i < count; i++)
		source_roots_of_directory(&places->roots, directories[i]);
}
