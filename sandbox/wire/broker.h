#ifndef SANDBOX_BROKER_H
#define SANDBOX_BROKER_H
/*
 * How a worker asks the monitor for one file of the user: it sends a packet of fixed form, and gets
 * a packet with one descriptor, or the reason why not. The monitor decides.
 */
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/* The worker's end, from exec on. The other end is closed if the worker has no broker. */
#define WORKER_BROKER_FD 4

#define BROKER_WHY_MAX 360
#define BROKER_SEVERAL "it may be " /* begins a refusal: several files have the name */

enum broker_what {
	BROKER_SOURCE,		/* a source file by its path, to be read */
	BROKER_READ_ARCHIVE,	/* the archive that the call names, to be read */
	BROKER_WRITE_ARCHIVE,	/* the archive that the call names, new, to be written */
	BROKER_DISCARD_ARCHIVE, /* removes what BROKER_WRITE_ARCHIVE made; no descriptor comes */
	BROKER_BOOKMARK,	/* adds a line to the bookmarks of the session's trace; likewise */
	BROKER_REPORT_PART,	/* adds text to a report; likewise */
	BROKER_REPORT,		/* writes the report into a new file of the trace; likewise */
	BROKER_RECORDED, /* a recording has ended: notes which sources its programs name; likewise
			  */
	BROKER_REMOVED	 /* the trace that the call names is gone: forgets them; likewise */
};

/* What must be said about a source. */
#define BROKER_ELSEWHERE 1u /* it is not where the debug information says */
#define BROKER_CHANGED	 2u /* it has changed since the recording */
#define BROKER_REBUILT	 4u /* a recorded program or library was built again since */

/* Where a trace's bookmarks are, in its directory. */
#define BROKER_BOOKMARKS_FILE "rr-warden.bookmarks"
#define BROKER_BOOKMARK_MAX   1000	  /* bytes of one line */
#define BROKER_BOOKMARKS_MAX  (64 * 1024) /* and of all */

/* The file of a report, in the same directory: prefix, number, ending. */
#define BROKER_REPORT_PREFIX "rr-warden.report-"
#define BROKER_REPORT_ENDING ".html"
#define BROKER_REPORTS_MAX   99		       /* of one trace */
#define BROKER_REPORT_MAX    (2 * 1024 * 1024) /* bytes of one */

struct broker_request {
	uint32_t what;
	/* BROKER_SOURCE: as the debug information names it; BROKER_RECORDED: the trace;
	 * BROKER_BOOKMARK: the line; BROKER_REPORT_PART: the text; else ""
	 */
	char path[PATH_MAX];
};

struct broker_reply {
	int32_t error;	/* 0, or an errno */
	uint32_t doubt; /* of a source */
	char why[BROKER_WHY_MAX];
	char path[PATH_MAX]; /* what was opened, links resolved */
};

/*
 * Asks on `fd` and waits for the answer, at most 10 seconds (BROKER_RECORDED: 20). Returns the
 * descriptor (CLOEXEC; the caller's), or 0 if the request brings none; -1 with errno, and the
 * reason in reply->why. path may be NULL.
 */
int broker_ask(int fd, enum broker_what what, const char *path, struct broker_reply *reply);

/* The monitor's side. Returns 1 with a request, 0 if the worker is gone, -1 for an invalid packet.
 */
int broker_receive(int fd, struct broker_request *request);

/* Sends a reply, with a descriptor unless that is -1. */
int broker_send(int fd, const struct broker_reply *reply, int descriptor);

#endif
