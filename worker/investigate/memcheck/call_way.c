/*
 * Counts the addresses of code on the stack as the software counter does. Must never name a frame
 * beyond the last of these: another call of the same way may have another one there.
 */
#include "worker/investigate/memcheck/call_way.h"

#include <stdint.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/code/where.h"
#include "worker/read/code/mappings.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"
#include "worker/read/values/accessed.h"
#include "worker/x86/tallymark.h"

#define FRAMES 40
#define WORDS  (CHECK_WAY_BYTES / sizeof(uint64_t))

struct way {
	struct mappings *mappings;
	uint64_t words[WORDS];
	size_t count, at; /* words; the next one */
	unsigned left;	  /* addresses */
};

static bool is_code(const struct way *way, uint64_t word)
{
	const struct mapping *mapping = mappings_find(way->mappings, word);

	return mapping && mapping->rights[2] == 'x';
}

/* Goes on behind the word with this return address; false: the way ends before. */
static bool pass(struct way *way, uint64_t address)
{
	for (; way->at < way->count && way->left > 0; way->at++) {
		if (way->words[way->at] == address) {
			way->at++;
			way->left--;
			return true;
		}
		way->left -= is_code(way, way->words[way->at]);
	}
	return false;
}

/* Removes the frames that the way does not decide. An inlined function has the address of the frame
 * around it. */
static void cut(struct replay *replay, json_t *frames, unsigned addresses)
{
	struct way way = {.mappings = mappings_read(replay), .left = addresses};
	unsigned long long sp = 0;
	size_t known = 1;

	if (way.mappings && accessed_number(replay, "(unsigned long) $rsp", &sp))
		way.count = accessed_bytes(replay, sp, (uint8_t *)way.words, sizeof(way.words)) /
			    sizeof(*way.words);
	while (known < json_array_size(frames)) {
		const uint64_t address = mi_address(json_array_get(frames, known), "address");

		if ((known == 1 ||
			address != mi_address(json_array_get(frames, known - 1), "address")) &&
		    !pass(&way, address))
			break;
		known++;
	}
	while (json_array_size(frames) > known)
		json_array_remove(frames, known);
	json_array_remove(frames, 0); /* the allocator */
	mappings_free(way.mappings);
}

static bool is_same_function(const json_t *frame, const json_t *other)
{
	return other && json_object_get(frame, "function") &&
	       json_equal(json_object_get(frame, "function"), json_object_get(other, "function"));
}

/* Its first own frame, and own callers of that. A recursion is told and not followed: else each of
 * its depths would be a way of its own. */
static json_t *words_of(struct replay *replay, const json_t *frames, size_t outer)
{
	frame_test *is_meant = frames_own_test(replay, frames);
	json_auto_t *parts = json_array();
	json_t *frame;
	const json_t *before = NULL;
	bool recursion = false;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		const size_t said = json_array_size(parts);

		if (!is_meant(replay, frame) || said > outer)
			continue;
		if (!is_same_function(frame, before)) {
			json_array_append_new(parts, where_words(frame_finish(replay, frame)));
			before = frame;
			recursion = false;
		} else if (!recursion) {
			json_array_set_new(parts, said - 1,
			    json_sprintf("%s, which calls itself",
				json_string_value(json_array_get(parts, said - 1))));
			recursion = true;
		}
	}
	return json_array_size(parts) ? where_chain(parts) : NULL;
}

/* A library's, as near to the program's own code as is known. */
static json_t *outermost(struct replay *replay, const json_t *frames)
{
	const size_t count = json_array_size(frames);

	return count ? where_words(frame_finish(replay, json_array_get(frames, count - 1))) : NULL;
}

json_t *call_way_words(struct replay *replay, unsigned addresses, size_t outer)
{
	cleanup_failure struct failure ignored = {0};
	json_auto_t *frames = NULL;
	json_t *words;

	if (!frames_read(replay, replay_selected(replay)->number, 0, FRAMES, &frames, &ignored))
		return NULL;
	cut(replay, frames, addresses);
	words = words_of(replay, frames, outer);
	return words ? words : outermost(replay, frames);
}
