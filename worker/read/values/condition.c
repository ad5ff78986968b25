/*
 * Asks gdb/script/conditions.py, which knows the types of the place. A gdb without Python leaves
 * conditions as they are.
 */
#include "worker/read/values/condition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/mi/mi.h"
#include "worker/read/values/printers.h"
#include "worker/serve/begins.h"
#include "worker/session/selection.h"

/* What the script printed, without the end of its line; NULL: it did not answer. */
static char *ask(struct replay *replay, unsigned long long address, const char *condition)
{
	const struct selection *selected = replay_selected(replay);
	char command[REPLAY_EXPRESSION_MAX + 64];
	const char *said;

	printers_load(replay);
	snprintf(command, sizeof(command), "rr-condition %llu %.*s", address, REPLAY_EXPRESSION_MAX,
	    condition);
	if (!selection_console_in(replay, selected->number, selected->frame, command))
		return NULL;
	said = gdb_console_text(replay_gdb(replay));
	return said ? strndup(said, strcspn(said, "\n")) : NULL;
}

bool condition_write(struct replay *replay, unsigned long long address, const char *condition,
    struct condition_written *written, struct failure *failure)
{
	cleanup_free char *said = ask(replay, address, condition);
	const char *text = condition, *language = behind_beginning(said, "right "), *rest,
		   *why = behind_beginning(said, "wrong ");

	*written = (struct condition_written){.language = "auto"};
	if (why) {
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "rr_type shows the members of a type; == compares in every language",
		    "the condition %.200s can never be evaluated there: %.300s", condition, why);
		return false;
	}
	rest = language ? strchr(language, ' ') : NULL;
	if (rest) {
		snprintf(written->language, sizeof(written->language), "%.*s",
		    (int)(rest - language), language);
		text = rest + 1;
	}
	if (strlen(text) > REPLAY_EXPRESSION_MAX) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, "compare a shorter text",
		    "the text in the condition is too long to be compared");
		return false;
	}
	written->text = strdup(text);
	return written->text != NULL;
}

bool condition_has_language(const struct condition_written *written)
{
	return written->text && strcmp(written->language, "auto") != 0 &&
	       strcmp(written->language, "c") != 0;
}
