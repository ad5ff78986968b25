/*
 * Looks for a location first where the program's own code begins, with the libraries that it is
 * linked with, which costs little; and only then at its end. LIMIT: what is loaded and unloaded
 * again in between is not seen, and neither are later images of the process.
 */
#include "worker/run/waiting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/check.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/moment/excursion.h"
#include "worker/session/images.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/breaks/places/pending.h"
#include "worker/moment/position.h"
#include "worker/run/resume.h"
#include "worker/read/names/symbol.h"

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

/* To the first instruction of the program itself; false if that is not known. */
static bool go_to_entry(struct replay *replay, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	const struct resumption on = {"continue", FORWARD, false, -1, 0};
	const char *text, *at;
	char place[32];
	int number;
	bool ok;

	if (!gdb_done_or_warn(gdb, gdb_console(gdb, &text, "info auxv"),
		"the libraries that the program is linked with were not looked through") ||
	    !(at = strstr(text, "AT_ENTRY ")) || !(at = strstr(at, "0x")))
		return false;
	snprintf(place, sizeof(place), "*0x%llx", strtoull(at, NULL, 16));
	number = temporary_breakpoint_insert(replay, place);
	ok = number && resume_run(replay, &on, failure);
	temporary_breakpoint_delete(replay, number);
	return ok;
}

/* What else the program loads is seen at the end of its only, or last, image. */
static bool go_to_end(struct replay *replay, struct failure *failure)
{
	return images_at(replay) + 1 == images_count(replay) && position_go_end(replay, failure);
}

static void tell(char note[WAITING_NOTE_MAX], const char *where, const char *when)
{
	snprintf(note, WAITING_NOTE_MAX, "it waits for %.200s, which the program loads %s",
	    where[0] ? where : "a library", when);
}

bool waiting_find(struct replay *replay, const char *location, char note[WAITING_NOTE_MAX],
    struct failure *failure)
{
	char where[WAITING_NOTE_MAX];
	struct failure unreached = {0};
	struct excursion excursion = excursion_begin(replay);
	bool ok = true;

	if (go_to_entry(replay, &unreached) && has(replay, location, where)) {
		tell(note, where, "before its own code begins");
	} else if (go_to_end(replay, &unreached)) {
		ok = has(replay, location, where);
		tell(note, where, "while it runs");
		if (!ok)
			pending_fail(replay, location, failure);
	} else {
		snprintf(note, WAITING_NOTE_MAX,
		    "neither the program nor the libraries that it is linked with have it; whether "
		    "one that it loads later has it is not known");
	}
	ok &= excursion_return(&excursion, ok ? failure : &unreached);
	json_decref(unreached.details);
	return ok;
}
