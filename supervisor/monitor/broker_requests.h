#ifndef SUPERVISOR_BROKER_REQUESTS_H
#define SUPERVISOR_BROKER_REQUESTS_H
/*
 * The requests of one worker, in the broker's process: each is judged, carried out or refused, and
 * ends in one line of the audit.
 */
#include <sys/stat.h>

#include "sandbox/wire/broker.h"
#include "supervisor/monitor/broker_task.h"
#include "supervisor/monitor/report_file.h"

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
};

/* Answers one request. Ends the process when the worker sends what none of ours would, or is gone.
 */
void broker_answer(struct broker *broker, const struct broker_request *request);

#endif
