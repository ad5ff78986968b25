/*
 * See grant.h. Works only on text, so that it can be tried with every path. Must never depend on
 * what lies on the disk: a path that is hidden is hidden even where it does not exist yet.
 */
#include "supervisor/monitor/grant.h"

#include <stdio.h>
#include <string.h>

#include "sandbox/roles.h"
#include "supervisor/monitor/visible_paths.h"

#define SAY_NAME_BELOW "name another directory, or one in it: no option uncovers more"
#define SAY_OTHER      "name another directory: no option uncovers this one"
#define SAY_OWN_HOME                                                                               \
	"name a directory in it that has no part with a leading dot, or start the server as the "  \
	"user whose home it is"

/* Directories whose entries are homes, and single homes. */
static const char *const home_places[] = {"/home", NULL}, *const single_homes[] = {"/root", NULL};

/* What root must not change because somebody names it: other programs run it, or obey it. */
static const char *const of_system[] = {"/bin", "/boot", "/dev", "/efi", "/etc", "/lib", "/lib32",
    "/lib64", "/libx32", "/proc", "/run", "/sbin", "/sys", "/usr", "/var/backups", "/var/cache",
    "/var/lib", "/var/log", "/var/spool", NULL};

/* Places in these for something of one's own: who starts the server may work there, a call not. */
static const char *const own_places[] = {
    "/usr/src", "/usr/local/src", "/var/lib", "/var/cache", NULL};

static bool is_below(const char *path, const char *root)
{
	return strcmp(path, root) != 0 && visible_path_is_within(path, root);
}

static const char *place_of(const char *const *places, const char *path, bool itself)
{
	for (; *places; places++)
		if (is_below(path, *places) || (itself && strcmp(path, *places) == 0))
			return *places;
	return NULL;
}

/* The length of the home that the path is or lies in; 0: none. */
static size_t home_length(const struct grantee *grantee, const char *path)
{
	const char *place;

	if (*grantee->home && visible_path_is_within(path, grantee->home))
		return strlen(grantee->home);
	place = place_of(home_places, path, false);
	if (place)
		return strlen(place) + 1 + strcspn(path + strlen(place) + 1, "/");
	place = place_of(single_homes, path, true);
	return place ? strlen(place) : 0;
}

static enum grant refuse(char rule[PATH_MAX], const char *clause, const char *about,
    const char **remedy, const char *what_to_do)
{
	snprintf(rule, PATH_MAX, clause, about);
	*remedy = what_to_do;
	return GRANT_REFUSED;
}

/* In a home: what lies openly in it can be named, the whole of it only by its user. */
static enum grant judge_in_home(const struct grantee *grantee, const char *real, size_t length,
    char rule[PATH_MAX], const char **remedy)
{
	bool own = *grantee->home && visible_path_is_within(real, grantee->home);

	if (own && grantee->whole_home)
		return GRANT_WRITE;
	/* who started the server in it chose it */
	if (!grantee->by_call && !(own && real[length] == '\0'))
		return GRANT_WRITE;
	if (real[length] == '\0')
		return refuse(rule,
		    own ? "a whole home directory is hidden from what is recorded while trace-root "
			  "limits the server%s"
			: "the home directory of another user is hidden from what is recorded%s",
		    "", remedy, SAY_OWN_HOME);
	if (grantee->for_trace && grantee->is_root && !own)
		return refuse(rule, "root's traces do not belong into the home of another user%s",
		    "", remedy, "leave trace_dir out, or name a directory elsewhere");
	if (strstr(real + length, "/."))
		return refuse(rule,
		    "what a home has under a name with a leading dot is hidden from what is "
		    "recorded%s",
		    "", remedy, SAY_OWN_HOME);
	return GRANT_WRITE;
}

/* The hidden path that a path is, contains or lies in. */
static const char *hidden_at(const char *real, bool *inside)
{
	for (const char *const *path = hidden_paths; *path; path++) {
		*inside = visible_path_is_within(real, *path);
		if (*inside || visible_path_is_within(*path, real))
			return *path;
	}
	return NULL;
}

static bool changes_system(const struct grantee *grantee, const char *real)
{
	return grantee->is_root && place_of(of_system, real, true) &&
	       (grantee->by_call || !place_of(own_places, real, false));
}

enum grant grant_directory(
    const struct grantee *grantee, const char *real, char rule[PATH_MAX], const char **remedy)
{
	size_t length = home_length(grantee, real);
	const char *hidden;
	bool inside;

	if (length > 0)
		return judge_in_home(grantee, real, length, rule, remedy);
	hidden = hidden_at(real, &inside);
	if (hidden && strcmp(real, hidden) == 0)
		return refuse(rule, "it is hidden, and no recording may uncover it%s", "", remedy,
		    SAY_NAME_BELOW);
	if (hidden && inside)
		return refuse(rule, "it lies in %s, which no recording may uncover", hidden, remedy,
		    SAY_OTHER);
	if (hidden)
		return refuse(rule, "it contains %s, which no recording may uncover", hidden,
		    remedy, SAY_NAME_BELOW);
	return changes_system(grantee, real) ? GRANT_NOTHING : GRANT_WRITE;
}

bool grant_is_home(const char *real, bool is_root)
{
	const struct grantee starter = {.home = "", .is_root = is_root};

	if (strcmp(real, "/") == 0 || changes_system(&starter, real))
		return false;
	for (const char *const *path = hidden_paths; *path; path++)
		if (is_below(*path, real))
			return false;
	return !place_of(home_places, real, true) || place_of(home_places, real, false);
}

bool grant_program(
    const struct grantee *grantee, const char *real, char rule[PATH_MAX], const char **remedy)
{
	bool inside;
	const char *hidden;

	if (home_length(grantee, real) > 0)
		return true;
	hidden = hidden_at(real, &inside);
	if (!hidden)
		return true;
	refuse(rule, "it lies in %s, which no recording may uncover", hidden, remedy,
	    "copy the program elsewhere: no option uncovers this place");
	return false;
}
