#ifndef SUPERVISOR_BROKER_REQUESTS_H
#define SUPERVISOR_BROKER_REQUESTS_H
/*
 * The requests of one worker, in the broker's process: each is judged, carried out or refused, and
 * ends in one line of the audit.
 */
#include <stdint.h>
#include <sys/stat.h>

#include "sandbox/sandbox.h"
#include "sandbox/wire/broker.h"
#include "supervisor/monitor/broker_task.h"
#include "supervisor/monitor/report_file.h"
#include "supervisor/monitor/source_place.h"

struct ledger;

/* In memory that is shared between the launcher, the broker and the child that becomes the worker,
 * which makes the task. Starts as zeroes. */
struct broker {
	int fd;
	int worker; /* pidfd; -1 until the broker gets it */
	struct broker_task task;
	unsigned refused, granted; /* requests */
	unsigned added;		   /* bookmarks */
	struct stat made;	   /* the archive that was made; st_ino 0: none */
	struct report_file report;
	/* of its process, from broker_sources_prepare on */
	struct source_homes homes;
	struct ledger *ledgers[2];	 /* NULL: the trace has none */
	struct roots source_directories; /* where their files are */
	char ledger_place[PATH_MAX];	 /* the ledger's directory; "": it is not written */
	long long since;		 /* when it began: ns since the epoch */
	unsigned surveys;		 /* recordings */
	const struct sandbox_policy *policy;
	const char *const *redact; /* patterns of what is masked in reports */
};

/* Fills in a refusal. Returns -1. */
int broker_refuse(struct broker_reply *reply, int error, const char *why);

/* Checks an opened file and takes the descriptor: it must be a regular file of at most `most` bytes
 * (0: any) that belongs to this user, root or everybody. Returns it, or -1 with the reply's error.
 */
int broker_judge(int fd, off_t most, struct broker_reply *reply);

/* Opens a path that contains no links. */
int broker_open(int at, const char *path, uint64_t flags, uint64_t mode);

/* Answers one request. Ends the process when the worker sends what none of ours would, or is gone.
 */
void broker_answer(struct broker *broker, const struct broker_request *request);

#endif
