/*
 * Reads the mappings only if a frame needs them, because frames with symbols do not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/gdb/mi/mi.h"
#include "worker/read/code/mappings.h"
#include "worker/read/code/modules.h"

#define MODULE_SHOWN 300

static bool is_nameless(const json_t *frame)
{
	return json_object_get(frame, "level") && !mi_text(frame, "function");
}

static void locate(const struct mappings *mappings, json_t *frame)
{
	unsigned long long address = mi_address(frame, "address");
	const struct mapping *mapping = address ? mappings_find(mappings, address) : NULL;
	char place[MODULE_SHOWN + 24];
	const char *name;
	int length;

	if (!mapping || !mapping->file[0])
		return;
	name = strrchr(mapping->file, '/') ? strrchr(mapping->file, '/') + 1 : mapping->file;
	length = snprintf(place, sizeof(place), "%.*s+0x%llx", MODULE_SHOWN, name,
	    address - mappings_base(mappings, mapping));
	json_object_set_new(
	    frame, "at", scrub_json(place, (size_t)length, sizeof(place) * 4, NULL));
}

void modules_locate(struct replay *replay, json_t *frames)
{
	cleanup_mappings struct mappings *mappings = NULL;
	json_t *frame;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		if (!is_nameless(frame))
			continue;
		if (!mappings && !(mappings = mappings_of_code(replay)))
			return;
		locate(mappings, frame);
	}
}

void modules_locate_one(struct replay *replay, json_t *frame)
{
	json_auto_t *frames = json_pack("[O]", frame);

	modules_locate(replay, frames);
}
