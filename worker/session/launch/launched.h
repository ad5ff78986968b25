#ifndef WORKER_LAUNCHED_H
#define WORKER_LAUNCHED_H
/*
 * The rr and the gdb behind a session, as processes. Only this folder includes it: whoever wants to
 * know something asks gdb.
 */
#include <limits.h>
#include "worker/serve/tool.h"
#include "worker/session/replay.h"
#include "worker/session/launch/starter.h"

#define LAUNCHED_SAID_MAX (PATH_MAX + 512)

struct launched {
	struct tool rr, gdb;
	const struct remote *link; /* between them, which belongs to struct gdb; NULL before */
	struct pmu_choice *choice; /* the counter that rr uses */
	struct starter starter;	   /* of the next rr */
	bool connected;
	char said[LAUNCHED_SAID_MAX]; /* by rr before it was connected to */
	size_t said_length;
	char gdb_words[512];  /* gdb's last line on stderr */
	bool gdb_words_ended; /* what follows is another one */
};

/* None runs yet. NULL: out of memory. */
struct launched *launched_new(void);
/* Ends both, and what could start others. */
void launched_end(struct launched *launched);
/* Ends them too; NULL has no effect. */
void launched_free(struct launched *launched);

/* Reads what both say, explains the session's loss when one ends, and waits for the children that
 * rr leaves. */
void launched_watch(struct replay *replay);
/* The same for another rr in its place. */
void launched_watch_rr(struct replay *replay);
void launched_forget_said(struct launched *launched);

#endif
