/*
 * See visible.h. Works on the text of paths: whether they exist is the launcher's to see.
 */
#include "supervisor/visible.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the worker may write at path already: naming it once more must not take that back. */
static bool is_writable(const struct visible *visible, const char *path)
{
	for (size_t at = 0; at < visible->length; at += strlen(visible->entries + at) + 1)
		if (visible->entries[at] != 'r' &&
		    policy_path_within(path, visible->entries + at + 1))
			return true;
	return false;
}

static void add(struct visible *visible, char how, const char *path)
{
	size_t need = strlen(path) + 2;

	if (how == 'r' && is_writable(visible, path))
		return;
	/* What does not fit is not seen: the worker then says that it does not exist. */
	if (path[0] != '/' || path[1] == 0 || need > sizeof(visible->entries) - visible->length)
		return;
	visible->entries[visible->length] = how;
	memcpy(visible->entries + visible->length + 1, path, need - 1);
	visible->length += need;
}

static void add_below(struct visible *visible, char how, const char *base, const char *name)
{
	char path[PATH_MAX];

	if (base != NULL &&
	    (size_t)snprintf(path, sizeof(path), "%s/%s", base, name) < sizeof(path))
		add(visible, how, path);
}

static void add_list(
    struct visible *visible, char how, const struct policy *policy, enum setting setting)
{
	for (const char *const *item = policy_list(policy, setting); *item != NULL; item++)
		add(visible, how, *item);
}

/* A path of the client's, or the directory it lies in. */
static void add_named(struct visible *visible, char how, const char *path, bool parent)
{
	char full[PATH_MAX];
	char *slash;
	int length;

	if (path == NULL || path[0] == 0)
		return;
	length = snprintf(full, sizeof(full), "%s%s%s", path[0] == '/' ? "" : visible->here,
	    path[0] == '/' ? "" : "/", path);
	if (length < 0 || (size_t)length >= sizeof(full))
		return;
	while (length > 1 && full[length - 1] == '/')
		full[--length] = 0;
	slash = strrchr(full, '/');
	if (parent && slash != NULL)
		*slash = 0;
	add(visible, how, full);
}

static const char *text_of(const json_t *args, const char *name)
{
	return json_string_value(json_object_get(args, name));
}

/* The directory a recording runs in, and its program's. */
static void add_recorded_places(struct visible *visible, const json_t *args)
{
	const char *program =
	    json_string_value(json_array_get(json_object_get(args, "command"), 0));
	const char *directory = text_of(args, "working_directory");

	add_named(visible, 'r', directory == NULL ? visible->here : directory, false);
	if (program != NULL && strchr(program, '/') != NULL)
		add_named(visible, 'r', program, true);
}

static const char *const temporary[] = {"/tmp/", "/var/tmp/"};

/* A program's directory. Builds spread below one: of the places where everything is hidden, all
 * that the first directory holds. */
static void add_sources(struct visible *visible, const char *directory)
{
	char path[PATH_MAX];

	if (strlcpy(path, directory, sizeof(path)) >= sizeof(path))
		return;
	for (size_t i = 0; i < sizeof(temporary) / sizeof(temporary[0]); i++) {
		size_t length = strlen(temporary[i]);
		char *end =
		    strncmp(path, temporary[i], length) == 0 ? strchr(path + length, '/') : NULL;
		if (end != NULL)
			*end = 0;
	}
	add(visible, 'r', path);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? path : slash + 1;
}

void visible_remember(
    json_t **recordings, const char *trace_dir, const json_t *args, const char *here)
{
	struct visible named = {.here = here};
	json_t *directories = json_array();

	add_recorded_places(&named, args);
	for (size_t at = 0; at < named.length; at += strlen(named.entries + at) + 1)
		json_array_append_new(directories, json_string(named.entries + at + 1));
	if (*recordings == NULL)
		*recordings = json_array();
	if (json_array_size(*recordings) >= VISIBLE_RECORDINGS_MAX)
		json_array_remove(*recordings, 0);
	json_array_append_new(*recordings,
	    json_pack("{s:s, s:o}", "trace", last_part(trace_dir), "directories", directories));
}

