/*
 * Turns gdb's frames into ours. A run of the C library's own frames only shows where the program
 * entered it and where it is now, so it becomes one entry. Frames of the program are never folded
 * here.
 */
#include "worker/read/frames/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/gdb/mi/mi.h"
#include "worker/read/names/brief_name.h"
#include "worker/read/code/modules.h"
#include "worker/read/code/source.h"
#include "worker/read/names/symbol.h"
#include "worker/serve/begins.h"

#define PLACE_MAX (FRAME_PATH_MAX + 16)
#define VALUE_MAX 200  /* bytes shown of one argument */
#define ARGS_MAX  1200 /* and of all */
#define FOLD_MIN  2

static void set_text(json_t *json, const char *name, const char *text, size_t max)
{
	if (text)
		json_object_set_new(json, name, scrub_json_middle(text, strlen(text), max, NULL));
}

json_t *frame_args(const json_t *frame)
{
	char text[ARGS_MAX * 2] = "", brief[BRIEF_NAME_MAX];
	size_t i, length = 0;
	json_t *argument;

	json_array_foreach(json_object_get(frame, "args"), i, argument)
	{
		const char *name = mi_text(argument, "name"), *value = mi_text(argument, "value");
		size_t whole = value ? strlen(value) : 0;

		/* gdb shows a parameter's value at entry next to the parameter, which says the same
		 * twice. */
		if (!name || strchr(name, '@'))
			continue;
		if (length > ARGS_MAX) {
			length += (size_t)snprintf(text + length, sizeof(text) - length, ", ...");
			break;
		}
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s=%.*s%s",
		    length ? ", " : "", brief_name(name, brief), VALUE_MAX, value ? value : "",
		    whole > VALUE_MAX ? "..." : "");
	}
	return length ? scrub_json(text, length, ARGS_MAX * 3, NULL) : NULL;
}

json_t *frame_json(const json_t *frame)
{
	json_t *json = json_object();
	const char *full = mi_text(frame, "fullname"), *function = mi_text(frame, "func");
	const char *file = mi_text(frame, "file"), *line = mi_text(frame, "line");
	char place[PLACE_MAX], name[BRIEF_NAME_MAX];

	json_object_set_new(json, "level", json_integer(mi_number(frame, "level", 0)));
	if (function && strcmp(function, "??") != 0)
		set_text(json, "function", brief_name(function, name), sizeof(name));
	json_object_set_new(json, "args", frame_args(frame));
	/* gdb turns relative names into "full" ones that contain the directory twice. */
	if (full && (full[0] == '/' || !file))
		file = full;
	if (file && line) {
		snprintf(place, sizeof(place), "%.4095s:%s", file, line);
		set_text(json, "at", place, PLACE_MAX);
	} else {
		set_text(json, "library", mi_text(frame, "from"), PLACE_MAX);
	}
	set_text(json, "address", mi_text(frame, "addr"), 32);
	return json;
}

/* Libraries of every program. Their frames between the program's own tell nothing about it. */
static bool is_libc(const char *library)
{
	static const char *const names[] = {
	    "libc.so", "libc-", "libpthread", "ld-linux", "librr", "libgcc_s.so"};
	const char *name = basename(library);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* The library that rr loads into the recorded program, and the page through which its calls go. */
static bool is_rr(const json_t *frame)
{
	static const char *const sources[] = {"src/preload/syscall_hook.S:",
	    "src/preload/raw_syscall.S:", "src/preload/syscallbuf.c:"};
	const char *at = mi_text(frame, "at"), *function = mi_text(frame, "function");
	const char *library = mi_text(frame, "library");

	for (size_t i = 0; at && i < sizeof(sources) / sizeof(*sources); i++)
		if (strstr(at, sources[i]))
			return true;
	return (library && strncmp(basename(library), "librr", 5) == 0) ||
	       (!at && !library && function && strncmp(function, "syscall_", 8) == 0);
}

void frames_without_rr(json_t *frames)
{
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(frames); i++)
		if (is_rr(json_array_get(frames, i)))
			count = i + 1;
	while (count-- > 0)
		json_array_remove(frames, 0);
}

