/*
 * See broker_requests.h. Must only open regular files, and must never open an existing file for
 * writing, except for a trace's bookmarks, to which it adds lines itself.
 */
#include "supervisor/monitor/broker_requests.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "sandbox/log.h"
#include "supervisor/monitor/broker_sources.h"
#include "supervisor/redact/pattern.h"
#include "supervisor/redact/redactor.h"

#define REFUSED_MAX    1000  /* requests of one worker */
#define GRANTED_MAX    20000 /* the same */
#define ADDED_MAX      1000  /* bookmarks of one worker */
#define DISCARDED_NAME ".rr-warden.discarded"

/* ---- Judging ----------------------------------------------------------------------------------
 */

static bool is_kernels(int fd)
{
	struct statfs status;

	return fstatfs(fd, &status) < 0 || status.f_type == PROC_SUPER_MAGIC ||
	       status.f_type == SYSFS_MAGIC;
}

static bool is_ours(const struct stat *status)
{
	return status->st_uid == geteuid() || status->st_uid == 0 || status->st_mode & S_IROTH;
}

int broker_refuse(struct broker_reply *reply, int error, const char *why)
{
	reply->error = error;
	snprintf(reply->why, sizeof(reply->why), "%s", why);
	return -1;
}

/* The opened file, or -1 with the reply's error. Takes `fd`. */
int broker_judge(int fd, off_t most, struct broker_reply *reply)
{
	cleanup_fd int held = fd;
	struct stat status;

	if (held < 0)
		return broker_refuse(reply, errno, strerror(errno));
	if (fstat(held, &status) < 0 || !S_ISREG(status.st_mode) || is_kernels(held))
		return broker_refuse(reply, EINVAL, "it is not a regular file");
	if (!is_ours(&status))
		return broker_refuse(reply, EACCES, "it belongs to somebody else");
	if (most > 0 && status.st_size > most)
		return broker_refuse(reply, EFBIG, "it is too large");
	return steal_fd(&held);
}

/* The path contains no links. If one of its parts has become a link since, the kernel refuses to
 * follow it. */
int broker_open(int at, const char *path, uint64_t flags, uint64_t mode)
{
	/* with O_PATH, the kernel accepts no flags for opened files */
	uint64_t opened = flags & O_PATH ? 0 : O_NOCTTY | O_NONBLOCK;
	struct open_how how = {.flags = flags | O_CLOEXEC | opened,
	    .mode = mode,
	    .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};

	return (int)syscall(SYS_openat2, at, path, &how, sizeof(how));
}

/* ---- Requests ---------------------------------------------------------------------------------
 */

static int open_archive(
    struct broker *broker, bool allowed, bool writes, struct broker_reply *reply)
{
	int fd;

	snprintf(reply->path, sizeof(reply->path), "%s", broker->task.archive);
	if (!allowed || !broker->task.archive[0])
		return broker_refuse(reply, broker->task.error ? broker->task.error : EACCES,
		    broker->task.why_none ? broker->task.why_none : "this call names no archive");
	if (!writes)
		return broker_judge(
		    broker_open(AT_FDCWD, broker->task.archive, O_RDONLY, 0), 0, reply);
	fd = broker_judge(broker_open(AT_FDCWD, broker->task.archive,
			      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600),
	    0, reply);
	if (fd >= 0 && fstat(fd, &broker->made) < 0)
		broker->made.st_ino = 0;
	return fd;
}

/* The call itself: without flags, the C library uses another one. */
static int rename_in(int directory, const char *from, const char *to, unsigned flags)
{
	return (int)syscall(SYS_renameat2, directory, from, directory, to, flags);
}

/* Gives the file a name of its own first. So we remove the file that we looked at, even if somebody
 * renames files in this directory. A file that is not ours gets its name back. */
