#ifndef WORKER_BREAKPOINT_H
#define WORKER_BREAKPOINT_H
/*
 * A breakpoint or watchpoint of the client as data, and the list of them. Does not talk to gdb. We
 * number them ourselves, so that a number stays the same after the session was restored, whatever
 * numbers gdb gives them.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "sandbox/wire/tools.h"

#define BREAKPOINTS_MAX 200

struct breakpoint {
	int number; /* the client's; 0: none yet */
	int gdb;    /* gdb's in this worker; 0: it is not set now */
	bool watches;
	char *what;	 /* where it breaks, or the expression it watches */
	char *condition; /* NULL: none */
	char *catches;	 /* of rr_catch: a word of choices_caught; NULL: a plain one */
	bool temporary;
	bool disabled; /* ignored until it is enabled again */
	bool pending;  /* waits for a library that has it */
	long long ignore_count;
	long long thread; /* tid; 0: all */
	enum watch_access access;
	bool by_location; /* it watches the address of the expression's value */
	char *resolved;	  /* the typed address of that; NULL: none is known */
	bool bound;	  /* it has a meaning only in the image that began at `image` */
	long long image;
	long long hits_before; /* beside what gdb counts: in other images, less those of searches */
	long long hits_noted;  /* by breakpoints_note_hits */
};

struct breakpoint_list {
	struct breakpoint *entries;
	size_t count;
	int next;      /* number of the next one */
	int suspended; /* how many have them out of the way */
};

/* Frees its texts. */
void breakpoint_clear(struct breakpoint *breakpoint);

/* All of it but gdb's number, for the state of the session, and back: false when the JSON describes
 * no breakpoint. breakpoint_clear in either case. */
json_t *breakpoint_json(const struct breakpoint *breakpoint);
bool breakpoint_from_json(const json_t *json, struct breakpoint *breakpoint);

/* Takes it over, and numbers it if it has no number; what it was taken from is empty afterwards.
 * Returns where it is, until the list changes, or NULL when out of memory. */
struct breakpoint *breakpoint_list_add(struct breakpoint_list *list, struct breakpoint *breakpoint);
void breakpoint_list_remove(struct breakpoint_list *list, struct breakpoint *breakpoint);
void breakpoint_list_clear(struct breakpoint_list *list);

/* NULL when there is none; a number of 0 is nobody's. */
struct breakpoint *breakpoint_by_number(const struct breakpoint_list *list, long long number);
struct breakpoint *breakpoint_by_gdb(const struct breakpoint_list *list, long long gdb);

#endif
