/*
 * See source_tree.h. Works only on text; the caller looks at the files.
 */
#include "supervisor/monitor/source_tree.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/monitor/sight.h"

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

/* The length of the part of the path that is a place for unrelated things, such as a home
 * directory; 0 if it is in no such place. */
static size_t common_place(const struct source_homes *homes, const char *path)
{
	static const char *const temporary[] = {"/tmp", "/var/tmp"};

	for (int i = 0; i < homes->count; i++)
		if (sight_is_within(path, homes->paths[i]))
			return strlen(homes->paths[i]);
	for (size_t i = 0; i < sizeof(temporary) / sizeof(*temporary); i++)
		if (sight_is_within(path, temporary[i]))
			return strlen(temporary[i]);
	if (strncmp(path, "/home/", 6) == 0)
		return 6 + strcspn(path + 6, "/");
	return 0;
}

bool source_is_in_home(const struct source_homes *homes, const char *real)
{
	for (int i = 0; i < homes->count; i++)
		if (sight_is_within(real, homes->paths[i]))
			return true;
	return sight_is_within(real, "/home");
}

bool source_tree_of(
    const struct source_homes *homes, const char *program, char tree[PATH_MAX], bool *flat)
{
	size_t place;
	char *end;

	if (strlcpy(tree, program, PATH_MAX) >= PATH_MAX)
		return false;
	end = strrchr(tree, '/');
	if (!end || end == tree)
		return false;
	*end = '\0';
	place = common_place(homes, tree);
	*flat = place > 0 && tree[place] == '\0';
	if (*flat)
		return true;
	/* the end of the first directory below the place, or of the first two of all */
	end = strchr(tree + place + 1, '/');
	if (end && place == 0)
		end = strchr(end + 1, '/');
	if (end)
		*end = '\0';
	return true;
}
