/*
 * See own_tools.h. Must never replace a tool that a user or the administrator named, and never run
 * a program but these two rr.
 */
#include "supervisor/own_tools.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/pmu/pmu_probe.h"

#define NPM_PROGRAM "rr-warden-linux-x64"
#define NPM_TOOL    "rr-warden-%s-linux-x64" /* rr or gdb */

/* "5.6.0" */
static const char *version_text(unsigned version, char text[16])
{
	snprintf(text, 16, "%u.%u.%u", version / 10000, version / 100 % 100, version % 100);
	return text;
}

static bool is_there(char tool[PATH_MAX], int length)
{
	if (length > 0 && length < PATH_MAX && access(tool, X_OK) == 0)
		return true;
	tool[0] = '\0';
	return false;
}

void own_tool_find(const struct paths *paths, const char *name, char tool[PATH_MAX])
{
	char base[PATH_MAX];
	char *last;

	tool[0] = '\0';
	strlcpy(base, paths->program, sizeof(base));
	for (int up = 0; up < 2; up++) { /* removes rr-warden, then bin */
		last = strrchr(base, '/');
		if (last == NULL)
			return;
		*last = '\0';
	}
	if (is_there(
		tool, snprintf(tool, PATH_MAX, "%s/libexec/rr-warden/%s/bin/%s", base, name, name)))
		return;
	/* npm puts a dependency into the package that needs it, or beside it. What is beside any
	 * other folder belongs to somebody else. */
	last = strrchr(base, '/');
	if (last == NULL || strcmp(last + 1, NPM_PROGRAM) != 0 ||
	    is_there(tool,
		snprintf(tool, PATH_MAX, "%s/node_modules/" NPM_TOOL "/bin/%s", base, name, name)))
		return;
	*last = '\0';
	(void)is_there(tool, snprintf(tool, PATH_MAX, "%s/" NPM_TOOL "/bin/%s", base, name, name));
}

/* Compares with the rr on PATH. True if our own is the one to use. */
static bool own_is_best(const char *on_path, const char *own, char why[OWN_TOOL_WHY_MAX])
{
	unsigned theirs = pmu_rr_version(on_path, OWN_RR_SECONDS);
	unsigned ours = pmu_rr_version(own, OWN_RR_SECONDS);
	char their_text[16], our_text[16];

	version_text(theirs, their_text);
	version_text(ours, our_text);
	if (ours == 0)
		snprintf(why, OWN_TOOL_WHY_MAX,
		    "the first on PATH; the one that came with rr-warden does not run here");
	else if (theirs > ours)
		snprintf(why, OWN_TOOL_WHY_MAX,
		    "the first on PATH, newer than the %s that came with rr-warden", our_text);
	else if (theirs == 0)
		snprintf(why, OWN_TOOL_WHY_MAX, "came with rr-warden; %s does not say its version",
		    on_path);
	else
		snprintf(why, OWN_TOOL_WHY_MAX, "came with rr-warden; %s is no newer, %s", on_path,
		    their_text);
	return ours != 0 && theirs <= ours;
}

static void choose(
    struct settings *settings, enum setting setting, const char *own, char why[OWN_TOOL_WHY_MAX])
{
	char on_path[PATH_MAX], refused[SETTINGS_WHY_MAX];

	why[0] = '\0';
	if (settings_source(settings, setting) != SOURCE_DEFAULT)
		return;
	strlcpy(why, "the first on PATH", OWN_TOOL_WHY_MAX);
	if (own[0] == '\0')
		return;
	if (pmu_find_program(settings_text(settings, setting), on_path, sizeof(on_path)) < 0)
		strlcpy(why, "came with rr-warden; PATH has none", OWN_TOOL_WHY_MAX);
	else if (setting != SETTING_RR || !own_is_best(on_path, own, why))
		return;
	if (settings_set(settings, setting, own, SOURCE_DEFAULT, refused) < 0)
		snprintf(why, OWN_TOOL_WHY_MAX, "the first on PATH; %s", refused);
}

void own_rr_choose(struct settings *settings, const char *own, char why[OWN_TOOL_WHY_MAX])
{
	choose(settings, SETTING_RR, own, why);
}

void own_gdb_choose(struct settings *settings, const char *own, char why[OWN_TOOL_WHY_MAX])
{
	choose(settings, SETTING_GDB, own, why);
}

void own_tools_choose(
    struct settings *settings, const struct paths *paths, struct own_choices *choices)
{
	char own[PATH_MAX];

	own_tool_find(paths, "rr", own);
	own_rr_choose(settings, own, choices->rr);
	own_tool_find(paths, "gdb", own);
	own_gdb_choose(settings, own, choices->gdb);
}
