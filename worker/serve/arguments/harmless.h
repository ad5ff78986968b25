#ifndef WORKER_HARMLESS_H
#define WORKER_HARMLESS_H
/*
 * The one check of everything that a client writes for gdb to read: expressions, conditions,
 * locations, names. Every text for a session's tool passes it before the tool sees the text, so no
 * tool can forget it.
 *
 * gdb has functions that reach beyond the recorded program ($_shell runs commands), and since gdb
 * 16 it evaluates them in watchpoints and conditions too. The check refuses such names unless they
 * are known to only compute. It also refuses an expression or a location that gdb would take for
 * something else beside it: an option, a condition, a thread; and an expression that changes
 * something, unless it may call into the program (see phrase.h).
 */
#include <jansson.h>
#include <stdbool.h>
#include "sandbox/wire/failure.h"

/* What the texts of an argument are. */
enum harmless_kind {
	HARMLESS_NAME, /* gdb never reads it, or only as a name or a pattern */
	HARMLESS_EXPRESSION,
	HARMLESS_LOCATION,
};

enum harmless_kind harmless_kind(const char *tool, const char *argument);

/* Whether a text names only what computes. */
bool harmless_text(const char *text, struct failure *failure);

/* Whether gdb may read a text as an expression; may_change: it may call into the program. */
bool harmless_expression(const char *text, bool may_change, struct failure *failure);

/* All texts among the arguments of a tool, of lists and objects too. Not
 * those of rr_evaluate's list of several, which it checks one by one: a bad one leaves the others.
 */
bool harmless_arguments(const char *tool, const json_t *given, struct failure *failure);

#endif
