/*
 * Judges the outcome of commands for callers that have no use for it: gives the session up where a
 * refusal would make later answers wrong.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "worker/gdb/exchange.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/mi/says.h"
#include "worker/gdb/must.h"
#include "worker/gdb/mi/warnings.h"

#define WHY_MAX 400

/* An interrupt of the command before may come late, and then meets this one; in Python's words, if
 * that runs then. */
static bool was_interrupted(const struct gdb *gdb, enum gdb_outcome outcome)
{
	return outcome == GDB_REFUSED && (gdb_says(gdb_message(gdb), SAYS_INTERRUPTED) ||
					     strstr(gdb_log_text(gdb), "KeyboardInterrupt"));
}

/* After an exec, rr may be gone before gdb is told of the next one: what gdb cannot do then is not
 * left to do. */
void gdb_must_have_done(struct gdb *gdb, enum gdb_outcome outcome, const char *command)
{
	char why[WHY_MAX];

	if (outcome != GDB_REFUSED || gdb_has_lost_rr(gdb))
		return;
	snprintf(why, sizeof(why), "it refused %.150s: %.200s", command, gdb_message(gdb));
	gdb_lose(gdb, why);
}

static void require(struct gdb *gdb, json_t **results, const char *command)
{
	enum gdb_outcome outcome;

	gdb_shield(gdb, true);
	outcome = gdb_command(gdb, results, "%s", command);
	if (was_interrupted(gdb, outcome))
		outcome = gdb_command(gdb, results, "%s", command);
	gdb_shield(gdb, false);
	gdb_must_have_done(gdb, outcome, command);
}

void gdb_must(struct gdb *gdb, json_t **results, const char *format, ...)
{
	char command[GDB_COMMAND_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	require(gdb, results, command);
}

void gdb_must_console(struct gdb *gdb, const char *command)
{
	char quoted[GDB_QUOTED_MAX];

	if (mi_quote(quoted, sizeof(quoted), command) < 0)
		gdb_lose(gdb, "a command cannot be sent");
	else
		gdb_must(gdb, NULL, "-interpreter-exec console %s", quoted);
}

void gdb_must_packet(struct gdb *gdb, const char *format, ...)
{
	static const char before[] = "maint packet QRRWarden.";
	char command[GDB_QUOTED_MAX];
	va_list arguments;

	memcpy(command, before, sizeof(before));
	va_start(arguments, format);
	vsnprintf(command + strlen(before), sizeof(command) - strlen(before), format, arguments);
	va_end(arguments);
	gdb_must_console(gdb, command);
}

bool gdb_done_or_warn(struct gdb *gdb, enum gdb_outcome outcome, const char *without)
{
	char text[WHY_MAX];

	if (outcome != GDB_REFUSED)
		return outcome == GDB_DONE;
	snprintf(text, sizeof(text), "%.150s: %.200s", without, gdb_message(gdb));
	warnings_add_own(&gdb_exchange(gdb)->warnings, text);
	return false;
}

const char *gdb_shown(struct gdb *gdb, const char *without, const char *format, ...)
{
	char command[GDB_QUOTED_MAX];
	const char *text;
	enum gdb_outcome outcome;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	outcome = gdb_console(gdb, &text, command);
	if (without)
		gdb_done_or_warn(gdb, outcome, without);
	return outcome == GDB_DONE ? text : NULL;
}

void gdb_try(struct gdb *gdb, json_t **results, const char *format, ...)
{
	char command[GDB_COMMAND_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	if (gdb_command(gdb, results, "%s", command) != GDB_DONE && results)
		*results = NULL;
}

void gdb_try_console(struct gdb *gdb, const char *command)
{
	if (gdb_console(gdb, NULL, command) != GDB_DONE)
		return;
}
