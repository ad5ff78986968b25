/*
 * See source_place.h. Opens nothing.
 */
#include "supervisor/monitor/source_place.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/roles.h"
#include "supervisor/monitor/visible_paths.h"

static const char *const temporary[] = {"/tmp", "/var/tmp", "/dev/shm", "/run", NULL};

/* ---- Homes ------------------------------------------------------------------------------------
 */

static void add_home(struct source_homes *homes, const char *path)
{
	if (path && path[0] == '/' && homes->count < SOURCE_HOMES_MAX &&
	    realpath(path, homes->paths[homes->count]) &&
	    strcmp(homes->paths[homes->count], "/") != 0)
		homes->count++;
}

void source_homes_find(struct source_homes *homes)
{
	const struct passwd *entry = getpwuid(geteuid());

	homes->count = 0;
	add_home(homes, getenv("HOME"));
	add_home(homes, entry ? entry->pw_dir : NULL);
	add_home(homes, "/root");
}

/* The length of the home directory that the path is in or is; 0 if it is in none. */
static size_t home_of(const struct source_homes *homes, const char *real)
{
	for (int i = 0; i < homes->count; i++)
		if (visible_path_is_within(real, homes->paths[i]))
			return strlen(homes->paths[i]);
	if (strncmp(real, "/home/", 6) == 0)
		return 6 + strcspn(real + 6, "/");
	return 0;
}

bool source_is_in_home(const struct source_homes *homes, const char *real)
{
	return home_of(homes, real) > 0 || visible_path_is_within(real, "/home");
}

/* ---- Files ------------------------------------------------------------------------------------
 */

bool source_place_has_dotted(const char *below)
{
	return below[0] == '.' || strstr(below, "/.") != NULL;
}

static bool has_ending(const char *path)
{
	static const char *const endings[] = {"c", "h", "cc", "cpp", "cxx", "c++", "hh", "hpp",
	    "hxx", "h++", "inc", "inl", "ipp", "tcc", "tpp", "def", "m", "mm", "S", "s", "asm",
	    "rs", "go", "d", "f", "f90", "f95", "for", "adb", "ads", "pas", "zig", "swift", "cu",
	    "y", "l", "re", "ml"};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(endings) / sizeof(*endings); i++)
		if (strcmp(dot + 1, endings[i]) == 0)
			return true;
	return false;
}

/* Where build tools keep sources that they have fetched or made, below a home. */
static size_t build_tools_place(const char *below)
{
	static const char *const places[] = {"/.cargo/registry/", "/.cargo/git/",
	    "/.rustup/toolchains/", "/.cache/bazel/", "/.cache/ccache/", "/.cache/CPM/",
	    "/.cache/go-build/", "/.cache/meson/", "/.cache/zig/", "/.conan/data/", "/.conan2/"};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (strncmp(below, places[i], strlen(places[i])) == 0)
			return strlen(places[i]) - 1;
	return 0;
}

bool source_place_is_hidden(const char *real)
{
	for (const char *const *path = hidden_paths; *path; path++)
		if (visible_path_is_within(real, *path))
			return true;
	return visible_path_is_within(real, "/proc") || visible_path_is_within(real, "/sys") ||
	       visible_path_is_within(real, "/dev");
}

bool source_place_uncovers(const char *tree, const char *real)
{
	for (const char *const *path = hidden_paths; *path; path++)
		if (visible_path_is_within(*path, tree) && visible_path_is_within(real, *path))
			return true;
	return false;
}

bool source_place_is_open(const struct source_homes *homes, const char *real)
{
	for (int i = 0; i < homes->count; i++)
		if (visible_path_is_within(real, homes->paths[i]))
			return true;
	return !source_place_is_hidden(real) ||
	       (geteuid() != 0 && visible_path_is_within(real, "/home"));
}

bool source_place_is_fit(const struct source_homes *homes, const char *real)
{
	size_t home = home_of(homes, real);
	const char *below = real + home;
	size_t tools = home ? build_tools_place(below) : 0;

	if (!source_place_is_open(homes, real))
		return false;
	if (home == 0 || !source_place_has_dotted(below))
		return true;
	return tools > 0 && has_ending(real) && !source_place_has_dotted(below + tools);
}

/* ---- The server's directory -------------------------------------------------------------------
 */

static bool is_tree(const struct source_homes *homes, const char *tree)
{
	size_t home = home_of(homes, tree);

	for (const char *const *path = temporary; *path; path++)
		if (visible_path_is_within(*path, tree))
			return false;
	for (const char *const *path = hidden_paths; *path; path++)
		if (visible_path_is_within(*path, tree))
			return false;
	for (int i = 0; i < homes->count; i++)
		if (visible_path_is_within(homes->paths[i], tree))
			return false;
	if (home && (tree[home] == '\0' || source_place_has_dotted(tree + home)))
		return false;
	return source_place_is_open(homes, tree);
}

static bool is_own(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 && status.st_uid == geteuid();
}

bool source_place_work_tree(
    const struct source_homes *homes, const char *here, char tree[PATH_MAX], bool *is_git)
{
	char at[PATH_MAX], git[PATH_MAX + 8], *slash;
	bool found = false;

	if (strlcpy(tree, here, PATH_MAX) >= PATH_MAX || !is_tree(homes, tree))
		return false;
	strlcpy(at, here, sizeof(at));
	do {
		snprintf(git, sizeof(git), "%s/.git", at);
		found = is_own(git);
		if (found)
			strlcpy(tree, at, PATH_MAX);
		slash = strrchr(at, '/');
		*slash = '\0';
	} while (!found && slash > at && is_own(at) && is_tree(homes, at));
	if (is_git)
		*is_git = found;
	return true;
}
