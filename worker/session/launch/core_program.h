#ifndef WORKER_CORE_PROGRAM_H
#define WORKER_CORE_PROGRAM_H
/*
 * Which program a core file is of, and whether a file is that program.
 */
#include "worker/session/core.h"

/* What the client named; "": nothing. */
struct core_asked {
	const char *core, *program, *sysroot;
};

/*
 * The file that gdb shall read as the program of the session's core file: the one that was named,
 * which must be the right one, else the one that was mapped. NULL: with *failure filled, or, if the
 * client named none, with a warning of the session that says what is missing. The caller frees it.
 */
char *core_program_find(
    struct replay *replay, const struct core_asked *asked, struct failure *failure);

#endif
