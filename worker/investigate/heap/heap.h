#ifndef WORKER_HEAP_H
#define WORKER_HEAP_H
/*
 * What rr_heap_history knows of the block around one address while it follows it through the
 * recording. Shared by its modules: heap_lives leaves out the first of many lives, heap_stops sets
 * what the search stops at, heap_life follows the block, heap_late looks further for uses after the
 * free, heap_history runs the search and answers.
 */
#include "worker/investigate/code/allocator.h"
#include "worker/investigate/code/access_kind.h"
#include "worker/investigate/search/search.h"
#include "worker/investigate/code/where.h"
#include "worker/run/sweep/scan.h"

#define HEAP_WORD      8
#define HEAP_WORDS_MAX 4   /* that the processor can watch */
#define HEAP_USES_MAX  100 /* looked at, of one life */
#define HEAP_HITS_MAX  20000
#define HEAP_NAME_MAX  120
#define HEAP_PLACE_MAX 200

enum heap_state {
	HEAP_NONE,
	HEAP_LIVE,
	HEAP_FREED,
	HEAP_GONE /* freed, and its memory went back to the system */
};

struct heap {
	struct replay *replay;
	const struct heap_history_args *args;
	struct allocator allocator;
	enum allocator_malloc called; /* whose malloc, as soon as that is known */
	unsigned long long address;
	struct moment asked; /* where the session stands */
	/* gdb's numbers. Breakpoints: where malloc hands out and takes back. Watchpoints: in the
	 * block, and on the headers around it. */
	int returns[ALLOCATOR_RETURNS_MAX], take, resize;
	bool returns_off;	/* those are disabled */
	bool takes_in_hardware; /* take and resize have debug registers */
	int words[HEAP_WORDS_MAX], below, above;
	unsigned long long watched, watched_words;
	unsigned long long extent; /* bytes from the address on that belong to the question */
	struct {
		int number; /* of the breakpoint where it returns; 0: none is under way */
		int tid;
		unsigned long long size;
		long long given;
		json_t *where;
	} resizing;
	enum heap_state state;
	struct block block;
	struct moment made_at;	      /* where malloc returned it; event 0: it was resized since */
	unsigned long long requested; /* bytes that the program asked for; 0: not known */
	unsigned long long slack_watched; /* bytes behind these that were watched */
	int slack[HEAP_WORDS_MAX];	  /* gdb's numbers of the watchpoints */
	bool begun_again;		  /* another block begins where the freed one did */
	bool broken_into;		  /* an overrun was told in this life */
	enum allocator_way way;
	char way_name[HEAP_NAME_MAX];
	long long given;	  /* blocks that were handed out here */
	long long skipped;	  /* of these, at least: not looked at */
	long long uses, late;	  /* of the present one; of its memory after it was freed */
	long long hits;		  /* stops */
	bool searches_late;	  /* only for uses after the free */
	long long wrong;	  /* `given` at the first mistake */
	size_t life, life_before; /* where among the events the present life begins, and the last */
	json_t *events, *places;
	json_t *problem, *problem_moment; /* the first mistake */
	json_t *made, *dropped;		  /* where the block was handed out and freed last: words */
	json_t *dropped_at;		  /* the moment's name */
	bool dangles;			  /* the session stands behind that moment */
	char place[HEAP_PLACE_MAX];	  /* the mapping of the address */
	struct access_kinds code;
	struct where_code where;
};

/* ---- heap_stops.c ---- */

/* Stops at every block with the address in it that is handed out. */
void heap_set_breakpoints(struct heap *heap);
/* After the block's place or size has changed: also where it is taken back or resized. */
void heap_set_conditions(struct heap *heap);
/* Whether it is to stop at blocks that are handed out: nobody else gets the memory of a live one,
 * and each pass costs a part of a millisecond. */
void heap_await_block(struct heap *heap);
/* Watches the block and the headers around it; or only the block, from an address in it on; or
 * nothing. */
void heap_watch_live(struct heap *heap);
void heap_watch_freed(struct heap *heap, unsigned long long from);
void heap_unwatch(struct heap *heap);
void heap_unwatch_words(struct heap *heap);
/* The same of a live block. The debug registers that this leaves are for the calls that take blocks
 * back: the software counter itself passes over those of other blocks. */
void heap_leave_words(struct heap *heap);
/* Whether a watchpoint is one of the block's own. */
bool heap_is_word(const struct heap *heap, int number);
/* Removes a breakpoint, and sets its number to 0. */
void heap_unset(struct heap *heap, int *number);
/* Removes all breakpoints and watchpoints. */
void heap_clear_stops(struct heap *heap);

/* ---- heap_life.c ---- */

/* Runs on through the search's stretch and takes note of each stop at one of those. A late search
 * is whole as well where it has found a use, or memory that is no freed block any more. */
enum search_end heap_search(struct heap *heap, struct search *search, struct failure *failure);

/* Takes over the conclusion, resp. the place. */
void heap_note_problem(struct heap *heap, json_t *conclusion);
void heap_add_event(struct heap *heap, const char *what, json_t *where);

/* A text, or words for code that is not known. */
const char *heap_words(const json_t *text);

/* ---- heap_lives.c ---- */

/* Before the search for the lives, and on to where the last ones of many begin. SEARCH_ENOUGH: it
 * may begin. */
enum search_end heap_skip_lives(struct heap *heap, struct search *search, struct failure *failure);

/* ---- heap_slack.c ---- */

/* Finds out how many bytes of the present block the program asked for. Moves the program. */
void heap_learn_requested(struct heap *heap);
/* Whether malloc added bytes that are worth a look. */
bool heap_has_slack(const struct heap *heap);
/* Looks for writes of the program to these. The heap has no stops before. */
enum search_end heap_search_slack(
    struct heap *heap, struct search *search, struct failure *failure);

/* ---- heap_late.c ---- */

/* Sets `extent` from the type that the client's pointer points to. */
void heap_measure(struct heap *heap, const char *pointer);
/* Whether bytes that belong to the question were not watched after the free. */
bool heap_is_unwatched(const struct heap *heap);
/* Watches the next of them, from the free to the end of the search. The heap has no stops before.
 */
enum search_end heap_search_late(struct heap *heap, struct search *search, struct failure *failure);

#endif
