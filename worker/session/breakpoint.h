#ifndef WORKER_BREAKPOINT_H
#define WORKER_BREAKPOINT_H
/*
 * The client's breakpoints and watchpoints as data. Does not talk to gdb. We number them ourselves,
 * so that numbers stay the same when a session is restored, whatever numbers gdb gives.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "sandbox/wire/tools.h"

#define BREAKPOINTS_MAX 200

struct breakpoint {
	int number; /* the client's; 0: none yet */
	int gdb;    /* gdb's in this worker; 0: not set now */
	bool watches;
	char *what;	 /* where it breaks, or the expression it watches */
	char *condition; /* NULL: none */
	bool is_ours;	 /* the condition is ours alone: gdb's bytecode has it, in C */
	char *judged;	 /* a watchpoint's condition as of judged.h; NULL: gdb reads it */
	char *catches;	 /* of rr_catch: a word of choices_caught; NULL: a plain one */
	bool temporary;
	bool disabled; /* ignored until it is enabled again */
	bool pending;  /* waits for a library that contains it */
	bool left;     /* gdb had it when the session left its image */
	bool by_int3;  /* although it has a condition: others need the debug registers */
	long long ignore_count;
	long long thread; /* tid; 0: all */
	enum watch_access access;
	bool by_location;	      /* it watches the address of the expression's value */
	char *resolved;		      /* that address; NULL: none is known */
	char *absolute;		      /* what it watches, as of absolute_expression */
	unsigned long long frame_top; /* of the frame it watches in, as of holder.h; 0: none */
	unsigned long long frame_back;
	char *frame_function;
	bool bound; /* only valid in the program that the exec at `image` began, in its
		     * process and in those that were forked from it */
	long long image;
	long long process;     /* only valid there; 0: in all. See breakpoints_follow */
	long long hits_before; /* in other images, minus those of searches; gdb counts the rest */
	long long hits_noted;  /* noted by breakpoints_note_hits */
};

struct breakpoint_list {
	struct breakpoint *entries;
	size_t count;
	int next;      /* number of the next one */
	int suspended; /* how many callers have disabled them */
	bool aside;    /* watchpoints with a condition are out of the way of a step back */
};

/* Frees its texts. */
void breakpoint_clear(struct breakpoint *breakpoint);

/* Converts everything but gdb's number to JSON for the session's state, and back. False if the JSON
 * describes no breakpoint. Call breakpoint_clear in either case. */
json_t *breakpoint_json(const struct breakpoint *breakpoint);
bool breakpoint_from_json(const json_t *json, struct breakpoint *breakpoint);

/* Its hits in all images. `row`: gdb's of it, see mi_breakpoint_row; may be NULL. */
long long breakpoint_hits(const struct breakpoint *breakpoint, const json_t *row);

/* An empty one; NULL: out of memory. */
struct breakpoint_list *breakpoint_list_new(void);
/* Takes the breakpoint over, leaves the original empty, and numbers it if it has no number. Returns
 * its place, valid until the list changes, or NULL when out of memory. */
struct breakpoint *breakpoint_list_add(struct breakpoint_list *list, struct breakpoint *breakpoint);
void breakpoint_list_remove(struct breakpoint_list *list, struct breakpoint *breakpoint);
void breakpoint_list_free(struct breakpoint_list *list);

/* NULL if there is none. 0 is never a valid number. */
struct breakpoint *breakpoint_by_number(const struct breakpoint_list *list, long long number);
struct breakpoint *breakpoint_by_gdb(const struct breakpoint_list *list, long long gdb);

#endif
