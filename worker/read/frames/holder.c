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

#define LEVELS_MAX 64
#define RED_ZONE   128 /* bytes below the stack pointer that a function may use */

/* gdb shows no caller of main, but it says where main's frame ends and where it returns to. */
static bool find_outermost(struct replay *replay, int level, struct holder *holder)
{
	static const char at_mark[] = "frame at ", back_mark[] = "saved rip = ";
	const char *said, *at, *back;
	char command[48];

	snprintf(command, sizeof(command), "info frame level %d", level);
	if (!gdb_done_or_warn(replay_gdb(replay), gdb_console(replay_gdb(replay), &said, command),
		"it is not known where the outermost function's frame ends") ||
	    !(at = strstr(said, at_mark)) || !(back = strstr(said, back_mark)))
		return false;
	holder->top = strtoull(at + sizeof(at_mark) - 1, NULL, 16);
	holder->back = strtoull(back + sizeof(back_mark) - 1, NULL, 16);
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