/* Rust's library has no files where it was built; crates are other people's code, too. */
static bool is_rusts(const char *path)
{
	return strncmp(path, "/rustc/", 7) == 0 || strncmp(path, "/rust/deps/", 11) == 0 ||
	       strncmp(path, "/usr/src/rustc-", 15) == 0 || /* Debian's */
	       strstr(path, "/lib/rustlib/src/") || strstr(path, "/.cargo/registry/");
}

/* The sources of Go's library are where it is installed, and those of modules in the user's home.
 */
static bool is_gos(const char *path)
{
	static const char *const roots[] = {"/usr/share/go", "/usr/lib/go", "/usr/local/go/"};

	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++)
		if (strncmp(path, roots[i], strlen(roots[i])) == 0)
			return true;
	return strstr(path, "/go/pkg/mod/") != NULL;
}

/* Whose template it is, by header and namespace. A function of the program's own that has only code
 * of them is not theirs. What the C++ library keeps in its own file says why a program ended. */
static const char *owner_of_template(const char *path, const char *function)
{
	static const struct {
		const char *folder, *space, *owner;
	} templates[] = {{"/include/c++/", "std::", "the C++ library"},
	    {"/include/c++/", "__gnu_cxx::", "the C++ library"},
	    {"/include/boost/", "boost::", "boost"}};

	for (size_t i = 0; i < sizeof(templates) / sizeof(*templates); i++)
		if (strstr(path, templates[i].folder) && begins(function, templates[i].space))
			return templates[i].owner;
	return NULL;
}

/* Debian's debug symbols of the C library name its sources as "./nptl/pthread_kill.c", and a build
 * with -ffile-prefix-map names the program's own so. */
bool frame_is_of_libc(struct replay *replay, const json_t *frame)
{
	const char *library = mi_text(frame, "library"), *at = mi_text(frame, "at");
	unsigned long long address = mi_address(frame, "address");
	struct symbol symbol;

	if (library)
		return is_libc(library);
	if (!at || at[0] != '.' || frame_is_own(replay, frame))
		return false;
	library = symbol_file(replay, address, &symbol);
	/* a call that does not return may be a function's end, and no symbol covers what follows */
	if (!library && address)
		library = symbol_file(replay, address - 1, &symbol);
	return !library || is_libc(library);
}

/* Whose code it is that nobody debugs here; NULL: it may be the program's own. */
static const char *foreigner(struct replay *replay, const json_t *frame)
{
	const char *at = mi_text(frame, "at"), *function = mi_text(frame, "function");
	const char *owner = at && function ? owner_of_template(at, function) : NULL;

	if (at && is_rusts(at))
		return "Rust's library";
	if (at && is_gos(at))
		return "Go's library";
	if (owner)
		return owner;
	return frame_is_of_libc(replay, frame) ? "libc" : NULL;
}

static bool is_foreign(struct replay *replay, const json_t *frame)
{
	return foreigner(replay, frame) != NULL;
}

bool frame_place(const json_t *frame, char path[FRAME_PATH_MAX], int *line)
{
	const char *at = mi_text(frame, "at"), *colon = at ? strrchr(at, ':') : NULL;

	if (!colon)
		return false;
	snprintf(path, FRAME_PATH_MAX, "%.*s", (int)(colon - at), at);
	*line = (int)strtol(colon + 1, NULL, 10);
	return true;
}

json_t *frame_source(struct replay *replay, const json_t *frame)
{
	char path[FRAME_PATH_MAX];
	int line;

	return frame_place(frame, path, &line) ? source_around(replay, path, line) : NULL;
}

bool frame_is_of_system(const char *path)
{
	static const char *const systems[] = {"/usr/include/", "/usr/lib/"};

	for (size_t i = 0; i < sizeof(systems) / sizeof(*systems); i++)
		if (strncmp(path, systems[i], strlen(systems[i])) == 0)
			return true;
	return is_rusts(path) || is_gos(path);
}

