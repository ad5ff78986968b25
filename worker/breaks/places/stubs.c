/*
 * Recognises stubs by the name that gdb gives them: "<name(int)@plt>" as a place, and "name@plt" as
 * a frame's function; and what the loader has inlined by its file, or by the function around it.
 */
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/serve/begins.h"
#include "worker/session/breakpoint.h"
#include "worker/session/stop_reason.h"
#include "worker/breaks/places/stubs.h"

static bool is_stub(const json_t *place)
{
	const char *at = mi_text(place, "at");

	return at && strstr(at, "@plt>") && !mi_text(place, "func");
}

static bool is_of_allocator(const char *name)
{
	static const char *const names[] = {"malloc", "calloc", "realloc", "free"};

	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* As glibc's own sources are named in its debug information. */
static bool is_header_of_libc(const char *file)
{
	return file && begins(file, "../include/");
}

/* Whether a place, as "<__libc_malloc+4>", is in the function itself, by whichever of its names. */
static bool is_in(const char *at, const char *name)
{
	static const char *const prefixes[] = {"__GI_", "__libc_", "__"};
	const char *symbol = at + (at[0] == '<');
	size_t length = strcspn(symbol, "+>");

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (length > strlen(prefixes[i]) && begins(symbol, prefixes[i])) {
			symbol += strlen(prefixes[i]);
			length -= strlen(prefixes[i]);
		}
	}
	return length == strlen(name) && strncmp(symbol, name, length) == 0;
}

/* Mostly gdb tells no line there, and only what is around it: "<_dl_new_object+60>". */
static bool is_inlined_in_loader(const json_t *bkpt, const json_t *place)
{
	const char *name = mi_text(bkpt, "original-location"), *at = mi_text(place, "at");

	if (!is_of_allocator(name))
		return false;
	if (mi_text(place, "func") || !at)
		return is_header_of_libc(mi_text(place, "file"));
	return !is_in(at, name);
}

/* Whether the place only leads to the function. */
static bool is_way(const json_t *bkpt, const json_t *place)
{
	return is_stub(place) || is_inlined_in_loader(bkpt, place);
}

/* A body without debug information has a place, but gdb names no function there. */
static bool has_body(const json_t *bkpt)
{
	const json_t *place;

	for (size_t i = 0; (place = mi_breakpoint_place(bkpt, i)); i++)
		if (!is_way(bkpt, place))
			return true;
	return false;
}

/* What the loader has inlined calls its own small allocator as long as no other is loaded, which
 * nobody means. */
static bool is_left_out(const json_t *bkpt, const json_t *place)
{
	return is_inlined_in_loader(bkpt, place) || (is_stub(place) && has_body(bkpt));
}

static void disable(struct replay *replay, const json_t *bkpt, const json_t *place)
{
	if (place == bkpt)
		gdb_must(
		    replay_gdb(replay), NULL, "-break-disable %d.1", mi_number(bkpt, "number", 0));
	else
		gdb_must(replay_gdb(replay), NULL, "-break-disable %s", mi_text(place, "number"));
}

/* replay is NULL to leave gdb alone. */
static void remove_stubs(struct replay *replay, const json_t *bkpt)
{
	json_t *places = json_object_get(bkpt, "locations");
	size_t left = 0;

	if (!bkpt)
		return;
	for (size_t i = json_array_size(places) ? json_array_size(places) : 1; i-- > 0;) {
		const json_t *place = mi_breakpoint_place(bkpt, i);

		if (!is_left_out(bkpt, place) || !mi_text(place, "number")) {
			left++;
			continue;
		}
		if (replay)
			disable(replay, bkpt, place);
		if (place != bkpt)
			json_array_remove(places, i);
	}
	if (!left)
		json_object_set_new((json_t *)bkpt, "addr", json_string("<PENDING>"));
}

void stubs_hide(const json_t *bkpt)
{
	remove_stubs(NULL, bkpt);
}

void stubs_leave(struct replay *replay, const json_t *bkpt)
{
	remove_stubs(replay, bkpt);
}

static bool may_be_way(const json_t *frame)
{
	static const char end[] = "@plt";
	const char *function = mi_text(frame, "func"), *from = mi_text(frame, "from");
	const char *at = function ? strstr(function, end) : NULL;

	return (at && !at[sizeof(end) - 1]) || is_header_of_libc(mi_text(frame, "file")) ||
	       (from && strstr(from, "/ld-"));
}

static bool is_left_out_at(const json_t *bkpt, unsigned long long address)
{
	const json_t *place;

	for (size_t i = 0; (place = mi_breakpoint_place(bkpt, i)); i++)
		if (mi_address(place, "addr") == address)
			return is_left_out(bkpt, place);
	return false;
}

bool stubs_stopped(struct replay *replay)
{
	const json_t *stop = gdb_last_stop(replay_gdb(replay)), *bkpt;
	const json_t *frame = json_object_get(stop, "frame");
	struct breakpoint *breakpoint;
	json_t *results = NULL;
	bool left_out;

	if (!may_be_way(frame) || stop_kind(replay) != STOP_BREAKPOINT)
		return false;
	gdb_must(replay_gdb(replay), &results, "-break-list");
	bkpt = mi_breakpoint_row(mi_breakpoints(results), mi_number(stop, "bkptno", 0));
	left_out = is_left_out_at(bkpt, mi_address(frame, "addr"));
	if (left_out)
		stubs_leave(replay, bkpt);
	json_decref(results);
	/* gdb has counted the stop. */
	breakpoint = breakpoint_by_gdb(replay_breakpoints(replay), mi_number(stop, "bkptno", 0));
	if (breakpoint && left_out)
		breakpoint->hits_before--;
	return left_out;
}
