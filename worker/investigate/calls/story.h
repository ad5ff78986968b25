#ifndef WORKER_STORY_H
#define WORKER_STORY_H
/*
 * One run through the lines of a function, and how to tell it in few words: what repeats is told
 * once, with a count. Knows no program.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "worker/session/replay.h"

#define STORY_ROWS_MAX 20000

struct story_row {
	int line;
	struct moment moment;
	unsigned long long reached; /* how far in the code; lines can begin in several places */
	json_t *calls;		    /* those it made: {moment, name, args, returned?}; NULL: none */
};

struct story {
	struct story_row *rows; /* owned */
	size_t count;
	size_t calls;
	bool cut; /* the function went on behind the last row */
};

bool story_begin(struct story *story); /* false: out of memory */
void story_end(struct story *story);

/* False if it is full. */
bool story_add(struct story *story, int line, const struct moment *moment);
/* Adds a call, which the caller fills in, to the last row. Borrowed; NULL if there is no row. */
json_t *story_add_call(struct story *story, const struct moment *moment);

/* How to write a moment. */
typedef json_t *story_namer(void *owner, const struct moment *moment);

/* Texts of source lines; "" where it has none. */
struct story_source {
	const char *text; /* rows "  12  code", as source_between has them; may be NULL */
};

/*
 * The rows as texts, at most `limit`; of more, the middle is left out. `namer` is asked only for
 * moments that are told.
 */
json_t *story_tell(const struct story *story, const struct story_source *source, size_t limit,
    story_namer *namer, void *owner);

/* Which way it went: for each line that more than one line followed, or that is a branch by its
 * text, how often which line was next. */
json_t *story_branches(const struct story *story, const struct story_source *source);

#endif
