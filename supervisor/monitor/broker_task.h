#ifndef SUPERVISOR_BROKER_TASK_H
#define SUPERVISOR_BROKER_TASK_H
/*
 * What a broker's process may open: found by the child that becomes the worker, from what the call
 * names and the settings allow, and held to by the broker.
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct composition;

#define ROOTS_MAX 64

/* Where sources are opened. */
struct roots {
	char paths[ROOTS_MAX][PATH_MAX];
	const char *list[ROOTS_MAX + 1]; /* NULL-terminated */
	size_t count;
};

struct broker_task {
	struct roots trees, flats; /* with everything below, or only files directly in it */
	bool reads, writes;	   /* the archive */
	bool syslog;		   /* the audit goes there too */
	char archive[PATH_MAX];	   /* its path with links resolved; "": none */
	char directory[PATH_MAX];  /* the archive's */
	char named[PATH_MAX];	   /* as the call names it: for the audit */
	const char *why_none;	   /* of an archive that must not be opened; static */
	int error;		   /* the same, 0: EACCES */
	char trace[PATH_MAX];	   /* where bookmarks and reports may be written; "": nowhere */
};

/* Fills in a task of zeroes. What is not allowed is left out, and refused once it is asked for. */
void broker_task_make(struct broker_task *task, const struct composition *composition);

/* Directories whose names begin with a dot contain keys and settings, not sources. `below` is the
 * part of a path that counts. */
bool broker_task_has_dotted(const char *below);

#endif
