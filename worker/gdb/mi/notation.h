#ifndef WORKER_NOTATION_H
#define WORKER_NOTATION_H
/*
 * gdb's notation of a structure: "{name = value, <Base> = {...}, ...}". Pure: spans point into the
 * text that was given, which must end with a NUL somewhere behind them.
 */
#include <stdbool.h>
#include <stddef.h>

#define NOTATION_MEMBERS_MAX 64 /* of one aggregate */

struct span {
	const char *at;
	size_t length;
};

bool span_begins(struct span span, const char *with);
bool span_is(struct span span, const char *text);

/* "{...}", and what is between the braces. */
bool span_is_aggregate(struct span value);
struct span span_inside(struct span aggregate);

/* One entry of an aggregate: `name = value`, `<Base> = value`, or a value alone (without name). */
struct member {
	struct span whole, name, value;
};

struct members {
	struct member list[NOTATION_MEMBERS_MAX];
	size_t count;
};

/* The members in the text between an aggregate's braces. False if there are more than
 * NOTATION_MEMBERS_MAX, or if the text is not as gdb writes one. */
bool notation_split(struct span text, struct members *members);

/* The member of that name, which points into `members`; NULL if there is none. */
const struct member *notation_find(const struct members *members, const char *name);

#endif
