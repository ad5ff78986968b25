/*
 * The programs of `make check-real`.
 */
#ifndef TESTS_REAL_PROGRAMS_H
#define TESTS_REAL_PROGRAMS_H

enum {
	REAL_VARIES = 1,  /* it prints something else each time */
	REAL_GUARDED = 2, /* it is recorded with the guard heap as well */
};

struct real_program {
	const char *name, *package;
	const char *needs;   /* a command, or a path with stars */
	const char *script;  /* for sh, in an empty folder that is HOME's too */
	const char *prints;  /* part of its output */
	const char *process; /* part of the command of the one that is replayed */
	const char *stop;    /* a function that it calls */
	unsigned how;	     /* REAL_... */
};

/* Ends with a row without a name. */
extern const struct real_program real_programs[];

#endif
