#include "worker/investigate/search/last_writer.h"

#include <stdio.h>
#include <string.h>
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/breaks/watchpoint.h"
#include "worker/investigate/search/backtrack.h"
#include "worker/investigate/code/where.h"
#include "worker/moment/position.h"

#define WORD 8

struct look {
	unsigned long long address;
	int number; /* of the watchpoint */
	struct last_writer *writer;
};

static enum scan_verdict see_write(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct look *look = context;
	struct instruction instruction;

	if (hit->number != look->number || !hit->old || !hit->new ||
	    strcmp(hit->old, hit->new) == 0)
		return SCAN_ON;
	if (!position_update(replay, failure))
		return SCAN_GIVE_UP;
	if (!backtrack_writes(replay, look->address, WORD, &instruction))
		return SCAN_ON;
	snprintf(look->writer->text, sizeof(look->writer->text), "%s", instruction.text);
	look->writer->by = where_own_words(replay);
	look->writer->moment = *replay_now(replay);
	return SCAN_ENOUGH;
}

bool last_writer_find(struct replay *replay, unsigned long long address, struct last_writer *writer)
{
	struct look look = {.address = address, .writer = writer};
	bool found;

	*writer = (struct last_writer){0};
	look.number = watchpoint_insert_word(replay, address, WATCH_WRITE);
	if (!look.number)
		return false;
	found = backtrack_scan(replay, see_write, &look) == SCAN_FOUND;
	temporary_breakpoint_delete(replay, look.number);
	return found;
}
