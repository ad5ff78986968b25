/*
 * Packs, exports and imports. Checks an archive completely before it unpacks a byte, then whether
 * rr can replay it on this processor, and unpacks it into a hidden directory that gets its name
 * last. Must never overwrite a file or a trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/broker.h"
#include "worker/serve/handlers.h"
#include "worker/trace/archive.h"
#include "worker/trace/listing.h"
#include "worker/trace/query.h"
#include "worker/trace/removal.h"
#include "worker/trace/trace.h"
#include "worker/trace/trace_info.h"

#define TRANSPORT_TIMEOUT_S 300		/* of rr pack; the supervisor's deadline comes first */
#define PROGRESS_STEP	    (64u << 20) /* bytes between two progress messages */
#define NAME_TRIES	    10000

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

static bool pack(struct worker *worker, const struct trace *trace, struct failure *failure)
{
	struct capture capture;
	bool done = query_run_rr(
	    worker, "pack", trace->path, true, TRANSPORT_TIMEOUT_S * 1000, &capture, failure);

	if (done && !capture_succeeded(&capture)) {
		query_fail_with_words(failure, "rr pack", &capture);
		done = false;
	}
	capture_free(&capture);
	return done;
}

json_t *tool_pack(struct worker *worker, const struct pack_args *args, struct failure *failure)
{
	json_t *result = NULL;
	struct trace trace;

	if (trace_open(worker, args->trace_dir, true, &trace, failure) &&
	    pack(worker, &trace, failure))
		result = json_pack("{s:o,s:I}", "trace_dir", trace_path_to_json(trace.path),
		    "bytes", (json_int_t)listing_trace_bytes(trace.directory));
	trace_close(&trace);
	return result;
}

/* The archive that the call names, opened by the monitor. -1 with *failure filled. */
static int open_archive(
    enum broker_what what, const char *file, char real[PATH_MAX], struct failure *failure)
{
	static struct broker_reply reply;
	int fd = broker_ask(WORKER_BROKER_FD, what, NULL, &reply);

	strlcpy(real, reply.path, PATH_MAX);
	if (fd > 0)
		return fd;
	switch (errno) {
	case EEXIST:
		failure_set(failure, ERROR_INVALID_ARGUMENT, "give a file that does not exist yet",
		    "%.300s exists already", file);
		break;
	case ENOENT:
		failure_set(failure, ERROR_NOT_FOUND, NULL, "%.300s: %s", file, reply.why);
		break;
	default:
		failure_set(failure, ERROR_NOT_ALLOWED,
		    what == BROKER_WRITE_ARCHIVE
			? "give a new file that ends in .tar, in a directory that can be written"
			: NULL,
		    "%.300s: %s", file, reply.why);
		break;
	}
	return -1;
}

static void discard_archive(void)
{
	static struct broker_reply reply;

	(void)broker_ask(WORKER_BROKER_FD, BROKER_DISCARD_ARCHIVE, NULL, &reply);
}

static void fail_work(const struct worker *worker, struct failure *failure, const char *what,
    const char *file, const char *why)
{
	switch (worker->interrupt) {
	case INTERRUPT_NONE:
		failure_set(failure,
		    strstr(why, strerror(ENOSPC)) ? ERROR_LIMIT : ERROR_INVALID_ARGUMENT, NULL,
		    "%.300s %s: %s", file, what, why);
		break;
	case INTERRUPT_TIMEOUT:
		failure_set(failure, ERROR_TIMEOUT, "nothing was left behind; set a longer timeout",
		    "%.300s %s: out of time", file, what);
		break;
	case INTERRUPT_CANCELLED:
	case INTERRUPT_ASKED:
		failure_set(failure, ERROR_CANCELLED, "nothing was left behind",
		    "%.300s %s: cancelled", file, what);
		break;
	}
}

static json_t *write_archive(
    struct worker *worker, const struct trace *trace, const char *file, struct failure *failure)
{
	char real[PATH_MAX], why[ARCHIVE_WHY_MAX] = "";
	const char *trace_name = strrchr(trace->path, '/') + 1;
	struct journey journey = {
	    .worker = worker, .total = listing_trace_bytes(trace->directory), .doing = "exporting"};
	struct stat status = {0};
	cleanup_fd int out = open_archive(BROKER_WRITE_ARCHIVE, file, real, failure);

