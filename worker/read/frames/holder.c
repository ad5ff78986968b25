/*
 * A frame begins at its stack pointer, and ends at that of its caller.
 */
#include "worker/read/frames/holder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/must.h"
#include "worker/read/frames/frames.h"
#include "worker/read/names/symbol.h"
#include "worker/serve/begins.h"

#define LEVELS_MAX 64
#define RED_ZONE   128 /* bytes below the stack pointer that a function may use */

/* gdb shows no caller of main, but it says where main's frame ends and where it returns to. */
static bool find_outermost(struct replay *replay, int level, struct holder *holder)
{
	const char *said = gdb_shown(replay_gdb(replay),
	    "it is not known where the outermost function's frame ends", "info frame level %d",
	    level);

	holder->top = hex_behind(said, "frame at ");
	holder->back = hex_behind(said, "saved rip = ");
	return holder->top && holder->back;
}

static int find_level(
    struct replay *replay, int from, unsigned long long address, struct holder *holder)
{
	unsigned long long low, high;

	if (!frames_number(replay, from, "$sp", &low) || address + RED_ZONE < low)
		return -1;
	for (int level = from + 1; level < from + LEVELS_MAX; level++) {
		if (!frames_number(replay, level, "$sp", &high))
			return find_outermost(replay, level - 1, holder) && address < holder->top
				   ? level - 1
				   : -1;
		if (high < low)
			return -1;
		/* An inlined function has no frame of its own on the stack. */
		if (high == low || address >= high)
			continue;
		holder->top = high;
		return frames_number(replay, level, "$pc", &holder->back) ? level - 1 : -1;
	}
	return -1;
}

bool holder_find(struct replay *replay, int from, unsigned long long address, struct holder *holder)
{
	*holder = (struct holder){0};
	holder->level = find_level(replay, from, address, holder);
	return holder->level >= 0;
}

bool holder_name(struct replay *replay, unsigned long long address, struct holder *holder)
{
	unsigned long long pc;
	struct symbol symbol;

	if (!holder_find(replay, 0, address, holder))
		return false;
	if (frames_number(replay, holder->level, "$pc", &pc) && symbol_at(replay, pc, &symbol))
		snprintf(holder->function, sizeof(holder->function), "%.*s",
		    HOLDER_FUNCTION_MAX - 1, symbol.name);
	return true;
}

bool holder_is_here(struct replay *replay, unsigned long long address, const struct holder *holder)
{
	struct holder here;

	return holder->function[0] && holder_name(replay, address, &here) &&
	       here.top == holder->top && here.back == holder->back &&
	       strcmp(here.function, holder->function) == 0;
}
