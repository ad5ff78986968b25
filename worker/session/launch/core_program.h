#ifndef WORKER_CORE_PROGRAM_H
#define WORKER_CORE_PROGRAM_H
/*
 * Which program a core file is of, and whether a file is that program.
 */
#include <limits.h>
#include "worker/session/core.h"

/* Whether a file here is the one that was mapped. */
enum core_match {
	CORE_MATCH_YES,	    /* by its build id */
	CORE_MATCH_UNKNOWN, /* nothing says that it is another one */
	CORE_MATCH_NO,
	CORE_MATCH_NO_FILE /* there is none, or it is no ELF file */
};

/* Judges the file at `path` for what was mapped under `name`; why[CORE_WHY_MAX] is a clause about
 * it. */
enum core_match core_program_match(
    const struct core *core, const char *name, const char *path, char *why);

/* Where a mapped file is here: in the root of its container, if there is one. False: too long. */
bool core_program_place(const char *name, const char *sysroot, char path[PATH_MAX]);

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
