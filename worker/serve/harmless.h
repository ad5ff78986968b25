#ifndef WORKER_HARMLESS_H
#define WORKER_HARMLESS_H
/*
 * The one check of what a client writes for gdb to read: expressions, conditions, locations, names.
 * Every text that a tool of a session is given goes through it before the tool sees it, whatever
 * the tool does with it; so no tool can forget it.
 *
 * gdb has functions that reach beyond the recorded program ($_shell runs commands), and from gdb 16
 * on evaluates them in watchpoints and conditions too. Names of that kind are refused unless they
 * are known to only compute.
 */
#include <jansson.h>
#include <stdbool.h>
#include "sandbox/wire/failure.h"

/* One text. */
bool harmless_text(const char *text, struct failure *failure);

/* All texts among the arguments of a tool, of lists and objects too. */
bool harmless_arguments(const char *tool, const json_t *given, struct failure *failure);

#endif
