/*
 * Asks gdb/script/judged.py. Where it declines, or gdb has no Python, the condition stays gdb's.
 */
#include "worker/breaks/judged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/read/values/condition.h"
#include "worker/read/values/printers.h"
#include "worker/session/selection.h"

/* What the script printed behind `mark`, in the selected frame; NULL: nothing. Borrowed. */
static const char *ask(
    struct replay *replay, const char *command, const char *text, const char *mark)
{
	char whole[REPLAY_EXPRESSION_MAX + 64];
	const char *said = NULL;

	printers_load(replay);
	if ((size_t)snprintf(whole, sizeof(whole), "%s %s", command, text) < sizeof(whole) &&
	    selection_console(replay, whole))
		said = gdb_console_text(replay_gdb(replay));
	return said && strncmp(said, mark, strlen(mark)) == 0 ? said + strlen(mark) : NULL;
}

char *judged_everywhere(struct replay *replay, const char *condition)
{
	struct condition_written written = {0};
	struct failure ignored = {0};
	cleanup_free char *text = NULL;
	const char *said;
	size_t length;

	if (!condition_write(replay, 0, condition, &written, &ignored)) {
		json_decref(ignored.details);
		return NULL;
	}
	text = written.text;
	said = ask(replay, "rr-judged-as", text, "judged ");
	length = said ? strcspn(said, "\n") : 0;
	return length && length < strlen(condition) + JUDGED_LONGER_MAX ? strndup(said, length)
									: NULL;
}

bool judged_condition(struct replay *replay, const char *judged, char to[JUDGED_CONDITION_MAX])
{
	const char *number = ask(replay, "rr-judge", judged, "judge ");

	if (number)
		snprintf(to, JUDGED_CONDITION_MAX, "$rr_judged(%d)", (int)strtol(number, NULL, 10));
	return number != NULL;
}

char *judged_unread(struct replay *replay, const char *judged)
{
	const char *why = ask(replay, "rr-unjudged", judged, "unread ");
	size_t length = why ? strcspn(why, "\n") : 0;

	return length ? strndup(why, length) : NULL;
}

void judged_adopt(struct replay *replay, struct breakpoint *breakpoint, int gdb_number)
{
	char condition[JUDGED_CONDITION_MAX];

	free(breakpoint->judged);
	breakpoint->judged =
	    breakpoint->condition ? judged_everywhere(replay, breakpoint->condition) : NULL;
	if (breakpoint->judged && judged_condition(replay, breakpoint->judged, condition))
		gdb_must(replay_gdb(replay), NULL, "-break-condition %d %s", gdb_number, condition);
}
