#ifndef WORKER_FRAMES_H
#define WORKER_FRAMES_H
/*
 * Threads and stacks. Long stacks are folded and paged.
 */
#include "worker/session/replay.h"

/*
 * Reads a thread's frames from `start` on into `frames`, folded, at most `depth` entries and
 * `budget` bytes. *next becomes the level of the next page, or -1 at the end of the stack.
 */
bool frames_collect(struct replay *replay, int thread, int start, int depth, size_t budget,
    json_t *frames, int *next, struct failure *failure);

/* Frames `from` to `to` as gdb has them, owned by the caller: none where the stack ends before. */
bool frames_list(
    struct replay *replay, int thread, int from, int to, json_t **stack, struct failure *failure);

/* `count` frames from `from` on as gdb has them, with arguments, not folded. */
bool frames_read(struct replay *replay, int thread, int from, int count, json_t **frames,
    struct failure *failure);

/* The same frames, owned by the caller, for who needs no more than there is: fewer or none where
 * the stack cannot be read. */
json_t *frames_from(struct replay *replay, int thread, int start, int depth, size_t budget);
/* Those of the selected thread, from the innermost on. */
json_t *frames_near(struct replay *replay, int depth, size_t budget);
/* Those of the selected thread for who needs no arguments, which cost as much as all the rest. */
json_t *frames_places(struct replay *replay, int start, int depth, size_t budget);

/* Where the selected frame lies on the stack, as gdb names it; 0 with a warning: not known. */
unsigned long long frames_address(struct replay *replay);

/* The same for a frame of the selected thread; 0: there is none of that level, or it is not known.
 */
unsigned long long frames_address_at(struct replay *replay, int level);
/* The level of the innermost frame that lies there, among the first ones; -1: none. */
int frames_at_address(struct replay *replay, unsigned long long address);

/* The level of the first frame of the program's own code in the selected thread; 0: there is none
 * near. */
int frames_own_level(struct replay *replay);

/* Selects the first frame of the program's own code in the selected thread, if a library's frames
 * are below it: the names that a client uses next are meant there. `answer` (may be NULL) then says
 * so. */
void frames_select_own(struct replay *replay, json_t *answer);

/*
 * How often frames[at .. at+period) repeats, at least twice after the first. Returns the number of
 * repetitions beyond the first, with *period; 0: it does not repeat. Frames are equal if function,
 * place and library are equal; without a function, if the addresses are.
 */
size_t frames_repeated(const json_t *frames, size_t at, size_t *period);

/* A number in a frame of the selected thread, such as $sp. */
bool frames_number(
    struct replay *replay, int level, const char *expression, unsigned long long *number);

#endif
