/*
 * Asks gdb in C, and in other languages gdb/script/conditions.py, because gdb's values have
 * addresses in every language.
 */
#include "worker/read/values/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/read/values/accessed.h"
#include "worker/read/values/printers.h"
#include "worker/session/selection.h"
#include "worker/session/spoken.h"

/* In languages that have no pointers as C has them, whose values gdb can place nevertheless. */
static bool foreign_place(struct replay *replay, const char *expression,
    unsigned long long *address, unsigned long long *size)
{
	const struct selection *selected = replay_selected(replay);
	char command[REPLAY_EXPRESSION_MAX + 16], *end;
	const char *said;

	if (!spoken_is_foreign(replay))
		return false;
	printers_load(replay);
	snprintf(command, sizeof(command), "rr-place %.*s", REPLAY_EXPRESSION_MAX, expression);
	if (!selection_console_in(replay, selected->number, selected->frame, command))
		return false;
	said = gdb_console_text(replay_gdb(replay));
	if (!said)
		return false;
	*address = strtoull(said, &end, 10);
	*size = strtoull(end, NULL, 10);
	return *address != 0 && *size != 0;
}

char *place_address(struct replay *replay, const char *expression)
{
	char quoted[GDB_QUOTED_MAX], text[REPLAY_EXPRESSION_MAX + 64];
	unsigned long long number, size;
	json_auto_t *results = NULL;
	const char *address;
	char *resolved = NULL;

	snprintf(text, sizeof(text), "(void *) &(%s)", expression);
	if (mi_quote(quoted, sizeof(quoted), text) > 0 &&
	    spoken_here(replay, &results, quoted) == GDB_DONE) {
		address = mi_text(results, "value");
		if (address)
			resolved = strndup(address, strcspn(address, " "));
	} else if (foreign_place(replay, expression, &number, &size) &&
		   asprintf(&resolved, "0x%llx", number) < 0) {
		resolved = NULL;
	}
	return resolved;
}

bool place_of_value(struct replay *replay, const char *expression, unsigned long long *address,
    unsigned long long *size)
{
	char quoted[GDB_QUOTED_MAX], text[GDB_QUOTED_MAX / 2], *end = NULL;
	json_auto_t *results = NULL;
	const char *value;

	/* Not with sizeof: gdb knows the size of what a function of ours gives only when it calls
	 * it. */
	if ((size_t)snprintf(text, sizeof(text),
		"{(long) &(%s), (long) (&(%s) + 1) - (long) &(%s)}", expression, expression,
		expression) >= sizeof(text) ||
	    mi_quote(quoted, sizeof(quoted), text) < 0)
		return false;
	if (spoken_here(replay, &results, quoted) != GDB_DONE) {
		if (foreign_place(replay, expression, address, size))
			return true;
		/* One of ours, in a frame of another language. */
		if (!spoken_is_foreign(replay) || spoken_as_c(replay, &results, quoted) != GDB_DONE)
			return false;
	}
	value = mi_text(results, "value");
	if (value && *value == '{') {
		*address = strtoull(value + 1, &end, 10);
		*size = *end == ',' ? strtoull(end + 1, NULL, 10) : 0;
	}
	return end && *end == ',';
}

bool place_find(struct replay *replay, const char *expression, unsigned long long *address,
    unsigned long long *size, struct failure *failure)
{
	if (place_of_value(replay, expression, address, size))
		return true;
	if (gdb_must_stop(replay_gdb(replay)))
		worker_fail_interrupted(replay_worker(replay), failure);
	else
		failure_set(failure, ERROR_GDB_FAILED, "give an address and length",
		    "gdb does not say where that lies: %.300s", gdb_message(replay_gdb(replay)));
	return false;
}

void place_expression(
    char place[static PLACE_EXPRESSION_MAX], const char *expression, long long length)
{
	static const char *const types[] = {[1] = "char", [2] = "short", [4] = "int", [8] = "long"};

	if (length == 0)
		snprintf(place, PLACE_EXPRESSION_MAX, "%s", expression);
	else if (length <= 8 && types[length])
		snprintf(place, PLACE_EXPRESSION_MAX, "*(unsigned %s *) (%s)", types[length],
		    expression);
	else
		snprintf(place, PLACE_EXPRESSION_MAX, "*(unsigned char (*)[%lld]) (%s)", length,
		    expression);
}

json_t *place_unmapped(struct replay *replay, unsigned long long address, long long length)
{
	uint8_t byte;

	if (accessed_whole(replay, address, &byte, 1))
		return NULL;
	return json_sprintf("nothing is mapped at 0x%llx at the session's moment%s", address,
	    length ? ": with length, expression is an address, so write & before a variable" : "");
}