void visible_add_remembered(struct visible *visible, const struct policy *policy,
    const json_t *recordings, const char *trace_dir)
{
	size_t count = json_array_size(recordings);
	const json_t *directories;

	if (policy_list(policy, SETTING_ROOTS)[0] != NULL)
		return;
	while (count-- > 0) {
		const json_t *recording = json_array_get(recordings, count);
		const char *name = json_string_value(json_object_get(recording, "trace"));
		if (trace_dir != NULL && strcmp(last_part(trace_dir), name) != 0)
			continue;
		directories = json_object_get(recording, "directories");
		for (size_t i = 0; i < json_array_size(directories); i++)
			add_sources(visible, json_string_value(json_array_get(directories, i)));
		return;
	}
}

/* Where rr keeps traces unless told otherwise. */
static void add_trace_home(struct visible *visible, char how, const struct policy *policy)
{
	const char *directory = policy_text(policy, SETTING_TRACE_DIR);
	const char *home = getenv("HOME"), *data = getenv("XDG_DATA_HOME");

	if (directory[0] != 0) {
		add_named(visible, how, directory, false);
		return;
	}
	if (data != NULL && data[0] == '/')
		add_below(visible, how, data, "rr");
	else
		add_below(visible, how, home, ".local/share/rr");
	add_below(visible, how == 'c' ? 'w' : how, home, ".rr");
}

/* A recorded program runs with the rights of the person who asks for it, where no administrator
 * said less: it is their program. */
static void add_recording(struct visible *visible, const json_t *args)
{
	static const char *const places[] = {"/tmp", "/var/tmp"};
	const char *home = getenv("HOME");

	if (home != NULL)
		add(visible, 'w', home);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		add(visible, 'w', places[i]);
	add(visible, 'w', visible->here);
	add_named(visible, 'w', text_of(args, "working_directory"), false);
	add_named(visible, 'w', text_of(args, "trace_dir"), true);
	add_recorded_places(visible, args);
}

/* An rr or gdb that the policy names by its path needs its libraries and data beside it: these
 * folders of its prefix, not the prefix, which may be a home. */
static void add_tool(struct visible *visible, const char *path)
{
	static const char *const folders[] = {"lib", "lib64", "share"};
	char prefix[PATH_MAX];
	char *slash;

	if (path == NULL || path[0] != '/' ||
	    strlcpy(prefix, path, sizeof(prefix)) >= sizeof(prefix))
		return;
	slash = strrchr(prefix, '/');
	*slash = 0;
	add(visible, 'r', prefix);
	slash = strrchr(prefix, '/');
	if (slash == NULL || slash == prefix)
		return;
	*slash = 0;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		add_below(visible, 'r', prefix, folders[i]);
}

static void add_unbounded(struct visible *visible, enum worker_kind kind, const json_t *args)
{
	visible->show_home = true;
	if (kind == WORKER_RECORD) {
		add_recording(visible, args);
		return;
	}
	add_named(visible, kind == WORKER_QUERY ? 'w' : 'r', text_of(args, "trace_dir"),
	    kind == WORKER_QUERY);
	add_named(visible, 'w', text_of(args, "file"), true);
	add_named(visible, 'r', text_of(args, "trace_base_dir"), false);
	add(visible, 'r', visible->here);
}

void visible_for(
    struct visible *visible, const struct policy *policy, enum worker_kind kind, const json_t *args)
{
	bool bounded = policy_list(policy, SETTING_ROOTS)[0] != NULL;
	char how = kind == WORKER_REPLAY ? 'r' : 'w';

	visible->show_home = false;
	visible->length = 0;
	add_list(visible, how, policy, SETTING_ROOTS);
	if (kind == WORKER_REPLAY)
		add_list(visible, 'r', policy, SETTING_SOURCES);
	add_list(visible, kind == WORKER_RECORD ? 'w' : 'r', policy, SETTING_DIRECTORIES);
	add_trace_home(visible, kind == WORKER_RECORD ? 'c' : how, policy);
	add_tool(visible, policy_text(policy, SETTING_RR));
	add_tool(visible, policy_text(policy, SETTING_GDB));
	if (!bounded)
		add_unbounded(visible, kind, args);
}

void visible_lists(const struct visible *visible, const char **read_only, const char **read_write)
{
	size_t reads = 0, writes = 0;

	for (size_t at = 0; at < visible->length; at += strlen(visible->entries + at) + 1) {
		const char *entry = visible->entries + at;
		if (entry[0] == 'r' && reads < VISIBLE_PATHS_MAX - 1)
			read_only[reads++] = entry + 1;
		else if (entry[0] != 'r' && writes < VISIBLE_PATHS_MAX - 1)
			read_write[writes++] = entry + 1;
	}
	read_only[reads] = NULL;
	read_write[writes] = NULL;
}
