/*
 * The one that initializes is in a call that it made from the same function. It is only told where
 * no other call of that function can be it.
 */
#include "worker/investigate/threads/initializer.h"

#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/read/frames/frames.h"

#define FRAMES_LOOKED 300
#define FRAMES_BYTES  120000

static bool is_acquire(const json_t *frame)
{
	const char *function = mi_text(frame, "function");

	return function && strcmp(function, INITIALIZER_ACQUIRE) == 0;
}

/* The function whose variable it is: the caller of __cxa_guard_acquire. Owned by the caller; NULL:
 * it has no name. */
static char *function_of(struct replay *replay, int thread)
{
	json_auto_t *frames = frames_from(replay, thread, 0, FRAMES_LOOKED, FRAMES_BYTES);
	const char *function = NULL;

	for (size_t i = 0; i + 1 < json_array_size(frames) && !function; i++)
		if (is_acquire(json_array_get(frames, i)))
			function = mi_text(json_array_get(frames, i + 1), "function");
	return function ? strdup(function) : NULL;
}

/* Calls of the function in a stack that do not wait for the variable themselves. */
static int count_calls(struct replay *replay, int thread, const char *function)
{
	json_t *frames = frames_from(replay, thread, 0, FRAMES_LOOKED, FRAMES_BYTES), *frame;
	int count = 0;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		const char *name = mi_text(frame, "function");

		count += name && strcmp(name, function) == 0 &&
			 (i == 0 || !is_acquire(json_array_get(frames, i - 1)));
	}
	json_decref(frames);
	return count;
}

int initializer_of(struct replay *replay, const json_t *threads, int thread)
{
	char *function = function_of(replay, thread);
	const json_t *one;
	int calls = 0, tid = 0;
	size_t i;

	if (!function)
		return 0;
	json_array_foreach(threads, i, one)
	{
		int more = count_calls(replay, mi_number(one, "id", 0), function);

		if (more)
			tid = mi_tid(one);
		calls += more;
	}
	free(function);
	return calls == 1 ? tid : 0;
}
