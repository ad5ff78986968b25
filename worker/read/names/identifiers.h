#ifndef WORKER_IDENTIFIERS_H
#define WORKER_IDENTIFIERS_H
/*
 * The names in a C or C++ expression that may be variables, found in its text without parsing it.
 * Types and keywords are among them; literals, members, parts of qualified names and names of calls
 * are not.
 */
#include <stddef.h>

struct identifier {
	const char *name; /* in the text; NULL: none is left */
	size_t length;
};

/* The first one at or after `at`, in a text that begins at `text`. A register's begins with $. */
struct identifier identifier_next(const char *text, const char *at);

#endif
