#ifndef WORKER_SAYS_H
#define WORKER_SAYS_H
/*
 * What gdb's messages mean. gdb has no codes for them, so its words are all there is: they are in
 * says.c and nowhere else, and another gdb can word them in another way. Messages of our own that
 * take the same path are there too. Pure.
 */
#include <stdbool.h>

enum gdb_saying {
	SAYS_ANYTHING,
	SAYS_INTERRUPTED,
	SAYS_CALLS_ARE_OFF,
	SAYS_WRITES_ARE_OFF,
	SAYS_AMBIGUOUS,
	SAYS_UNREADABLE, /* memory that is not mapped */
	SAYS_BY_ZERO,
	SAYS_TOO_LARGE, /* a value */
	SAYS_OPTIMIZED_OUT,
	SAYS_IN_REGISTER, /* so it has no address; the name follows */
	SAYS_NO_ADDRESS,  /* for other reasons */
	SAYS_WOULD_COPY,  /* into the program, to have an address for it, or calls */
	SAYS_INLINED,
	SAYS_NO_OPERATOR,
	SAYS_NO_FRAME,	  /* of that number */
	SAYS_NO_BOUNDS,	  /* no function is known there */
	SAYS_NO_LINE,	  /* the file has no code for that line */
	SAYS_NO_LOCATION, /* no function or file of that name */
	SAYS_TOO_MANY_IN_HARDWARE,
	SAYS_UNWATCHABLE,
	SAYS_NOT_INSERTED,	  /* a breakpoint of gdb's own */
	SAYS_DISCONNECTED,	  /* rr is gone */
	SAYS_OTHER_REGISTERS,	  /* than rr sent */
	SAYS_PATTERN_IS_LARGER,	  /* than the memory to search */
	SAYS_SEARCH_WAS_CUT_OFF,  /* at memory that is not mapped */
	SAYS_PYTHON_FAILED,	  /* the reason is in the log */
	SAYS_ASSERTION_CONTINUED, /* the same */
	SAYS_NOT_ENABLED,	  /* a watchpoint; its number follows */
	SAYS_NOT_COMPARED,	  /* a watchpoint, which gdb then deletes; its number follows */
	SAYS_NOT_SET_AGAIN,	  /* a breakpoint, after a restart; its number follows */
};

bool gdb_says(const char *message, enum gdb_saying what);

/* The same; gives what follows the words, NULL if it does not say that. */
const char *gdb_says_of(const char *message, enum gdb_saying what);

#endif
