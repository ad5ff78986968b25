#ifndef SUPERVISOR_REPORT_FILE_H
#define SUPERVISOR_REPORT_FILE_H
/*
 * Collects a report that a worker sends in parts, and writes it into a new file. Takes
 * only pages that are harmless.
 */
#include <limits.h>
#include <stddef.h>

#include "sandbox/wire/broker.h"
#include "supervisor/redact/redactor.h"

struct report_file { /* starts as zeros */
	char text[BROKER_REPORT_MAX];
	size_t length;
};

/* Adds a part. Returns -1 if the report becomes larger than BROKER_REPORT_MAX; an empty report is
 * started then. */
int report_keep(struct report_file *report, const char *part);

/*
 * Writes the report, with its secrets masked unless `redactor` is NULL, into a new file in
 * `directory`, and starts an empty report. If the write fails,
 * removes the file. Returns 0 with the file's name, or -1 with errno; EMLINK means too many
 * reports, EILSEQ a page that is not as reports are.
 */
int report_write(
    struct report_file *report, struct redactor *redactor, int directory, char name[NAME_MAX]);

#endif