static int remove_made(const struct broker *broker, int directory, const char *name)
{
	struct stat now;

	if (rename_in(directory, name, DISCARDED_NAME, 0) < 0)
		return -1;
	if (fstatat(directory, DISCARDED_NAME, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
	    now.st_ino == broker->made.st_ino && now.st_dev == broker->made.st_dev)
		return unlinkat(directory, DISCARDED_NAME, 0);
	(void)rename_in(directory, DISCARDED_NAME, name, RENAME_NOREPLACE);
	return -1;
}

/* Only if the name still refers to the file that was made. */
static int discard_archive(struct broker *broker, struct broker_reply *reply)
{
	cleanup_fd int directory = broker_open(AT_FDCWD, broker->task.directory, O_PATH, 0);
	const char *name = strrchr(broker->task.archive, '/');

	snprintf(reply->path, sizeof(reply->path), "%s", broker->task.archive);
	if (directory < 0 || !name || broker->made.st_ino == 0 ||
	    remove_made(broker, directory, name + 1) < 0)
		return broker_refuse(reply, EACCES, "another file has taken its place");
	broker->made.st_ino = 0;
	return -1;
}

/* One line of text that cannot look like two. */
static bool is_line(const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < 0x20)
			return false;
	return length > 0 && length <= BROKER_BOOKMARK_MAX;
}

/* The user's own file without another name, so that a line appears nowhere else. */
static int open_bookmarks(struct broker *broker, struct broker_reply *reply)
{
	cleanup_fd int fd = -1;
	struct stat status;
	int length;

	length = snprintf(
	    reply->path, sizeof(reply->path), "%s/%s", broker->task.trace, BROKER_BOOKMARKS_FILE);
	if (!broker->task.trace[0] || length < 0 || (size_t)length >= sizeof(reply->path))
		return broker_refuse(
		    reply, EACCES, "nothing can be written into this session's trace");
	fd = broker_judge(
	    broker_open(AT_FDCWD, reply->path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0600), 0,
	    reply);
	if (fd < 0)
		return -1;
	if (fstat(fd, &status) < 0 || status.st_uid != geteuid() || status.st_nlink != 1)
		return broker_refuse(reply, EACCES, "it is not a file of the user's own");
	if (status.st_size > BROKER_BOOKMARKS_MAX - BROKER_BOOKMARK_MAX - 2)
		return broker_refuse(reply, EFBIG, "the trace has reached its limit of bookmarks");
	return steal_fd(&fd);
}

static void add_bookmark(struct broker *broker, const char *line, struct broker_reply *reply)
{
	char text[BROKER_BOOKMARK_MAX + 3];
	cleanup_fd int fd = -1;
	ssize_t length, written;

	if (!is_line(line)) {
		broker_refuse(reply, EINVAL, "it is not one line of text");
		return;
	}
	/* A file of short lines has room for more lines than the audit should have. */
	if (broker->added >= ADDED_MAX) {
		broker_refuse(
		    reply, EFBIG, "this session can add no more bookmarks: open it again");
		return;
	}
	fd = open_bookmarks(broker, reply);
	if (fd < 0)
		return;
	broker->added++;
	/* If the disk was full, the previous line is not complete. */
	length = snprintf(text, sizeof(text), "\n%s\n", line);
	written = write(fd, text, (size_t)length);
	if (written < 0)
		broker_refuse(reply, errno, strerror(errno));
	else if (written < length)
		broker_refuse(reply, ENOSPC, strerror(ENOSPC));
}

/* Writes the report, with its secrets masked. As report_write. */
static int write_masked(struct broker *broker, int directory, char name[NAME_MAX])
{
	char why[PATTERN_WHY_MAX];
	struct redactor *redactor =
	    broker->redact[0] == NULL ? NULL : redactor_new(broker->redact, why);
	int result = -1, error = ENOMEM;

	if (redactor != NULL || broker->redact[0] == NULL) {
		result = report_write(&broker->report, redactor, directory, name);
		error = errno;
	}
	redactor_free(redactor);
	errno = error;
	return result;
}

static void write_report(struct broker *broker, struct broker_reply *reply)
{
	cleanup_fd int directory = broker->task.trace[0] ? broker_open(AT_FDCWD, broker->task.trace,
							       O_PATH | O_DIRECTORY, 0)
							 : -1;
	char name[NAME_MAX];

	if (directory < 0)
		broker_refuse(reply, EACCES, "nothing can be written into this session's trace");
	else if (write_masked(broker, directory, name) < 0)
		broker_refuse(reply, errno,
		    errno == EMLINK   ? "the trace has too many reports: remove some"
		    : errno == EILSEQ ? "the page has tags that reports do not have"
				      : strerror(errno));
	else
		snprintf(reply->path, sizeof(reply->path), "%.*s/%s", PATH_MAX - NAME_MAX - 2,
		    broker->task.trace, name);
}

