/*
 * Looks for a location first where the program has been linked, with the libraries that it is
 * linked with, which costs little; and only then wherever it loads or unloads others, and at its
 * end. On the way gdb learns where libraries lie that the program loads by a relative name. LIMIT:
 * later images of the process are not seen.
 */
#include "worker/run/sweep/waiting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/check.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/signals.h"
#include "worker/read/code/libraries.h"
#include "worker/session/taught.h"
#include "worker/moment/excursion.h"
#include "worker/session/images.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/breaks/places/pending.h"
#include "worker/moment/position.h"
#include "worker/run/sweep/resume.h"
#include "worker/run/sweep/linked.h"
#include "worker/read/names/symbol.h"

#define LOADS_MAX 1000 /* stops of gdb where libraries change */

/* Whether something has it here. `where`: "/usr/lib/libm.so.6", or "" if gdb does not tell. */
static bool has(struct replay *replay, const char *location, char where[WAITING_NOTE_MAX])
{
	static const char of[] = " of /";
	char quoted[GDB_QUOTED_MAX];
	json_t *results = NULL, *bkpt;
	struct symbol symbol = {0};
	unsigned long long address;
	const char *at;
	struct failure ignored = {0};

	where[0] = '\0';
	if (!gdb_quote(quoted, "location", location, &ignored) ||
	    gdb_command(replay_gdb(replay), &results, "-break-insert -- %s", quoted) != GDB_DONE)
		return false;
	bkpt = json_object_get(results, "bkpt");
	address = mi_address(mi_breakpoint_place(bkpt, 0), "addr");
	if (address && symbol_at(replay, address, &symbol) &&
	    (at = strstr(symbol.said, of)) != NULL)
		snprintf(where, WAITING_NOTE_MAX, "%s", at + sizeof(of) - 2);
	temporary_breakpoint_delete(replay, mi_number(bkpt, "number", 0));
	json_decref(results);
	return true;
}

/* On to where libraries are loaded or unloaded next; false: there is none, or *cut. */
static bool go_to_load(struct replay *replay, bool *cut)
{
	const struct resumption on = {"continue", FORWARD, false, -1, 0};
	cleanup_failure struct failure unreached = {0};
	const char *reason;

	*cut = !resume_run(replay, &on, &unreached) || gdb_was_interrupted(replay_gdb(replay));
	reason = *cut ? NULL : mi_text(gdb_last_stop(replay_gdb(replay)), "reason");
	if (!reason || strcmp(reason, "solib-event") != 0)
		return false;
	libraries_find(replay);
	return true;
}

/* Whether a library has it that the program loads later than where it stands. *cut: not all of the
 * way was seen. */
static bool find_on_the_way(
    struct replay *replay, const char *location, char where[WAITING_NOTE_MAX], bool *cut)
{
	struct taught *taught = replay_taught(replay);
	size_t image = images_at(replay);
	bool found = false;
	int loads = 0;

	gdb_must(replay_gdb(replay), NULL, "-gdb-set stop-on-solib-events 1");
	signals_pass_all(replay);
	while (!found && loads < LOADS_MAX && go_to_load(replay, cut)) {
		loads++;
		found = has(replay, location, where);
	}
	signals_stop_again(replay);
	*cut |= !found && loads == LOADS_MAX;
	if (!replay_worker(replay)->broken)
		gdb_must(replay_gdb(replay), NULL, "-gdb-set stop-on-solib-events 0");
	if (!found && !*cut && loads == 0)
		taught->loads_nothing = (int)image + 1;
	/* It was found in time for whoever runs from here on. */
	taught->library_late = false;
	return found;
}

/* Whether this image is known to load nothing while it runs. */
static bool loads_nothing(struct replay *replay)
{
	return replay_taught(replay)->loads_nothing == (int)images_at(replay) + 1;
}

static void tell(char note[WAITING_NOTE_MAX], const char *where, const char *when)
{
	snprintf(note, WAITING_NOTE_MAX, "it waits for %.200s, which the program loads %s",
	    where[0] ? where : "a library", when);
}

/* To where its libraries are loaded, or else to where the image begins. */
static bool go_linked(struct replay *replay, struct failure *failure)
{
	cleanup_failure struct failure unlinked = {0};

	return linked_go(replay, &unlinked) ||
	       (!replay_worker(replay)->broken && position_go_event(replay, 0, failure));
}

bool waiting_go(struct replay *replay, const char *location, bool *there,
    char note[WAITING_NOTE_MAX], struct failure *failure)
{
	char where[WAITING_NOTE_MAX];
	cleanup_failure struct failure unreached = {0};
	bool cut = false, reached = go_linked(replay, &unreached);

	*there = true;
	if (reached && has(replay, location, where)) {
		tell(note, where, "before its own code begins");
		return true;
	}
	if (reached && !loads_nothing(replay) && find_on_the_way(replay, location, where, &cut)) {
		tell(note, where, "while it runs");
		return position_update(replay, failure);
	}
	*there = false;
	if (reached && !cut && images_at(replay) + 1 == images_count(replay)) {
		pending_fail(replay, location, failure);
		return false;
	}
	snprintf(note, WAITING_NOTE_MAX,
	    "neither the program nor the libraries that it is linked with have it; whether one "
	    "that it loads later has it is not known");
	return true;
}

bool waiting_find(struct replay *replay, const char *location, char note[WAITING_NOTE_MAX],
    struct failure *failure)
{
	cleanup_failure struct failure unreturned = {0};
	struct excursion excursion = excursion_begin(replay);
	bool there, ok = waiting_go(replay, location, &there, note, failure);

	return excursion_return(&excursion, ok ? failure : &unreturned) && ok;
}

bool waiting_find_elsewhere(struct replay *replay, const char *location,
    const struct failure *refused, char note[WAITING_NOTE_MAX], struct failure *failure)
{
	char where[WAITING_NOTE_MAX];
	cleanup_failure struct failure ignored = {0};
	struct excursion excursion;
	bool found, cut = false;

	note[0] = '\0';
	if (!worker_goes_on(replay_worker(replay)) || loads_nothing(replay) ||
	    !pending_is_no_mistake(replay, location, refused))
		return false;
	excursion = excursion_begin(replay);
	found = go_linked(replay, &ignored) &&
		(has(replay, location, where) || find_on_the_way(replay, location, where, &cut));
	if (found && position_update(replay, &ignored)) {
		json_auto_t *when = moment_name(replay, replay_now(replay));

		snprintf(note, WAITING_NOTE_MAX,
		    "it waits for %.200s, which is not loaded at this moment: the program has it "
		    "at %.80s",
		    where[0] ? where : "a library", json_string_value(when));
	}
	return excursion_return(&excursion, failure) && found;
}
