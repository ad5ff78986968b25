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
	struct roots
	    trees; /* below these, sources are opened; of a recording: where it can write */
	size_t named_trees;	    /* how many of the trees, the first ones, a setting names */
	bool forgets;		    /* the worker removes a trace */
	bool keeps_ledger;	    /* the worker records */
	bool covers;		    /* a recording: hidden places are not seen, but for the trees */
	char ledger[NAME_MAX];	    /* what the call removes from the ledger; "": nothing */
	char recorded[2][PATH_MAX]; /* the traces that the worker replays; or "" */
	char here[PATH_MAX];	    /* a recording: the git work tree of the server; or "" */
	char working[PATH_MAX];	    /* where the recorded program starts; or "" */
	bool reads, writes;	    /* the archive */
	bool syslog;		    /* the audit goes there too */
	char archive[PATH_MAX];	    /* its path with links resolved; "": none */
	char directory[PATH_MAX];   /* the archive's */
	char named[PATH_MAX];	    /* as the call names it: for the audit */
	const char *why_none;	    /* of an archive that must not be opened; static */
	int error;		    /* the same, 0: EACCES */
	char trace[PATH_MAX];	    /* where bookmarks and reports may be written; "": nowhere */
};

/* Fills in a task of zeroes; `covers` as the policy has it. What is not allowed is left out, and
 * refused once it is asked for. */
void broker_task_make(struct broker_task *task, const struct composition *composition, bool covers);

#endif
