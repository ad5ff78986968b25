#ifndef SUPERVISOR_COMPOSE_H
#define SUPERVISOR_COMPOSE_H
/*
 * Decides what a worker sees and can write, from the settings, the kind of worker and the names in
 * its call.
 */
#include <stdbool.h>
#include "sandbox/wire/proto.h"
#include "supervisor/monitor/launcher.h"
#include "supervisor/monitor/visible_paths.h"
#include "supervisor/monitor/source_place.h"

/* A worker that is being made: in the launcher the request, in the child the answer. */
struct composition {
	const struct settings *settings;
	const struct paths *paths;
	enum worker_kind kind;
	uint32_t operation;
	const char *names[LAUNCH_NAME_COUNT]; /* "": not named */
	struct visible_paths visible;
	struct source_homes homes;
	struct broker *broker; /* NULL: this worker has none */
	int broker_end;	       /* the worker's end of its socket */
	bool compat_abi;       /* the trace has 32-bit programs */
	bool in_view;	       /* the worker has a view of its own; set before compose_paths */
	bool symbols_unsure;   /* see symbol_paths.h */
	bool unfinished;       /* rr had not closed the trace when its files were looked at */
	const char *pmu_why;  /* why the processor's counter must not be used; "" or NULL: it may */
	char trace[PATH_MAX]; /* the one that is replayed, links resolved; "": none */
	size_t links_looked;  /* entries of directories that were looked at for links */
	char other_trace[PATH_MAX]; /* the second one of a comparison */
};

/* Reads a request that was checked for its form. */
void compose_begin(struct composition *composition, const struct settings *settings,
    const struct paths *paths, const struct launch_request *request);

/* As struct sandbox_policy' compose has it; owner is the composition. Runs in the child. errno
 * tells what kind of failure it is: ENOENT, EPERM, EACCES, E2BIG, or another for a wrong name. */
int compose_paths(void *owner, struct sandbox_policy *policy, char *why, size_t why_size);

/* Whether the worker's operation changes a trace or makes one. */
bool compose_changes(const struct composition *composition);

#endif
