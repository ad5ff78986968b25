/*
 * The other half of silent_hits.py.
 */
#include "worker/investigate/counting/silent_hits.h"
#include "worker/gdb/library.h"
#include "worker/gdb/must.h"
#include "worker/serve/begins.h"
#include "worker/session/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/session/taught.h"

#define ROW "rr-silent-hits " /* begins what it prints */

/* A string in Python's notation. False if it does not fit, or would need escapes. */
static bool quote(char *to, size_t size, const char *text)
{
	for (const char *at = text; *at; at++)
		if (*at == '\'' || *at == '\\' || (unsigned char)*at < ' ')
			return false;
	return (size_t)snprintf(to, size, "'%s'", text) < size;
}

int silent_hits_make(struct silent_hits *hits, struct replay *replay, const char *expression)
{
	struct gdb *gdb = replay_gdb(replay);
	struct taught *taught = replay_taught(replay);
	char command[REPLAY_EXPRESSION_MAX + 80], place[REPLAY_EXPRESSION_MAX + 4];
	const char *said;

	*hits = (struct silent_hits){0};
	if (!taught->silent_hits)
		taught->silent_hits = library_run(gdb, "silent_hits") == GDB_DONE;
	if (!taught->silent_hits || !quote(place, sizeof(place), expression))
		return 0;
	hits->made = true;
	snprintf(command, sizeof(command), "python rr_the_hits = rr_silent_hits(%s)", place);
	said = selection_console(replay, command) ? behind_mark(gdb_console_text(gdb), ROW) : NULL;
	hits->watch = said ? (int)strtol(said, NULL, 10) : 0;
	hits->on = hits->watch > 0;
	return hits->watch;
}

/* An interrupt can come when gdb has made the watchpoint and not said its number yet. */
void silent_hits_end(struct silent_hits *hits, struct replay *replay)
{
	if (!hits->made || replay_worker(replay)->broken)
		return;
	gdb_must_console(replay_gdb(replay),
	    "python [each.delete() for each in gdb.breakpoints() if "
	    "isinstance(each, rr_silent_hits)]");
	*hits = (struct silent_hits){0};
}

void silent_hits_begin(struct silent_hits *hits, struct replay *replay, long long until)
{
	char command[80];

	if (!hits->on)
		return;
	snprintf(command, sizeof(command), "python rr_the_hits.begin(%lld)", until);
	hits->on = selection_console(replay, command);
}

void silent_hits_know(struct silent_hits *hits, struct replay *replay, const char *value)
{
	char command[SILENT_HITS_VALUE_MAX + 80], shown[SILENT_HITS_VALUE_MAX + 4];

	if (!hits->on)
		return;
	hits->on = value && strlen(value) < SILENT_HITS_VALUE_MAX &&
		   quote(shown, sizeof(shown), value) &&
		   snprintf(command, sizeof(command), "python rr_the_hits.know(%s)", shown) > 0 &&
		   selection_console(replay, command);
}

void silent_hits_stop_all(struct silent_hits *hits, struct replay *replay)
{
	if (hits->on)
		gdb_must_console(replay_gdb(replay), "python rr_the_hits.known.clear()");
}

/* A number behind spaces; moves *text behind it. */
static unsigned long long next_number(const char **text, int base)
{
	char *end;
	unsigned long long number = strtoull(*text, &end, base);

	*text = end;
	return number;
}

/* A line behind ROW; false if it is not one of ours. */
static bool read_row(char *line, struct moment *moment, const char **old, const char **new)
{
	char *first = strchr(line, '\t'), *second = first ? strchr(first + 1, '\t') : NULL;
	const char *at = line;

	if (!second)
		return false;
	*first = *second = '\0';
	*old = first + 1;
	*new = second + 1;
	*moment = (struct moment){0};
	moment->event = (long long)next_number(&at, 10);
	moment->ticks = (long long)next_number(&at, 10);
	moment->tid = (int)next_number(&at, 10);
	moment->pc = next_number(&at, 16);
	moment->sum = (unsigned)next_number(&at, 16);
	return at == first && moment->sum != 0;
}

void silent_hits_take(
    struct silent_hits *hits, struct replay *replay, silent_hits_get *get, void *context)
{
	struct gdb *gdb = replay_gdb(replay);
	const struct moment here = *replay_now(replay);
	const char *text, *old, *new;
	char *rows, *rest, *line;
	struct moment hit;

	if (!hits->on)
		return;
	gdb_must_console(gdb, "python rr_the_hits.take()");
	if (replay_worker(replay)->broken)
		return;
	text = gdb_console_text(gdb);
	rows = rest = strdup(text);
	while (rest && (line = strsep(&rest, "\n")))
		if (strncmp(line, ROW, sizeof(ROW) - 1) == 0 &&
		    read_row(line + sizeof(ROW) - 1, &hit, &old, &new)) {
			replay_speak_of(replay, &hit);
			get(context, replay, old, new);
		}
	free(rows);
	replay_arrived(replay, &here);
}
