#ifndef WORKER_RAISED_H
#define WORKER_RAISED_H
/*
 * Errors that the runtime of a language prints before it ends the program with an exit status:
 * panics of Rust and Go, exceptions of Ada and D, errors of Fortran. What it prints is all that
 * tells them from an exit that the program wanted.
 */
#include "worker/session/replay.h"

#define RAISED_TEXT_MAX 600

struct raised {
	/* NULL-terminated lists of functions. */
	const char *const *places;  /* that such an error passes, its frames still there; NULL: they
				       are still there at the end */
	const char *const *printer; /* behind these are errors of the runtime's own; NULL: none */
	char text[RAISED_TEXT_MAX]; /* what the runtime prints, in one line */
};

/* From the exit code of a report and from what the program printed (may be NULL). */
bool raised_find(const json_t *report, const json_t *output, struct raised *raised);

/* From the end back to where it was raised: the program stands there, and true is returned. False
 * if the place is not found; the program then stands anywhere. Must be called within an excursion.
 */
bool raised_go_back(struct replay *replay, const struct raised *raised);

#endif
