/*
 * The C library's frames between abort and the check have no names in a stripped library, but they
 * are always the same two: the one that prints the message, and the one that is called with it.
 */
#include "worker/investigate/heap/damage_writer.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/code/allocator.h"
#include "worker/investigate/search/backtrack.h"
#include "worker/investigate/heap/damage_reads.h"
#include "worker/investigate/code/where.h"
#include "worker/read/values/accessed.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/position.h"
#include "worker/read/names/symbol.h"
#include "worker/breaks/watchpoint.h"

#define WATCHED_MAX 4 /* that the processor can watch */
#define ROUNDS_MAX  3
#define WORD	    8
#define ROUNDS_BACK 2  /* from what malloc wrote to what it had read for that */
#define BLOCK_MARKS 16 /* malloc reads its own marks in the beginning of a block */

/* ---- Where on the stack malloc is ------------------------------------------------------------ */

/* The name without what glibc puts in front: free of __GI___libc_free. */
static bool is_allocators(const char *name, bool takes)
{
	static const char *const before[] = {"__GI_", "__libc_", "_"};
	static const char *const names[] = {"free", "cfree", "realloc", "malloc", "calloc",
	    "memalign", "aligned_alloc", "posix_memalign", "valloc", "pvalloc", "malloc_trim"};
	size_t count = takes ? 3 : sizeof(names) / sizeof(*names);

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
		if (strncmp(name, before[i], strlen(before[i])) == 0)
			name += strlen(before[i]);
	name += strncmp(name, "_libc_", 6) == 0 ? 6 : 0;
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

unsigned long long damage_entry(struct replay *replay, bool takes)
{
	json_t *frames = backtrack_stack(replay), *frame;
	unsigned long long address, entry = 0;
	struct symbol symbol;
	const char *name;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		name = mi_text(frame, "func");
		if (entry || !name || !is_allocators(name, takes))
			continue;
		address = mi_address(frame, "addr");
		if (symbol_at(replay, address, &symbol))
			entry = address - symbol.offset;
	}
	json_decref(frames);
	return entry;
}

static bool is_abort(const char *name)
{
	return strcmp(name, "abort") == 0 || strcmp(name, "__GI_abort") == 0;
}

/* The call of what prints the message and aborts; 0: the stack is another one. */
static unsigned long long failing_call(struct replay *replay)
{
	json_t *frames = backtrack_stack(replay), *frame;
	unsigned long long call = 0;
	size_t i, at = BACKTRACK_DEPTH;

	json_array_foreach(frames, i, frame)
	{
		const char *name = mi_text(frame, "func");

		if (at == BACKTRACK_DEPTH && name && is_abort(name))
			at = i + 3;
		if (i == at)
			call = backtrack_call(replay, frame);
	}
	json_decref(frames);
	return call;
}

/* ---- Who wrote a word ------------------------------------------------------------------------ */

enum wrote { WROTE_UNKNOWN, WROTE_ALLOCATOR, WROTE_OTHER };

/* Words that are watched on the way back, the most suspicious first. */
struct watched {
	struct allocator allocator;
	unsigned long long words[WATCHED_MAX];
	bool own_data[WATCHED_MAX]; /* of a library: it can only lead on */
	int numbers[WATCHED_MAX];
	enum wrote wrote[WATCHED_MAX];
	struct moment moments[WATCHED_MAX];
	json_t *by[WATCHED_MAX];
	size_t count;
};

/* The first word that others wrote, if all in front of it are known; -1: not yet. */
static int found_of(const struct watched *watched)
{
	for (size_t i = 0; i < watched->count; i++) {
		if (watched->wrote[i] == WROTE_UNKNOWN)
			return -1;
		if (watched->wrote[i] == WROTE_OTHER)
			return (int)i;
	}
	return -1;
}

static bool all_known(const struct watched *watched)
{
	for (size_t i = 0; i < watched->count; i++)
		if (watched->wrote[i] == WROTE_UNKNOWN)
			return false;
	return true;
}

static void judge(struct replay *replay, struct watched *watched, size_t i)
{
	watched->moments[i] = *replay_now(replay);
	if (watched->own_data[i] ||
	    allocator_accessor(replay, &watched->allocator) == ACCESSOR_ALLOCATOR) {
		watched->wrote[i] = WROTE_ALLOCATOR;
		return;
	}
	watched->by[i] = where_own_words(replay);
	watched->wrote[i] = WROTE_OTHER;
}

