#ifndef SUPERVISOR_GRANT_H
#define SUPERVISOR_GRANT_H
/*
 * Judges which directories a recording may be given: what is hidden stays hidden, and the system
 * stays as it is, whatever names them.
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum grant {
	GRANT_WRITE,   /* this directory, and what is below it */
	GRANT_NOTHING, /* nothing is hidden there, but it belongs to the system: it stays as it is
			*/
	GRANT_REFUSED  /* it would uncover what is hidden */
};

/* Whose request it is. */
struct grantee {
	const char *home; /* the user's own, links resolved; "": none */
	bool whole_home;  /* the user's own home is visible anyway */
	bool by_call;	  /* a call names the directory; otherwise it is where the server runs */
	bool for_trace;	  /* it is for a trace, and no place to work in */
	bool is_root;
};

/* A path from visible_paths_follow. Of what is refused, *rule is a clause about it, and *remedy
 * what to do instead. */
enum grant grant_directory(
    const struct grantee *grantee, const char *real, char rule[PATH_MAX], const char **remedy);

/* Whether a program may be shown, as this one file. */
bool grant_program(
    const struct grantee *grantee, const char *real, char rule[PATH_MAX], const char **remedy);

/* Whether $HOME can be taken for a home: not if it is the system's, or contains what is hidden. */
bool grant_is_home(const char *real, bool is_root);

#endif