bool frame_is_own(struct replay *replay, const json_t *frame)
{
	const char *file = mi_text(frame, "function_file");
	char path[FRAME_PATH_MAX];
	int line;

	if (is_rr(frame) || !frame_place(frame, path, &line))
		return false;
	if (frame_is_of_system(path))
		return file && !frame_is_of_system(file);
	return path[0] == '/' || source_is_there(replay, path);
}

bool frame_is_unnamed(struct replay *replay, const json_t *frame)
{
	return !mi_text(frame, "at") && !mi_text(frame, "library") && mi_text(frame, "address") &&
	       !json_object_get(frame, "folded") && !is_rr(frame) && !is_foreign(replay, frame);
}

json_t *frames_first_own(struct replay *replay, const json_t *frames)
{
	json_t *frame, *lined = NULL, *unnamed = NULL;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		if (frame_is_own(replay, frame))
			return frame;
		if (!lined && mi_text(frame, "at") && !is_foreign(replay, frame))
			lined = frame;
		if (!unnamed && frame_is_unnamed(replay, frame))
			unnamed = frame;
	}
	if (lined || unnamed)
		return lined ? lined : unnamed;
	return json_array_get(frames, 0);
}

frame_test *frames_own_test(struct replay *replay, const json_t *frames)
{
	const json_t *first = frames_first_own(replay, frames);

	return first && frame_is_own(replay, first) ? frame_is_own : frame_is_unnamed;
}

/* "at" instead of "library". */
static void show_library(json_t *frame)
{
	const char *library = mi_text(frame, "library");

	if (library && !json_object_get(frame, "at"))
		json_object_set_new(frame, "at", json_string(basename(library)));
	json_object_del(frame, "library");
}

json_t *frame_finish(struct replay *replay, json_t *frame)
{
	modules_locate_one(replay, frame);
	show_library(frame);
	json_object_del(frame, "function_file");
	return frame;
}

json_t *frame_listed(struct replay *replay, const json_t *frame)
{
	json_t *json = frame_finish(replay, frame_json(frame));

	if (json_object_get(json, "function"))
		json_object_del(json, "address");
	return json;
}

static size_t foreign_run(struct replay *replay, const json_t *frames, size_t at)
{
	const char *whose = foreigner(replay, json_array_get(frames, at));
	size_t end = at;

	while (whose && end < json_array_size(frames) &&
	       foreigner(replay, json_array_get(frames, end)) == whose)
		end++;
	return end - at;
}

static const char *name_of(const json_t *frame)
{
	const char *name = mi_text(frame, "function");

	return name ? name : "??";
}

static json_t *fold(const json_t *frames, size_t at, size_t count, const char *whose)
{
	const json_t *inner = json_array_get(frames, at),
		     *outer = json_array_get(frames, at + count - 1);

	return json_pack("{s:I,s:o}", "folded", (json_int_t)count, "what",
	    json_sprintf(
		"%s%s%s in %s", name_of(inner), count > 2 ? " ... " : ", ", name_of(outer), whose));
}

static void fold_foreign(struct replay *replay, json_t *frames)
{
	for (size_t at = 0; at < json_array_size(frames); at++) {
		size_t count = foreign_run(replay, frames, at);

		if (count < FOLD_MIN || count == json_array_size(frames))
			continue;
		json_array_insert_new(frames, at,
		    fold(frames, at, count, foreigner(replay, json_array_get(frames, at))));
		for (size_t i = 0; i < count; i++)
			json_array_remove(frames, at + 1);
	}
}

void frames_finish(struct replay *replay, json_t *frames)
{
	json_t *frame;
	size_t i;

	modules_locate(replay, frames);
	fold_foreign(replay, frames);
	json_array_foreach(frames, i, frame)
	{
		show_library(frame);
		json_object_del(frame, "period");
		json_object_del(frame, "function_file");
		if (json_object_get(frame, "function"))
			json_object_del(frame, "address");
	}
}
