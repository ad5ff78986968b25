#ifndef SUPERVISOR_LEDGER_SURVEY_H
#define SUPERVISOR_LEDGER_SURVEY_H
/*
 * What a finished recording adds to the ledger: the sources and files of debug information that its
 * programs name, of those that the recorded program could have read itself.
 */
#include "sandbox/sandbox.h"

struct ledger_scene {
	const struct sandbox_policy *policy; /* the layers for the children that read ELF files */
	const char *const *shown;  /* what the recording saw of hidden places; NULL: all */
	const char *const *beside; /* further directories to look for sources below; NULL-terminated
				    */
	long long since;	   /* when the recording began: ns since the epoch */
};

/* Writes the ledger of the trace at `path`, which is absolute. Takes a few seconds at most. Returns
 * 0, or -1 with errno if the path is no trace that was recorded since then by this user. */
int ledger_survey(const struct ledger_scene *scene, const char *path);

#endif
