/*
 * See proposed_check.h.
 */
#include "worker/investigate/memcheck/proposed_check.h"

#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/code/belongs.h"
#include "worker/investigate/heap/collected.h"
#include "worker/investigate/heap/guarded.h"

#define PASSES 5 /* that the check costs */

/* Whether the pointer that the fault followed is no null pointer and stands in a heap block. */
static bool is_of_heap(struct replay *replay, const json_t *fault)
{
	unsigned long long place = mi_address(fault, "pointer_at");
	cleanup_mappings struct mappings *mappings = NULL;
	const struct mapping *mapping;

	if (!place || mi_address(fault, "address") < BELONGS_NULL_PAGES)
		return false;
	mappings = mappings_read(replay);
	mapping = mappings_find(mappings, place);
	return mapping && strcmp(mapping->file, "[heap]") == 0;
}

static bool can_check(struct replay *replay)
{
	return strcmp(replay_pmu(replay), "software") == 0 && !collected_by(replay) &&
	       !guarded_is_there(replay);
}

void proposed_check(struct replay *replay, json_t *report, bool damaged, double seconds)
{
	const char *hint = mi_text(report, "hint");

	if (damaged ? json_object_get(report, "block") != NULL
		    : !is_of_heap(replay, json_object_get(report, "fault")))
		return;
	if (can_check(replay))
		json_object_set_new(report, "hint",
		    json_sprintf("%s%srr_check_memory (about %.0f s) names every access outside "
				 "of its heap block up to here",
			hint ? hint : "", hint ? "; " : "", 1 + PASSES * seconds));
}
