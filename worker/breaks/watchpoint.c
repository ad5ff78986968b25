/*
 * Sets hardware watchpoints in gdb. Never lets gdb watch by single steps, which takes hours. Does
 * not know the client's list of breakpoints.
 */
#include <stdio.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/tools.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/settings.h"
#include "worker/breaks/places/absolute.h"
#include "worker/breaks/places/hardware.h"
#include "worker/breaks/registers.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/session/spoken.h"
#include "worker/read/values/condition.h"
#include "worker/read/names/no_address.h"
#include "worker/read/values/place.h"
#include "worker/breaks/watchpoint.h"
#include "worker/session/taught.h"

/* Runs a console command in the selected thread and frame. */
static bool command_here(struct replay *replay, const char *command, struct failure *failure)
{
	char quoted[GDB_QUOTED_MAX];

	return gdb_quote(quoted, "expression", command, failure) &&
	       gdb_check(replay_gdb(replay), spoken_console(replay, quoted), ERROR_INVALID_ARGUMENT,
		   "give an expression that has an address in the selected frame, or one of the "
		   "form *(TYPE *) ADDRESS",
		   failure);
}

static bool watch(struct replay *replay, const char *expression, enum watch_access access,
    bool location, const char *condition, struct failure *failure)
{
	static const char *const verbs[] = {
	    [WATCH_WRITE] = "watch", [WATCH_READ] = "rwatch", [WATCH_ACCESS] = "awatch"};
	char command[GDB_QUOTED_MAX / 2];
	int length = snprintf(command, sizeof(command), "%s%s (%s)%s%s%s", verbs[access],
	    location ? " -l" : "", expression, condition ? " if (" : "", condition ? condition : "",
	    condition ? ")" : "");

	if (length < 0 || (size_t)length >= sizeof(command)) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL, "the expression is too long");
		return false;
	}
	gdb_forget_created(replay_gdb(replay));
	return command_here(replay, command, failure);
}

/* A pointer of ours keeps the address and the type. For a location that is watched with -l, gdb
 * writes the type's name into an expression, and reads it again whenever a library is loaded: in
 * another language or file it may find none, and then watches no longer, without a word. */
static bool watch_pointed(struct replay *replay, const char *expression, enum watch_access access,
    const char *condition, struct failure *failure)
{
	struct taught *taught = replay_taught(replay);
	char text[GDB_QUOTED_MAX / 2];
	int number = taught->watched + 1;

	snprintf(text, sizeof(text), "set $rr_watched%d = &(%s)", number, expression);
	if (!command_here(replay, text, failure))
		return false;
	snprintf(text, sizeof(text), "*$rr_watched%d", number);
	if (!watch(replay, text, access, false, condition, failure))
		return false;
	taught->watched = number;
	return true;
}

/* Some languages have no such pointer, so gdb's own way is the second choice. It is the only one
 * for a bit-field: gdb takes the address of the word that it lies in, and would watch its
 * neighbours. */
static bool watch_any(struct replay *replay, const char *expression, enum watch_access access,
    bool location, const char *condition, struct failure *failure)
{
	struct failure first = {0};
	bool watched;

	if (!location)
		return watch(replay, expression, access, false, condition, failure);
	if (absolute_is_bit_field(replay, expression))
		return watch(replay, expression, access, true, condition, failure);
	if (watch_pointed(replay, expression, access, condition, &first))
		return true;
	watched = !replay_worker(replay)->broken && !gdb_must_stop(replay_gdb(replay)) &&
		  watch(replay, expression, access, true, condition, failure);
	if (watched || failure->message[0])
		json_decref(first.details);
	else
		*failure = first;
	return watched;
}

/* What we ask ourselves is C, whatever the frame's language. */
static bool watch_in_any_language(struct replay *replay, const char *expression,
    enum watch_access access, bool location, const char *condition, struct failure *failure)
{
	struct failure first = {0};

	if (watch_any(replay, expression, access, location, condition, &first))
		return true;
	if (!spoken_is_foreign(replay)) {
		*failure = first;
		return false;
	}
	cleanup_setting struct gdb_setting as_c =
	    gdb_setting_begin(replay_gdb(replay), "language", "c");
	if (!watch_any(replay, expression, access, location, condition, failure)) {
		json_decref(failure->details);
		*failure = first;
		return false;
	}
	json_decref(first.details);
	return true;
}

/* Whether it lies within what the registers watch: aligned pieces of 8, 4, 2 and 1 bytes. */
static bool fits(struct replay *replay, const char *expression, struct failure *failure)
{
	unsigned long long address, size;

	if (!place_of_value(replay, expression, &address, &size) ||
	    hardware_pieces(address, size) <= HARDWARE_REGISTERS)
		return true;
	failure_set(failure, ERROR_UNSUPPORTED,
	    "watch a part: a member, an element, or with length up to 8 bytes at an address such "
	    "as &x; of a container the member that changes with its size, as "
	    "v._M_impl._M_finish of a std::vector",
	    "%.200s has %llu bytes at 0x%llx: the processor watches 4 pieces of 8, 4, 2 or 1 bytes "
	    "at multiples of their size, and single steps would take hours",
	    expression, size, address);
	return false;
}

int watchpoint_insert(struct replay *replay, const char *expression, enum watch_access access,
    bool location, const char *condition, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	struct condition_written written = {0};
	cleanup_free char *text = NULL;
	int number;

	if (condition && !condition_write(replay, 0, condition, &written, failure))
		return 0;
	text = written.text;
	if (!fits(replay, expression, failure) ||
	    !watch_in_any_language(replay, expression, access, location, text, failure)) {
		no_address_explain(replay, expression, failure);
		return 0;
	}
	number = mi_number(gdb_created_breakpoint(gdb), "number", 0);
	if (number && hardware_is(gdb_created_breakpoint(gdb))) {
		if (registers_make_room(replay, failure))
			return number;
		temporary_breakpoint_delete(replay, number);
		return 0;
	}
	temporary_breakpoint_delete(replay, number);
	failure_set(failure, ERROR_UNSUPPORTED,
	    "watch a part of it: the hardware can watch 4 places of at most 8 bytes",
	    "the hardware cannot watch %.200s, and watching it in single steps would take hours",
	    expression);
	return 0;
}

int watchpoint_insert_word(
    struct replay *replay, unsigned long long address, enum watch_access access)
{
	struct failure ignored = {0};
	char expression[48];
	int number;

	snprintf(expression, sizeof(expression), "*(unsigned long *) 0x%llx", address);
	number = watchpoint_insert(replay, expression, access, true, NULL, &ignored);
	json_decref(ignored.details);
	return number;
}