static const char *const names[] = {[BROKER_SOURCE] = "source",
    [BROKER_READ_ARCHIVE] = "archive to read",
    [BROKER_WRITE_ARCHIVE] = "archive to write",
    [BROKER_DISCARD_ARCHIVE] = "archive to remove",
    [BROKER_BOOKMARK] = "bookmark of",
    [BROKER_REPORT_PART] = "part of a report of",
    [BROKER_REPORT] = "report of",
    [BROKER_RECORDED] = "sources of the recording",
    [BROKER_REMOVED] = "sources of the removed trace"};

/* What the audit line names. */
static const char *subject_of(const struct broker *broker, const struct broker_request *request)
{
	switch ((enum broker_what)request->what) {
	case BROKER_SOURCE:
	case BROKER_RECORDED:
		return request->path;
	case BROKER_BOOKMARK:
	case BROKER_REPORT_PART:
	case BROKER_REPORT:
	case BROKER_REMOVED:
		return broker->task.trace;
	case BROKER_READ_ARCHIVE:
	case BROKER_WRITE_ARCHIVE:
	case BROKER_DISCARD_ARCHIVE:
		break;
	}
	return broker->task.named;
}

/* What a worker of this kind never asks for ends the process, like an unknown request. */
static bool is_known(const struct broker *broker, uint32_t what)
{
	if (what == BROKER_RECORDED)
		return broker->task.keeps_ledger;
	if (what == BROKER_REMOVED)
		return broker->task.forgets;
	return what < BROKER_RECORDED && !broker->task.keeps_ledger && !broker->task.forgets;
}

void broker_answer(struct broker *broker, const struct broker_request *request)
{
	static struct broker_reply reply;
	cleanup_fd int fd = -1;
	bool missing = false;

	memset(&reply, 0, sizeof(reply));
	if (!is_known(broker, request->what)) {
		log_audit("a worker sent an invalid request for a file: all its further requests "
			  "are refused");
		_exit(1);
	}
	switch ((enum broker_what)request->what) {
	case BROKER_SOURCE:
		fd = broker_open_source(broker, request->path, &missing, &reply);
		break;
	case BROKER_READ_ARCHIVE:
		fd = open_archive(broker, broker->task.reads, false, &reply);
		break;
	case BROKER_WRITE_ARCHIVE:
		fd = open_archive(broker, broker->task.writes, true, &reply);
		break;
	case BROKER_DISCARD_ARCHIVE:
		fd = discard_archive(broker, &reply);
		break;
	case BROKER_BOOKMARK:
		add_bookmark(broker, request->path, &reply);
		break;
	case BROKER_REPORT_PART:
		if (!request->path[0])
			broker_refuse(&reply, EINVAL, "it is not text");
		else if (report_keep(&broker->report, request->path) < 0)
			broker_refuse(&reply, EFBIG, "the report is too large");
		break;
	case BROKER_REPORT:
		write_report(broker, &reply);
		break;
	case BROKER_RECORDED:
		broker_note_recording(broker, request->path, &reply);
		break;
	case BROKER_REMOVED:
		broker_forget_recording(broker, &reply);
		break;
	}
	/* Workers look for sources in many places. A place without the source is not a refusal. */
	if (!missing && (request->what != BROKER_REPORT_PART || reply.error)) {
		log_audit_path(names[request->what], subject_of(broker, request),
		    reply.error ? reply.why : "granted");
		broker->refused += reply.error != 0;
	}
	broker->granted += !missing && reply.error == 0;
	/* None of our workers reaches these limits, but a compromised one could fill the log. */
	if (broker->refused > REFUSED_MAX || broker->granted > GRANTED_MAX) {
		log_audit("a worker sent too many requests for files: all its further requests are "
			  "refused");
		_exit(1);
	}
	if (broker_send(broker->fd, &reply, fd) < 0)
		_exit(0);
}
