/*
 * Asks gdb/script/conditions.py, because gdb's values have addresses in every language.
 */
#include "worker/read/place.h"

#include <stdio.h>
#include <stdlib.h>
#include "worker/gdb/mi.h"
#include "worker/read/printers.h"
#include "worker/session/selection.h"
#include "worker/session/spoken.h"

bool place_of_value(struct replay *replay, const char *expression, unsigned long long *address,
    unsigned long long *size)
{
	char command[REPLAY_EXPRESSION_MAX + 16], *end;
	const char *said;

	if (!spoken_is_foreign(replay))
		return false;
	printers_load(replay);
	snprintf(command, sizeof(command), "rr-place %.*s", REPLAY_EXPRESSION_MAX, expression);
	if (!selection_console_in(replay, replay->selected.number, replay->selected.frame, command))
		return false;
	said = gdb_console_text(replay->gdb);
	if (!said)
		return false;
	*address = strtoull(said, &end, 10);
	*size = strtoull(end, NULL, 10);
	return *address != 0 && *size != 0;
}