	if (out < 0)
		return NULL;
	if (archive_write(trace->directory, trace_name, out,
		&(struct archive_watch){watch, &journey}, why) < 0 ||
	    fstat(out, &status) < 0) {
		discard_archive();
		fail_work(worker, failure, "cannot be written", file, why);
		return NULL;
	}
	return json_pack("{s:o,s:o,s:I}", "trace_dir", trace_path_to_json(trace->path), "file",
	    trace_path_to_json(real), "bytes", (json_int_t)status.st_size);
}

json_t *tool_export(struct worker *worker, const struct export_args *args, struct failure *failure)
{
	json_t *result = NULL;
	struct trace trace;

	if (trace_open(worker, args->trace_dir, true, &trace, failure) &&
	    pack(worker, &trace, failure))
		result = write_archive(worker, &trace, args->file, failure);
	trace_close(&trace);
	return result;
}

static bool check_room(
    const struct worker *worker, int base, uint64_t bytes, struct failure *failure)
{
	json_int_t most = json_integer_value(json_object_get(worker->config.limits, "trace_bytes"));
	json_int_t keep = json_integer_value(json_object_get(worker->config.limits, "free_disk"));
	struct statvfs disk;

	if (most > 0 && bytes > (uint64_t)most) {
		failure_set(failure, ERROR_LIMIT, NULL,
		    "the trace has %llu bytes, which is more than the limit of %lld",
		    (unsigned long long)bytes, (long long)most);
		return false;
	}
	if (fstatvfs(base, &disk) == 0 &&
	    (uint64_t)disk.f_bavail * disk.f_frsize < bytes + (keep > 0 ? (uint64_t)keep : 0)) {
		failure_set(failure, ERROR_LIMIT, "remove traces with rr_rm",
		    "there is not enough disk space for the %llu bytes of the trace",
		    (unsigned long long)bytes);
		return false;
	}
	return true;
}

/* NAME, or NAME-N if that is in use. Returns 0, or -1 with errno. */
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

/* An archive that becomes a trace. */
struct arrival {
	struct worker *worker;
	int in;	  /* the archive */
	int base; /* where traces are */
	const char *base_path;
	struct archive_summary summary;
	char hidden[64]; /* the new directory in base, until it is complete */
	int made;	 /* the same, open */
	json_t *info;	 /* the trace's header, or NULL where rr cannot read it */
};

static void arrival_end(struct arrival *arrival)
{
	if (arrival->made >= 0)
		close(arrival->made);
	json_decref(arrival->info);
}

/* rr prints the header only of a trace that has these files; for that they may be empty. */
static const char *const stand_ins[] = {"events", "data", "mmaps", "tasks"};

