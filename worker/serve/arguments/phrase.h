#ifndef WORKER_PHRASE_H
#define WORKER_PHRASE_H
/*
 * Whether a client's text is one expression or one location, and nothing beside it. Pure: text in,
 * answer out.
 *
 * gdb reads an expression up to where it can make no more of it, and takes the rest for something
 * else: "x if 0" for a condition, "x thread 1" for a thread, "-h" for an option, "/x y" for a
 * format. Some of its commands ignore the rest, and then answer a question that nobody asked.
 * What passes here stays one expression in brackets too, as in "&(%s)".
 */
#include <stdbool.h>
#include "sandbox/wire/failure.h"

/* An expression of the program's language, or a type's name. `what` is the argument's name. False
 * with *failure filled when the text is something else beside it. */
bool phrase_is_expression(const char *what, const char *text, struct failure *failure);

/* Whether reading the expression changes nothing: it has no assignment, ++ or --. gdb itself keeps
 * memory as it is, but not its own variables ($x = 3), and it hides a part that it does not come to
 * (x == 1 && y = 2), or cannot parse in a condition. Does not look for calls, which gdb refuses. */
bool phrase_only_reads(const char *what, const char *text, struct failure *failure);

/* A function, file:line, or *expression. */
bool phrase_is_location(const char *what, const char *text, struct failure *failure);

#endif
