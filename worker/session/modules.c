/*
 * The mappings are read only where a frame needs them: with symbols nobody asks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/gdb/mi.h"
#include "worker/session/mappings.h"
#include "worker/session/modules.h"

#define MODULE_SHOWN 300

static bool is_nameless(const json_t *frame)
{
	const char *function = mi_text(frame, "function");

	return json_object_get(frame, "level") && (!function || strcmp(function, "??") == 0);
}

static void locate(const struct mappings *mappings, json_t *frame)
{
	const char *text = mi_text(frame, "address");
	unsigned long long address = text ? strtoull(text, NULL, 16) : 0, base;
	const struct mapping *mapping = address ? mappings_find(mappings, address) : NULL;
	char hex[24];

	if (!mapping || !mapping->file[0])
		return;
	base = mappings_base(mappings, mapping);
	json_object_set_new(frame, "module",
	    scrub_json_middle(mapping->file, strlen(mapping->file), MODULE_SHOWN, NULL));
	snprintf(hex, sizeof(hex), "0x%llx", address - base);
	json_object_set_new(frame, "offset", json_string(hex));
	snprintf(hex, sizeof(hex), "0x%llx", base);
	json_object_set_new(frame, "base", json_string(hex));
}

void modules_locate(struct replay *replay, json_t *frames)
{
	struct mappings *mappings = NULL;
	json_t *frame;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		if (!is_nameless(frame))
			continue;
		if (!mappings && !(mappings = mappings_read(replay)))
			return;
		locate(mappings, frame);
	}
	mappings_free(mappings);
}

void modules_locate_one(struct replay *replay, json_t *frame)
{
	json_t *frames = json_pack("[O]", frame);

	modules_locate(replay, frames);
	json_decref(frames);
}
