/*
 * Lists traces. Follows no links inside of a trace, and reads none of their files.
 */
#include "worker/trace/listing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/cleanup.h"

#define GROWTH 64

struct timespec listing_trace_created(int trace)
{
	struct statx extended;
	struct stat status = {0};

	if (statx(trace, "", AT_EMPTY_PATH, STATX_BTIME, &extended) == 0 &&
	    (extended.stx_mask & STATX_BTIME))
		return (struct timespec){
		    .tv_sec = extended.stx_btime.tv_sec, .tv_nsec = extended.stx_btime.tv_nsec};
	if (fstatat(trace, "events", &status, AT_SYMLINK_NOFOLLOW) < 0)
		fstat(trace, &status);
	return status.st_mtim;
}

void listing_time_text(time_t when, char *text, size_t size)
{
	struct tm parts;

	if (!gmtime_r(&when, &parts) || !strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &parts))
		strlcpy(text, "", size);
}

uint64_t listing_trace_bytes(int trace)
{
	DIR *entries = trace_entries(trace);
	uint64_t bytes = 0;
	size_t count = 0;

	for (struct dirent *entry;
	     entries && count < TRACE_ENTRIES_MAX && (entry = readdir(entries)); count++) {
		struct stat status;
		if (fstatat(trace, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(status.st_mode) && status.st_nlink == 1)
			bytes += (uint64_t)status.st_blocks * 512;
	}
	if (entries)
		closedir(entries);
	return bytes;
}

static bool add_entry(
    struct listing *listing, const char *name, struct timespec created, enum trace_state state)
{
	struct listing_entry *grown = listing->entries;
	char *copy = strdup(name);

	if (listing->count % GROWTH == 0)
		grown = reallocarray(grown, listing->count + GROWTH, sizeof(*grown));
	if (!grown || !copy) {
		free(copy);
		return false;
	}
	listing->entries = grown;
	listing->entries[listing->count++] =
	    (struct listing_entry){.name = copy, .created = created, .state = state};
	return true;
}

/* As rr ls: neither hidden ones nor an editor's backups. */
static bool may_be_trace(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) &&
	       entry->d_name[0] != '.' && entry->d_name[0] != '#' &&
	       entry->d_name[length - 1] != '~';
}

static bool look_at(struct listing *listing, const char *name)
{
	enum trace_state state;
	cleanup_fd int fd = openat(
	    listing->directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return true;
	state = trace_state_of(fd);
	if (state == TRACE_NONE)
		return true;
	return add_entry(listing, name, listing_trace_created(fd), state);
}

static int newest_first(const void *a, const void *b)
{
	const struct listing_entry *left = a, *right = b;

	if (left->created.tv_sec != right->created.tv_sec)
		return left->created.tv_sec > right->created.tv_sec ? -1 : 1;
	if (left->created.tv_nsec != right->created.tv_nsec)
		return left->created.tv_nsec > right->created.tv_nsec ? -1 : 1;
	return strcmp(left->name, right->name);
}

static bool read_entries(struct listing *listing, struct failure *failure)
{
	DIR *entries = trace_entries(listing->directory);
	size_t seen = 0;
	bool done = entries != NULL;

	for (struct dirent *entry; done && (entry = readdir(entries));) {
		if (++seen > LISTING_ENTRIES_MAX) {
			listing->cut = true;
			break;
		}
		if (may_be_trace(entry))
			done = look_at(listing, entry->d_name);
	}
	if (!done)
		failure_set(failure, ERROR_INTERNAL, NULL, "%s cannot be read: %s", listing->path,
		    strerror(errno));
	if (entries)
		closedir(entries);
	if (listing->count)
		qsort(listing->entries, listing->count, sizeof(*listing->entries), newest_first);
	return done;
}

static void read_latest(struct listing *listing)
{
	char target[TRACE_PATH_MAX];
	ssize_t length = readlinkat(listing->directory, TRACE_LATEST, target, sizeof(target) - 1);
	const char *slash;

	if (length <= 0)
		return;
	target[length] = '\0';
	slash = strrchr(target, '/');
	strlcpy(listing->latest, slash ? slash + 1 : target, sizeof(listing->latest));
}

static bool resolve(const char *name, char *path, size_t size)
{
	if (!*name)
		return trace_base_dir(path, size) == 0;
	return trace_name_to_path(name, path, size) == 0;
}

bool listing_open(
    const struct worker *worker, const char *name, struct listing *listing, struct failure *failure)
{
	char wanted[TRACE_PATH_MAX];
	int error;

	*listing = (struct listing){.directory = -1};
	if (!resolve(name, wanted, sizeof(wanted)))
		return trace_fail_name(name, failure);
	listing->directory = trace_open_allowed(worker, wanted, listing->path, &error, failure);
	if (listing->directory >= 0) {
		read_latest(listing);
		return read_entries(listing, failure);
	}
	if (!error)
		return false;
	/* It is not an error if nothing was recorded yet, but a directory that the client named
	 * must exist. */
	if (error == ENOENT && !*name)
		return true;
	failure_set(failure, error == ENOENT ? ERROR_NOT_FOUND : ERROR_NOT_ALLOWED, NULL,
	    "%s cannot be opened: %s", listing->path, strerror(error));
	return false;
}

void listing_close(struct listing *listing)
{
	for (size_t i = 0; i < listing->count; i++)
		free(listing->entries[i].name);
	free(listing->entries);
	cleanup_close(&listing->directory);
	*listing = (struct listing){.directory = -1};
}