/* Reads the header, which comes into the new directory alone, and goes again. */
static void read_header(struct arrival *arrival)
{
	char path[2 * TRACE_PATH_MAX], why[ARCHIVE_WHY_MAX];
	cleanup_failure struct failure ignored = {0};
	size_t count = sizeof(stand_ins) / sizeof(*stand_ins);

	snprintf(path, sizeof(path), "%s/%s", arrival->base_path, arrival->hidden);
	for (size_t i = 0; i < count; i++) {
		int file = openat(arrival->made, stand_ins[i],
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (file >= 0)
			close(file);
	}
	if (archive_unpack_version(arrival->in, arrival->made, why) == 0)
		arrival->info = query_trace_info(arrival->worker, path, &ignored);
	for (size_t i = 0; i < count; i++)
		unlinkat(arrival->made, stand_ins[i], 0);
	unlinkat(arrival->made, ARCHIVE_VERSION, 0);
}

/* False if rr would refuse to replay such a trace here. */
static bool fits_here(struct arrival *arrival, struct failure *failure)
{
	const char *obstacle, *model;

	read_header(arrival);
	obstacle = trace_info_obstacle(arrival->info, trace_info_hides_cpuid());
	if (!obstacle)
		return true;
	model = json_string_value(json_object_get(json_object_get(arrival->info, "cpu"), "model"));
	failure_set(failure, ERROR_UNSUPPORTED,
	    "import it on the machine where it was recorded, or on one with the same kind of "
	    "processor",
	    "%s cannot be replayed here: %s. It comes from: %s. Nothing was unpacked",
	    arrival->summary.name, obstacle, model && *model ? model : "unknown");
	return false;
}

static bool unpack(struct arrival *arrival, char name[NAME_MAX + 1], struct failure *failure)
{
	char why[ARCHIVE_WHY_MAX] = "";
	struct journey journey = {
	    .worker = arrival->worker, .total = arrival->summary.bytes, .doing = "importing"};

	/* Another import may run at the same time, in its own pid namespace. */
	snprintf(arrival->hidden, sizeof(arrival->hidden), ".rr-warden-import-%08x", arc4random());
	if (mkdirat(arrival->base, arrival->hidden, 0700) < 0 ||
	    (arrival->made = openat(arrival->base, arrival->hidden,
		 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0) {
		snprintf(why, sizeof(why), "%s", strerror(errno));
	} else if (!fits_here(arrival, failure)) {
		removal_discard(arrival->base, arrival->hidden);
		return false;
	} else if (archive_unpack(arrival->in, arrival->made,
		       &(struct archive_watch){watch, &journey}, why) == 0) {
		if (trace_state_of(arrival->made) != TRACE_COMPLETE)
			snprintf(why, sizeof(why), "it is not a complete trace");
		else if (name_it(arrival->base, arrival->hidden, arrival->summary.name, name) < 0)
			snprintf(why, sizeof(why), "%s", strerror(errno));
		else
			return true;
	}
	removal_discard(arrival->base, arrival->hidden);
	fail_work(arrival->worker, failure, "cannot be imported", arrival->summary.name, why);
	return false;
}

static json_t *arrival_result(const struct arrival *arrival, const char *name)
{
	char path[2 * TRACE_PATH_MAX];
	json_t *cpu = json_object_get(arrival->info, "cpu");
	const char *note = trace_info_doubt(arrival->info);

	snprintf(path, sizeof(path), "%s/%s", arrival->base_path, name);
	json_t *result = json_pack("{s:o,s:I,s:I}", "trace_dir", trace_path_to_json(path), "bytes",
	    (json_int_t)arrival->summary.bytes, "files", (json_int_t)arrival->summary.files);
	json_object_set(result, "cpu", cpu);
	json_object_set_new(result, "note", json_string(note));
	return result;
}

static json_t *import_file(struct worker *worker, int in, const char *file, struct failure *failure)
{
	struct arrival arrival = {.worker = worker, .in = in, .made = -1};
	char base[TRACE_PATH_MAX], real[TRACE_PATH_MAX], name[NAME_MAX + 1];
	char why[ARCHIVE_WHY_MAX] = "";
	cleanup_fd int directory = -1;
	json_t *result = NULL;
	int error;

	if (archive_check(in, &arrival.summary, why) < 0) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, "use an archive that rr_export made",
		    "%.300s is not an archive of a trace: %s", file, why);
		return NULL;
	}
	if (trace_base_dir(base, sizeof(base)) < 0) {
		trace_fail_name("rr's trace directory", failure);
		return NULL;
	}
	directory = trace_open_allowed(worker, base, real, &error, failure);
	if (directory < 0 && error)
		failure_set(failure, ERROR_NOT_FOUND,
		    "record something first, or create the directory",
		    "the directory for traces, %s, cannot be opened: %s", base, strerror(error));
	if (directory < 0)
		return NULL;
	arrival.base = directory;
	arrival.base_path = real;
	if (check_room(worker, directory, arrival.summary.bytes, failure) &&
	    unpack(&arrival, name, failure))
		result = arrival_result(&arrival, name);
	arrival_end(&arrival);
	return result;
}

json_t *tool_import(struct worker *worker, const struct import_args *args, struct failure *failure)
{
	char real[PATH_MAX];
	cleanup_fd int in = open_archive(BROKER_READ_ARCHIVE, args->file, real, failure);

	return in < 0 ? NULL : import_file(worker, in, args->file, failure);
}
