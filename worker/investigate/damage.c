/*
 * Finds the function of malloc on the stack, runs back to its entry, where the pointer is still in
 * its register, and asks the history of that block.
 */
#include "worker/investigate/damage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi.h"
#include "worker/serve/handlers.h"
#include "worker/session/accessed.h"
#include "worker/session/frames.h"
#include "worker/session/internal.h"
#include "worker/session/position.h"
#include "worker/session/resume.h"
#include "worker/session/signals.h"
#include "worker/session/stop_reason.h"
#include "worker/session/symbol.h"

#define FRAMES_DEPTH 20
#define FRAMES_BYTES 8000

/* The name without what glibc puts in front: free of __GI___libc_free. */
static bool takes_block(const char *name)
{
	static const char *const before[] = {"__GI_", "__libc_", "_"};
	static const char *const names[] = {"free", "cfree", "realloc"};

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
		if (strncmp(name, before[i], strlen(before[i])) == 0)
			name += strlen(before[i]);
	name += strncmp(name, "_libc_", 6) == 0 ? 6 : 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Where the function of that kind begins which is on the stack; 0: none is. */
static unsigned long long entry_of(struct replay *replay)
{
	json_t *frames =
	    frames_from(replay, replay->selected.number, 0, FRAMES_DEPTH, FRAMES_BYTES);
	unsigned long long address, entry = 0;
	struct symbol symbol;
	const char *name;
	json_t *frame;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		name = mi_text(frame, "function");
		if (entry || !name || !takes_block(name) || !mi_text(frame, "address"))
			continue;
		address = strtoull(mi_text(frame, "address"), NULL, 16);
		if (symbol_at(replay, address, &symbol))
			entry = address - symbol.offset;
	}
	json_decref(frames);
	return entry;
}

/* The pointer that it was called with. */
static bool read_pointer(
    struct replay *replay, unsigned long long entry, unsigned long long *pointer)
{
	const struct resumption back = {"continue", BACKWARD, false, -1, 0};
	struct failure ignored = {0};
	char where[64];
	int number;
	bool found;

	snprintf(where, sizeof(where), "-p %d *0x%llx", replay->selected.number, entry);
	signals_pass_all(replay);
	number = internal_insert(replay, where);
	found = number && resume_run(replay, &back, &ignored) && position_update(replay, &ignored);
	replay->at_signal = replay->at_end = false;
	internal_delete(replay, number);
	signals_stop_again(replay);
	json_decref(ignored.details);
	return found && stop_kind(replay) == STOP_BREAKPOINT &&
	       accessed_number(replay, "(unsigned long)$rdi", pointer);
}

json_t *damage_find(struct replay *replay)
{
	static const char *const kept[] = {"conclusion", "block", "moment", "cut_off"};
	unsigned long long entry = entry_of(replay), pointer;
	struct heap_history_args args = {0};
	struct failure ignored = {0};
	char text[32];
	json_t *life, *found = NULL;

	if (!entry || !read_pointer(replay, entry, &pointer))
		return NULL;
	snprintf(text, sizeof(text), "0x%llx", pointer);
	args.pointer = text;
	life = tool_heap_history(replay, &args, &ignored);
	if (life) {
		found = json_pack("{s:s}", "pointer", text);
		for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
			if (json_object_get(life, kept[i]))
				json_object_set(found, kept[i], json_object_get(life, kept[i]));
	}
	json_decref(life);
	json_decref(ignored.details);
	return found;
}
