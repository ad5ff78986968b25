/*
 * See core_unpack.h. Looks only at the first bytes of the file, because the worker is not confined
 * yet. Must never let a small file fill the machine's memory: what is unpacked is counted as it
 * comes.
 */
#include "worker/session/launch/core_unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/serve/begins.h"
#include "worker/serve/capture.h"
#include "worker/serve/lookup.h"
#include "worker/trace/trace.h"

#define PAGE	      4096
#define KEPT_MAX      (4LL << 30)  /* bytes that are not in a page of zeros */
#define UNPACKED_MAX  (64LL << 30) /* bytes */
#define UNPACK_MS     60000
#define MEMORY_SHARED 2 /* of what is free, this part */

struct unpacking {
	struct capture capture;
	int to;
	long long length, kept, most;
	unsigned char page[PAGE];
	size_t filled;
	bool too_large, failed;
};

static bool is_zero(const unsigned char *page)
{
	return page[0] == 0 && memcmp(page, page + 1, PAGE - 1) == 0;
}

/* A page of zeros stays a hole. */
static void put_page(struct unpacking *unpacking)
{
	size_t size = unpacking->filled;

	unpacking->filled = 0;
	if (size < PAGE || !is_zero(unpacking->page)) {
		if (pwrite(unpacking->to, unpacking->page, size, unpacking->length) !=
		    (ssize_t)size)
			unpacking->failed = true;
		unpacking->kept += PAGE;
	}
	unpacking->length += (long long)size;
}

static void take(void *owner, const char *bytes, size_t length)
{
	struct unpacking *unpacking = owner;

	while (length > 0 && !unpacking->too_large && !unpacking->failed) {
		size_t room = PAGE - unpacking->filled, part = length < room ? length : room;

		memcpy(unpacking->page + unpacking->filled, bytes, part);
		unpacking->filled += part;
		bytes += part;
		length -= part;
		if (unpacking->filled == PAGE)
			put_page(unpacking);
		unpacking->too_large =
		    unpacking->kept > unpacking->most || unpacking->length > UNPACKED_MAX;
	}
	if ((unpacking->too_large || unpacking->failed) && unpacking->capture.tool.pid > 0)
		kill(unpacking->capture.tool.pid, SIGKILL);
}

/* Bytes that programs can still have; -1: not known. */
static long long available_memory(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	long long available = -1;
	const char *kib;
	char line[128];

	while (file && available < 0 && fgets(line, sizeof(line), file))
		if ((kib = behind_beginning(line, "MemAvailable:")))
			available = (long long)strtoull(kib, NULL, 10) * 1024;
	if (file)
		fclose(file);
	return available;
}

/* A part of what the machine has left, and no more than the settings give a session. */
static long long most_memory(const struct worker_config *config)
{
	long long limit = json_integer_value(json_object_get(config->limits, "memory"));
	long long left = available_memory();

	left = left < 0 ? KEPT_MAX : left / MEMORY_SHARED;
	if (limit > 0 && limit < left)
		left = limit;
	return left < KEPT_MAX ? left : KEPT_MAX;
}

static void fail_unpacked(const struct unpacking *unpacking, const char *path, const char *program,
    struct failure *failure)
{
	if (unpacking->too_large)
		failure_set(failure, ERROR_LIMIT,
		    "unpack it into a file, with `coredumpctl dump -o FILE` or the program that "
		    "compressed it, and name that file",
		    "%.300s takes more than %lld MB when it is unpacked", path,
		    unpacking->most >> 20);
	else if (unpacking->failed)
		failure_set(failure, ERROR_LIMIT, "end what else takes memory, and try again",
		    "%.300s cannot be unpacked into memory", path);
	else
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "take the core file from where it was written once more",
		    "%.300s is damaged: %s says: %.200s", path, program,
		    unpacking->capture.errors_length ? unpacking->capture.errors : "nothing");
}

static int unpack(
    struct worker *worker, const char *path, const char *program, struct failure *failure)
{
	const char *const arguments[] = {"-dc", path, NULL};
	cleanup_fd int to = memfd_create("core", MFD_CLOEXEC);
	struct unpacking *unpacking = calloc(1, sizeof(*unpacking));
	struct lookup lookup;
	bool ok = false;

	if (to < 0 || !unpacking) {
		failure_no_memory(failure);
	} else if (lookup_prepare(&lookup, &worker->config, program, arguments) < 0) {
		failure_set(failure, ERROR_UNSUPPORTED,
		    "install it, or unpack the core file with `coredumpctl dump -o FILE`",
		    "%.300s is compressed, and %s, which unpacks it, is not installed", path,
		    program);
	} else {
		unpacking->to = to;
		unpacking->most = most_memory(&worker->config);
		ok = capture_stream(
		    worker, &lookup.spec, UNPACK_MS, take, unpacking, &unpacking->capture, failure);
		if (ok && unpacking->filled)
			put_page(unpacking);
		if (ok && (unpacking->too_large || unpacking->failed ||
			      !capture_succeeded(&unpacking->capture) ||
			      ftruncate(to, unpacking->length) < 0)) {
			fail_unpacked(unpacking, path, program, failure);
			ok = false;
		}
		capture_free(&unpacking->capture);
	}
	free(unpacking);
	return ok ? steal_fd(&to) : -1;
}

/* As the monitor has judged it; here it could only have been replaced since. */
static int open_file(const char *path, struct failure *failure)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;

	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		return steal_fd(&fd);
	failure_set(failure, ERROR_NOT_FOUND,
	    "coredumpctl, or /proc/sys/kernel/core_pattern, tells where core files are",
	    "there is no core file %.300s%s%s", path, fd < 0 ? ": " : "",
	    fd < 0 ? strerror(errno) : "");
	return -1;
}

struct core *core_open(struct worker *worker, const char *name, struct failure *failure)
{
	cleanup_free char *path = NULL;
	char absolute[TRACE_PATH_MAX], why[CORE_WHY_MAX];
	unsigned char begin[CORE_BEGINNING];
	cleanup_fd int named = -1, contents = -1, copy = memfd_create("core", MFD_CLOEXEC);
	const char *program;
	struct core *core;
	ssize_t length;

	if (copy < 0)
		return failure_no_memory(failure);
	if (trace_file_to_path(name, absolute, sizeof(absolute)) < 0) {
		trace_fail_name(name, failure);
		return NULL;
	}
	path = realpath(absolute, NULL);
	if (!path)
		path = strdup(absolute);
	if (!path || !trace_check_nameable("the core file", path, failure) ||
	    (named = open_file(path, failure)) < 0)
		return NULL;
	length = pread(named, begin, sizeof(begin), 0);
	program = core_unpacker(core_packing(begin, length > 0 ? (size_t)length : 0));
	if (!program && !core_file_is(begin, length > 0 ? (size_t)length : 0, why)) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL, "%.300s: %s", path, why);
		return NULL;
	}
	contents = program ? unpack(worker, path, program, failure) : named;
	if (contents < 0)
		return NULL;
	core = core_new(steal_pointer(&path), steal_fd(&named), steal_fd(&contents),
	    steal_fd(&copy), most_memory(&worker->config));
	if (!core)
		failure_no_memory(failure);
	return core;
}
