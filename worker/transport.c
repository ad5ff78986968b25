/*
 * Packing, exporting and importing. An archive is checked whole before a byte of it is unpacked,
 * into a hidden directory that gets its name last. Must never write over a file or a trace.
 */
#include "worker/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/archive.h"
#include "worker/listing.h"
#include "worker/query.h"
#include "worker/removal.h"
#include "worker/trace.h"

#define PROGRESS_STEP (64u << 20) /* bytes between two progress messages */
#define NAME_TRIES    10000

struct journey {
	struct worker *worker;
	uint64_t told, total;
	const char *doing;
};

static bool watch(void *context, uint64_t bytes)
{
	struct journey *journey = context;
	char message[128];

	if (bytes - journey->told < PROGRESS_STEP)
		return true;
	journey->told = bytes;
	snprintf(message, sizeof(message), "%s: %llu MB", journey->doing,
	    (unsigned long long)(bytes >> 20));
	worker_progress(
	    journey->worker, (double)bytes, journey->total ? (double)journey->total : -1, message);
	worker_wait(journey->worker, NULL, 0, 0);
	return journey->worker->interrupt == INTERRUPT_NONE;
}

static const char *text_arg(json_t *args, const char *key)
{
	const char *text = json_string_value(json_object_get(args, key));

	return text ? text : "";
}

static bool pack(struct worker *worker, const struct trace *trace, struct op_reply *reply)
{
	struct capture capture;
	bool done = query_run_rr(
	    worker, "pack", trace->path, true, TRANSPORT_TIMEOUT_S * 1000, &capture, reply);

	if (done && !capture_succeeded(&capture)) {
		query_fail_with_words(reply, "rr pack", &capture);
		done = false;
	}
	capture_free(&capture);
	return done;
}

void transport_pack(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct trace trace;

	if (trace_open(worker, text_arg(args, "trace_dir"), true, &trace, reply) &&
	    pack(worker, &trace, reply))
		reply->result = json_pack("{s:o,s:I}", "trace_dir", trace_path_to_json(trace.path),
		    "bytes", (json_int_t)listing_trace_bytes(trace.directory));
	trace_close(&trace);
}

/* The directory of a file that a client named, open, links resolved and under the roots; *name is
 * the last component. -1 with the reply failed. */
static int open_parent(const struct worker *worker, const char *file, char real[TRACE_PATH_MAX],
    const char **name, struct op_reply *reply)
{
	static char path[TRACE_PATH_MAX];
	char *slash;
	int fd;

	if (!*file ||
	    (!strchr(file, '/') ? snprintf(path, sizeof(path), "./%s", file) >= (int)sizeof(path)
				: trace_name_to_path(file, path, sizeof(path)) < 0)) {
		op_fail(reply, ERROR_INVALID_ARGUMENT, NULL, "file must name a file");
		return -1;
	}
	slash = strrchr(path, '/');
	*name = slash + 1;
	if (!**name || strcmp(*name, ".") == 0 || strcmp(*name, "..") == 0) {
		op_fail(reply, ERROR_INVALID_ARGUMENT, NULL, "file must name a file");
		return -1;
	}
	*slash = '\0';
	fd = trace_open_directory(*path ? path : "/", real, TRACE_PATH_MAX);
	int error = errno;
	if (!trace_path_is_under(worker->config.roots, fd < 0 ? path : real)) {
		op_fail(reply, ERROR_NOT_ALLOWED,
		    "the server's trace roots say where traces and their archives may be",
		    "%.300s is outside of the directories that archives may be in", file);
		cleanup_close(&fd);
		return -1;
	}
	if (fd < 0)
		op_fail(reply, error == EACCES ? ERROR_NOT_ALLOWED : ERROR_NOT_FOUND, NULL,
		    "%.300s: %s", path, strerror(error));
	return fd;
}

static void fail_work(const struct worker *worker, struct op_reply *reply, const char *what,
    const char *file, const char *why)
{
	switch (worker->interrupt) {
	case INTERRUPT_NONE:
		op_fail(reply, strstr(why, strerror(ENOSPC)) ? ERROR_LIMIT : ERROR_INVALID_ARGUMENT,
		    NULL, "%.300s %s: %s", file, what, why);
		break;
	case INTERRUPT_TIMEOUT:
		op_fail(reply, ERROR_TIMEOUT, "nothing is left of it; ask with more time",
		    "%.300s %s: out of time", file, what);
		break;
	case INTERRUPT_CANCELLED:
	case INTERRUPT_ASKED:
		op_fail(reply, ERROR_CANCELLED, "nothing is left of it", "%.300s %s: cancelled",
		    file, what);
		break;
	}
}

static void write_archive(
    struct worker *worker, const struct trace *trace, const char *file, struct op_reply *reply)
{
	char real[TRACE_PATH_MAX], why[ARCHIVE_WHY_MAX] = "";
	const char *name, *trace_name = strrchr(trace->path, '/') + 1;
	struct journey journey = {
	    .worker = worker, .total = listing_trace_bytes(trace->directory), .doing = "exporting"};
	struct stat status = {0};
	cleanup_fd int parent = open_parent(worker, file, real, &name, reply);
	cleanup_fd int out = -1;

	if (parent < 0)
		return;
	out = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out < 0) {
		op_fail(reply, errno == EEXIST ? ERROR_INVALID_ARGUMENT : ERROR_NOT_ALLOWED,
		    "name a new file in a directory that may be written", "%.300s: %s", file,
		    strerror(errno));
		return;
	}
	if (archive_write(trace->directory, trace_name, out,
		&(struct archive_watch){watch, &journey}, why) < 0 ||
	    fstat(out, &status) < 0) {
		unlinkat(parent, name, 0);
		fail_work(worker, reply, "cannot be written", file, why);
		return;
	}
	strlcat(real, "/", sizeof(real));
	strlcat(real, name, sizeof(real));
	reply->result = json_pack("{s:o,s:o,s:I}", "trace_dir", trace_path_to_json(trace->path),
	    "file", trace_path_to_json(real), "bytes", (json_int_t)status.st_size);
}

