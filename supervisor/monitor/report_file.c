/*
 * See report_file.h. Must never write into a file that exists, nor follow a link.
 */
#include "supervisor/monitor/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "supervisor/monitor/report_page.h"
#include "supervisor/monitor/write_whole.h"
#include "supervisor/redact/page.h"

/*
 * The beginning of every report. Because the policy comes first, a browser runs no script of the
 * page. What a policy does not cover, such as a page that sends the browser elsewhere, is refused:
 * see report_page.h.
 */
static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n";

int report_keep(struct report_file *report, const char *part)
{
	size_t length = strlen(part);

	if (length > sizeof(report->text) - report->length) {
		report->length = 0; /* the next report starts empty */
		return -1;
	}
	memcpy(report->text + report->length, part, length);
	report->length += length;
	return 0;
}

/* Uses the first free number. */
static int make_file(int directory, char name[NAME_MAX])
{
	struct open_how how = {.flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
	    .mode = 0600,
	    .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_BENEATH};
	int fd;

	for (int i = 1; i <= BROKER_REPORTS_MAX; i++) {
		snprintf(name, NAME_MAX, "%s%d%s", BROKER_REPORT_PREFIX, i, BROKER_REPORT_ENDING);
		fd = (int)syscall(SYS_openat2, directory, name, &how, sizeof(how));
		/* a link with this name gives EEXIST or ELOOP, depending on the kernel */
		if (fd >= 0 || (errno != EEXIST && errno != ELOOP))
			return fd;
	}
	errno = EMLINK;
	return -1;
}

static int write_page(int directory, const char *page, size_t length, char name[NAME_MAX])
{
	cleanup_fd int fd = make_file(directory, name);
	int error;

	if (fd < 0)
		return -1;
	if (write_whole(fd, head, sizeof(head) - 1) == 0 && write_whole(fd, page, length) == 0)
		return 0;
	error = errno;
	(void)unlinkat(directory, name, 0);
	errno = error;
	return -1;
}

int report_write(
    struct report_file *report, struct redactor *redactor, int directory, char name[NAME_MAX])
{
	size_t length = report->length;
	cleanup_free char *masked = NULL;

	report->length = 0;
	if (length == 0 || !report_page_is_harmless(report->text, length)) {
		errno = length == 0 ? ENODATA : EILSEQ;
		return -1;
	}
	if (redactor == NULL)
		return write_page(directory, report->text, length, name);
	masked = redact_page(redactor, report->text, length, &length);
	if (masked == NULL || !report_page_is_harmless(masked, length)) {
		errno = masked == NULL ? ENOMEM : EILSEQ;
		return -1;
	}
	return write_page(directory, masked, length, name);
}
