/*
 * Finds the function of malloc on the stack, runs back to its entry, where the pointer is still in
 * its register, and asks the history of that block. If that tells nothing wrong, asks who wrote
 * what malloc found wrong.
 */
#include "worker/investigate/heap/damage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/search/backtrack.h"
#include "worker/investigate/heap/damage_writer.h"
#include "worker/serve/handlers.h"
#include "worker/read/values/accessed.h"
#include "worker/moment/return_ticket.h"
#include "worker/moment/instant/moment_names.h"

#define WORD 8

/* The pointer that free or realloc was called with, in the call under way; 0: there is none. */
static unsigned long long read_pointer(struct replay *replay)
{
	unsigned long long entry = damage_entry(replay, true), pointer;

	if (!entry || !backtrack_to(replay, entry) ||
	    !accessed_number(replay, "(unsigned long)$rdi", &pointer))
		return 0;
	return pointer;
}

static json_t *history_of(struct replay *replay, unsigned long long pointer)
{
	static const char *const kept[] = {"conclusion", "block", "moment", "cut_off"};
	struct heap_history_args args = {0};
	cleanup_failure struct failure ignored = {0};
	char text[32];
	json_auto_t *life = NULL;
	json_t *found;

	snprintf(text, sizeof(text), "0x%llx", pointer);
	args.pointer = text;
	life = tool_heap_history(replay, &args, &ignored);
	if (!life)
		return NULL;
	found = json_pack("{s:s}", "pointer", text);
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		json_object_set(found, kept[i], json_object_get(life, kept[i]));
	return found;
}

/* Whether it tells of something wrong, and not only of a life. */
static bool tells_fault(const json_t *life)
{
	return mi_text(life, "moment") != NULL;
}

/* Whether it blames the same code. A write of several bytes makes its first mistake earlier. */
static bool blames(const json_t *life, const struct damage_writer *writer)
{
	const char *conclusion = mi_text(life, "conclusion"), *by = json_string_value(writer->by);

	return tells_fault(life) && conclusion && by && strstr(conclusion, by);
}

/* What the write did to which block. A size lies behind the end of one block and in front of the
 * next; the other words that malloc keeps lie in a block, the first of them where it begins. */
static json_t *tell_block(struct replay *replay, const struct damage_writer *writer)
{
	bool even = writer->word % (2 * WORD) == 0;
	json_t *life = history_of(replay, even ? writer->word : writer->word - WORD);

	if (!blames(life, writer) && !even) {
		json_decref(life);
		life = history_of(replay, writer->word + WORD);
	}
	if (blames(life, writer))
		return life;
	json_decref(life);
	return NULL;
}

static json_t *tell_writer(struct replay *replay, const struct damage_writer *writer)
{
	json_t *told = tell_block(replay, writer);

	if (!told)
		told = json_pack("{s:o,s:o}", "conclusion",
		    json_sprintf("%s was the last outside of malloc to write the word at 0x%llx, "
				 "which malloc found wrong",
			json_string_value(writer->by), writer->word),
		    "moment", moment_name(replay, &writer->moment));
	return told;
}

json_t *damage_find(struct replay *replay)
{
	struct return_ticket abort = return_ticket_here(replay);
	unsigned long long pointer = read_pointer(replay);
	json_t *life = pointer ? history_of(replay, pointer) : NULL, *told = NULL;
	struct damage_writer writer = {0};
	cleanup_failure struct failure ignored = {0};

	if (tells_fault(life))
		return life;
	if (return_ticket_use(replay, &abort, &ignored) &&
	    damage_find_writer(replay, life ? pointer : 0, &writer))
		told = tell_writer(replay, &writer);
	json_decref(writer.by);
	if (!told)
		return life;
	json_decref(life);
	return told;
}