void transport_export(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct trace trace;

	if (trace_open(worker, text_arg(args, "trace_dir"), true, &trace, reply) &&
	    pack(worker, &trace, reply))
		write_archive(worker, &trace, text_arg(args, "file"), reply);
	trace_close(&trace);
}

static bool check_room(
    const struct worker *worker, int base, uint64_t bytes, struct op_reply *reply)
{
	json_int_t most = json_integer_value(json_object_get(worker->config.limits, "trace_bytes"));
	json_int_t keep = json_integer_value(json_object_get(worker->config.limits, "free_disk"));
	struct statvfs disk;

	if (most > 0 && bytes > (uint64_t)most) {
		op_fail(reply, ERROR_LIMIT, NULL,
		    "the trace has %llu bytes, more than the limit of %lld",
		    (unsigned long long)bytes, (long long)most);
		return false;
	}
	if (fstatvfs(base, &disk) == 0 &&
	    (uint64_t)disk.f_bavail * disk.f_frsize < bytes + (keep > 0 ? (uint64_t)keep : 0)) {
		op_fail(reply, ERROR_LIMIT, "remove traces with rr_rm",
		    "there is no room for the %llu bytes of the trace", (unsigned long long)bytes);
		return false;
	}
	return true;
}

/* NAME, or NAME-N where that is taken. Returns 0, or -1 with errno. */
static int name_it(int base, const char *hidden, const char *wanted, char name[NAME_MAX + 1])
{
	strlcpy(name, wanted, NAME_MAX + 1);
	for (int i = 0; i < NAME_TRIES; i++) {
		if (i)
			snprintf(name, NAME_MAX + 1, "%s-%d", wanted, i);
		if (renameat2(base, hidden, base, name, RENAME_NOREPLACE) == 0)
			return 0;
		if (errno != EEXIST && errno != ENOTEMPTY)
			return -1;
	}
	return -1;
}

static bool unpack(struct worker *worker, int in, int base, const struct archive_summary *summary,
    char name[NAME_MAX + 1], struct op_reply *reply)
{
	char hidden[64], why[ARCHIVE_WHY_MAX] = "";
	struct journey journey = {.worker = worker, .total = summary->bytes, .doing = "importing"};
	cleanup_fd int made = -1;

	/* Another import may run beside this one, in a pid namespace of its own. */
	snprintf(hidden, sizeof(hidden), ".rr-warden-import-%08x", arc4random());
	if (mkdirat(base, hidden, 0700) < 0 ||
	    (made = openat(base, hidden, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
		snprintf(why, sizeof(why), "%s", strerror(errno));
	else if (archive_unpack(in, made, &(struct archive_watch){watch, &journey}, why) == 0) {
		if (trace_state_of(made) != TRACE_COMPLETE)
			snprintf(why, sizeof(why), "it is not a whole trace");
		else if (name_it(base, hidden, summary->name, name) < 0)
			snprintf(why, sizeof(why), "%s", strerror(errno));
		else
			return true;
	}
	removal_discard(base, hidden);
	fail_work(worker, reply, "cannot be imported", summary->name, why);
	return false;
}

static void import_file(struct worker *worker, int in, const char *file, struct op_reply *reply)
{
	struct archive_summary summary;
	char base[TRACE_PATH_MAX], real[TRACE_PATH_MAX], path[2 * TRACE_PATH_MAX];
	char name[NAME_MAX + 1], why[ARCHIVE_WHY_MAX] = "";
	cleanup_fd int directory = -1;

	if (archive_check(in, &summary, why) < 0) {
		op_fail(reply, ERROR_INVALID_ARGUMENT,
		    "rr_export makes archives that can be imported",
		    "%.300s is no archive of a trace: %s", file, why);
		return;
	}
	if (trace_base_dir(base, sizeof(base)) == 0)
		directory = trace_open_directory(base, real, sizeof(real));
	if (directory < 0) {
		op_fail(reply, ERROR_NOT_FOUND, "record something first, or make it",
		    "%s, where traces go, cannot be opened: %s", base, strerror(errno));
		return;
	}
	if (!trace_path_is_under(worker->config.roots, real)) {
		op_fail(reply, ERROR_NOT_ALLOWED, NULL,
		    "%s is outside of the directories that traces may be in", real);
		return;
	}
	if (!check_room(worker, directory, summary.bytes, reply) ||
	    !unpack(worker, in, directory, &summary, name, reply))
		return;
	snprintf(path, sizeof(path), "%s/%s", real, name);
	reply->result = json_pack("{s:o,s:I,s:I}", "trace_dir", trace_path_to_json(path), "bytes",
	    (json_int_t)summary.bytes, "files", (json_int_t)summary.files);
}

void transport_import(struct worker *worker, json_t *args, struct op_reply *reply)
{
	const char *file = text_arg(args, "file"), *name;
	char real[TRACE_PATH_MAX];
	cleanup_fd int parent = open_parent(worker, file, real, &name, reply);
	cleanup_fd int in = -1;

	if (parent < 0)
		return;
	in = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (in < 0)
		op_fail(reply, errno == ENOENT ? ERROR_NOT_FOUND : ERROR_NOT_ALLOWED, NULL,
		    "%.300s: %s", file, strerror(errno));
	else
		import_file(worker, in, file, reply);
}