static enum scan_verdict see_write(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct watched *watched = context;
	struct instruction writer;

	if (!hit->watched || !hit->old || !hit->new || strcmp(hit->old, hit->new) == 0 ||
	    strcmp(hit->old, "<unreadable>") == 0)
		return SCAN_ON;
	if (!position_update(replay, failure))
		return SCAN_GIVE_UP;
	for (size_t i = 0; i < watched->count; i++)
		if (watched->numbers[i] == hit->number && watched->wrote[i] == WROTE_UNKNOWN &&
		    backtrack_writes(replay, watched->words[i], WORD, &writer))
			judge(replay, watched, i);
	return found_of(watched) >= 0 || all_known(watched) ? SCAN_ENOUGH : SCAN_ON;
}

/* Back from here until it is known who wrote the words last. */
static void find_writers(struct replay *replay, struct watched *watched)
{
	for (size_t i = 0; i < watched->count; i++)
		watched->numbers[i] =
		    watchpoint_insert_word(replay, watched->words[i], WATCH_WRITE);
	(void)backtrack_scan(replay, see_write, watched); /* what it has not found is not known */
	for (size_t i = 0; i < watched->count; i++)
		temporary_breakpoint_delete(replay, watched->numbers[i]);
}

static void forget(struct watched *watched)
{
	for (size_t i = 0; i < watched->count; i++)
		json_decref(watched->by[i]);
	watched->count = 0;
}

/* ---- The way back ---------------------------------------------------------------------------- */

static void take_writer(const struct watched *watched, int number, struct damage_writer *writer)
{
	writer->word = watched->words[number];
	writer->moment = watched->moments[number];
	writer->by = json_incref(watched->by[number]);
}

/* Looks at the words one after the other, some at a time. *last is where malloc wrote the first of
 * them, if it did. False: nobody else wrote any. */
static bool look_at_words(struct replay *replay, const struct moment *from,
    const struct reads *words, struct moment *last, struct damage_writer *writer)
{
	struct watched watched = {0};
	cleanup_failure struct failure ignored = {0};
	int number = -1;

	last->event = 0;
	for (size_t at = 0, round = 0; at < words->count && round < ROUNDS_MAX && number < 0;
	     round++) {
		if (round && !position_go(replay, from, &ignored))
			break;
		if (!allocator_find(replay, &watched.allocator))
			break;
		for (; at < words->count && watched.count < WATCHED_MAX; at++) {
			watched.wrote[watched.count] = WROTE_UNKNOWN;
			watched.by[watched.count] = NULL;
			watched.own_data[watched.count] = words->words[at].in_file;
			watched.words[watched.count++] = words->words[at].address;
		}
		find_writers(replay, &watched);
		/* What was never written can only be what it was when it was mapped. */
		for (size_t i = 0; i < watched.count; i++)
			if (watched.wrote[i] == WROTE_UNKNOWN)
				watched.wrote[i] = WROTE_ALLOCATOR;
		number = found_of(&watched);
		if (number >= 0)
			take_writer(&watched, number, writer);
		if (!round)
			*last = watched.moments[0];
		forget(&watched);
	}
	return number >= 0 && position_go(replay, &writer->moment, &ignored);
}

/* Keeps the words of the heap among them, and the last of all. */
static void choose(struct reads *reads, unsigned long long own)
{
	size_t count = 0;

	for (size_t i = 0; i < reads->count; i++) {
		unsigned long long word = reads->words[i].address;

		if ((i == 0 || !reads->words[i].in_file) &&
		    !(own && word >= own && word < own + BLOCK_MARKS))
			reads->words[count++] = reads->words[i];
	}
	reads->count = count;
}

bool damage_find_writer(struct replay *replay, unsigned long long own, struct damage_writer *writer)
{
	unsigned long long entry, call = failing_call(replay);
	cleanup_failure struct failure ignored = {0};
	struct moment until, last;
	struct reads reads;
	bool found = false, on;

	*writer = (struct damage_writer){0};
	on = call && backtrack_to(replay, call);
	last = *replay_now(replay);
	for (int back = 0; back < ROUNDS_BACK && on && !found; back++) {
		until = last;
		if (back && (!until.event || !position_go(replay, &until, &ignored)))
			break;
		entry = damage_entry(replay, false);
		on = entry && backtrack_to(replay, entry) && reads_note(replay, &until, &reads);
		if (on)
			choose(&reads, own);
		found = on && look_at_words(replay, &until, &reads, &last, writer);
		own = 0;
	}
	return found;
}
