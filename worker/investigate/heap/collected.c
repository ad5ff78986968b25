/*
 * Knows each by a function that the program has only then.
 */
#include "worker/investigate/heap/collected.h"

#include "worker/breaks/places/temporary_breakpoint.h"

static const struct {
	const char *function, *name;
} collectors[] = {
    {"runtime.mallocgc", "Go's allocator"},
    {"gc_malloc", "D's garbage collector"},
};

const char *collected_by(struct replay *replay)
{
	for (size_t i = 0; i < sizeof(collectors) / sizeof(*collectors); i++) {
		int number = temporary_breakpoint_insert(replay, collectors[i].function);

		temporary_breakpoint_delete(replay, number);
		if (number)
			return collectors[i].name;
	}
	return NULL;
}
