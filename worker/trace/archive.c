/*
 * Reads and writes tar files that contain one trace. Must never make a file with a name that
 * trace_owns_name does not know, nor trust a size before comparing it with the file's.
 */
#include "worker/trace/archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/trace/trace.h"

#define BLOCK	      512
#define COPY_SIZE     65536
#define SUBDIRECTORY  "files.rr"
#define LONG_NAME_MAX 1024 /* bytes of a GNU long name */
#define BINARY_SIZE   0x80 /* first byte of a size that does not fit octal */
#define PATH_ROOM     (LONG_NAME_MAX + 1)

struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8];
	char type, link[100], magic[6], version[2], user[32], group[32], major[8], minor[8];
	char prefix[155], padding[12];
};

_Static_assert(sizeof(struct header) == BLOCK, "a tar header is one block");

static int fail(char *why, const char *what, const char *name)
{
	snprintf(why, ARCHIVE_WHY_MAX, "%s%s%.300s", what, *name ? ": " : "", name);
	return -1;
}

enum way { IN, OUT };

/* Moves all of it, or returns -1. Does not change bytes that go out. */
static int move_all(enum way way, int file, char *at, size_t length)
{
	while (length) {
		ssize_t moved = way == IN ? read(file, at, length) : write(file, at, length);
		if (moved < 0 && errno == EINTR)
			continue;
		if (moved <= 0)
			return -1;
		at += moved;
		length -= (size_t)moved;
	}
	return 0;
}

static int write_all(int file, const void *bytes, size_t length)
{
	return move_all(OUT, file, (char *)bytes, length);
}

static int read_all(int file, void *bytes, size_t length)
{
	return move_all(IN, file, bytes, length);
}

static uint64_t padding_of(uint64_t size)
{
	return (BLOCK - size % BLOCK) % BLOCK;
}

/* The sum of all bytes, those of the checksum itself taken as blanks. */
static unsigned checksum_of(const struct header *header)
{
	const unsigned char *bytes = (const unsigned char *)header;
	unsigned sum = 0;

	for (size_t i = 0; i < BLOCK; i++) {
		bool own = i >= offsetof(struct header, checksum) &&
			   i < offsetof(struct header, checksum) + sizeof(header->checksum);
		sum += own ? ' ' : bytes[i];
	}
	return sum;
}

/* ---- Writing ------------------------------------------------------------------------------- */

static void put_size(char field[12], uint64_t size)
{
	if (size < UINT64_C(1) << 33) {
		snprintf(field, 12, "%011llo", (unsigned long long)size);
		return;
	}
	memset(field, 0, 12);
	field[0] = (char)BINARY_SIZE;
	for (int i = 11; i > 3; i--, size >>= 8)
		field[i] = (char)(size & 0xff);
}

static int write_header(int file, const char *name, char type, uint64_t size, time_t mtime)
{
	struct header header = {.type = type};
	char sum[sizeof(header.checksum)];

	memcpy(header.name, name, strnlen(name, sizeof(header.name)));
	memcpy(header.mode, type == '5' ? "0000700" : "0000600", 8);
	memcpy(header.uid, "0000000", 8);
	memcpy(header.gid, "0000000", 8);
	put_size(header.size, size);
	put_size(header.mtime, mtime > 0 ? (uint64_t)mtime : 0);
	memcpy(header.magic, "ustar", 6);
	memcpy(header.version, "00", 2);
	snprintf(sum, sizeof(sum), "%06o", checksum_of(&header));
	memcpy(header.checksum, sum, 7);
	header.checksum[7] = ' ';
	return write_all(file, &header, BLOCK);
}

static int write_padding(int file, uint64_t size)
{
	static const char zeros[BLOCK];

	return write_all(file, zeros, (size_t)padding_of(size));
}

/* A name that does not fit the header goes before it, as in GNU tar. */
static int write_named(int file, const char *name, char type, uint64_t size, time_t mtime)
{
	size_t length = strlen(name) + 1;

	if (length > sizeof(((struct header *)0)->name) &&
	    (write_header(file, "././@LongLink", 'L', length, 0) < 0 ||
		write_all(file, name, length) < 0 || write_padding(file, length) < 0))
		return -1;
	return write_header(file, name, type, size, mtime);
}

struct writer {
	int file;
	const struct archive_watch *watch;
	uint64_t done;
	size_t files;
	char *why;
};

static bool goes_on(const struct archive_watch *watch, uint64_t done)
{
	return !watch || !watch->progress || watch->progress(watch->context, done);
}

/* Copies exactly `size` bytes, even if the file has changed in the meantime. */
static int copy_bytes(
    int from, int to, uint64_t size, uint64_t *done, const struct archive_watch *watch)
{
	static char bytes[COPY_SIZE];

	while (size) {
		size_t part = size < sizeof(bytes) ? (size_t)size : sizeof(bytes);
		if (read_all(from, bytes, part) < 0 || write_all(to, bytes, part) < 0)
			return -1;
		size -= part;
		*done += part;
		if (!goes_on(watch, *done)) {
			errno = ECANCELED;
			return -1;
		}
	}
	return 0;
}

static int write_file(struct writer *writer, int directory, const char *name, const char *path)
{
	struct stat status;
	cleanup_fd int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fstat(fd, &status) < 0)
		return fail(writer->why, strerror(errno), path);
	if (!S_ISREG(status.st_mode))
		return fail(writer->why, "not a regular file", path);
	if (++writer->files > ARCHIVE_ENTRIES_MAX)
		return fail(writer->why, "too many files", path);
	if (write_named(writer->file, path, '0', (uint64_t)status.st_size, status.st_mtim.tv_sec) <
		0 ||
	    copy_bytes(fd, writer->file, (uint64_t)status.st_size, &writer->done, writer->watch) <
		0 ||
	    write_padding(writer->file, (uint64_t)status.st_size) < 0)
		return fail(writer->why, strerror(errno), path);
	return 0;
}

/* Writes one directory; `prefix` ends with a slash. Only the trace's own directory has a
 * subdirectory. */
static int write_directory(struct writer *writer, int directory, const char *prefix, bool top)
{
	DIR *entries = trace_entries(directory);
	char path[PATH_MAX];
	int result = entries ? 0 : fail(writer->why, strerror(errno), prefix);

	if (result == 0 && write_named(writer->file, prefix, '5', 0, 0) < 0)
		result = fail(writer->why, strerror(errno), prefix);
	for (struct dirent *entry; result == 0 && (entry = readdir(entries));) {
		const char *name = entry->d_name;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		if (snprintf(path, sizeof(path), "%s%s", prefix, name) >= LONG_NAME_MAX - 1)
			result = fail(writer->why, "name too long", name);
		else if (top && strcmp(name, SUBDIRECTORY) == 0)
			continue;
		else if (top && !trace_owns_name(name))
			result = fail(writer->why, "does not belong to a trace", name);
		else
			result = write_file(writer, directory, name, path);
	}
	if (entries)
		closedir(entries);
	return result;
}

int archive_write(
    int trace, const char *name, int file, const struct archive_watch *watch, char *why)
{
	static const char end[2 * BLOCK];
	struct writer writer = {.file = file, .watch = watch, .why = why};
	char prefix[ARCHIVE_NAME_MAX + sizeof(SUBDIRECTORY) + 3];
	cleanup_fd int below = -1;

	snprintf(prefix, sizeof(prefix), "%.*s/", ARCHIVE_NAME_MAX, name);
	if (write_directory(&writer, trace, prefix, true) < 0)
		return -1;
	below = openat(trace, SUBDIRECTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	strlcat(prefix, SUBDIRECTORY "/", sizeof(prefix));
	if (below >= 0 && write_directory(&writer, below, prefix, false) < 0)
		return -1;
	if (write_all(file, end, sizeof(end)) < 0)
		return fail(why, strerror(errno), "");
	return 0;
}

/* ---- Reading ------------------------------------------------------------------------------- */

struct entry {
	char path[PATH_ROOM];
	char type;
	uint64_t size;
};

struct reader {
	int file;
	uint64_t offset, length; /* of the file */
	char name[ARCHIVE_NAME_MAX + 1];
	size_t entries;
	bool ended;
	char *why;
};

static int open_reader(struct reader *reader, int file, char *why)
{
	struct stat status;

	*reader = (struct reader){.file = file, .why = why};
	if (fstat(file, &status) < 0 || !S_ISREG(status.st_mode) || lseek(file, 0, SEEK_SET) < 0)
		return fail(why, "not a regular file", "");
	reader->length = (uint64_t)status.st_size;
	return 0;
}

static int take(struct reader *reader, void *bytes, size_t length)
{
	if (length > reader->length - reader->offset || read_all(reader->file, bytes, length) < 0)
		return fail(reader->why, "the archive is incomplete", "");
	reader->offset += length;
	return 0;
}

static bool get_size(const char field[12], uint64_t *size)
{
	*size = 0;
	if ((unsigned char)field[0] == BINARY_SIZE) {
		for (int i = 1; i < 4; i++)
			if (field[i])
				return false;
		for (int i = 4; i < 12; i++)
			*size = *size << 8 | (unsigned char)field[i];
		return *size <= INT64_MAX;
	}
	for (int i = 0; i < 12 && field[i] && field[i] != ' '; i++) {
		if (field[i] < '0' || field[i] > '7')
			return false;
		*size = *size << 3 | (unsigned)(field[i] - '0');
	}
	return true;
}

static bool is_zero(const struct header *header)
{
	const char *bytes = (const char *)header;

	for (size_t i = 0; i < BLOCK; i++)
		if (bytes[i])
			return false;
	return true;
}

static bool checksum_holds(const struct header *header)
{
	char text[sizeof(header->checksum) + 1] = "";

	memcpy(text, header->checksum, sizeof(header->checksum));
	return strtoul(text, NULL, 8) == checksum_of(header);
}

/* The path of a header, with its prefix. */
static void header_path(const struct header *header, char path[PATH_ROOM])
{
	if (*header->prefix && memcmp(header->magic, "ustar", 6) == 0)
		snprintf(path, PATH_ROOM, "%.155s/%.100s", header->prefix, header->name);
	else
		snprintf(path, PATH_ROOM, "%.100s", header->name);
}

static int read_long_name(struct reader *reader, uint64_t size, char path[PATH_ROOM])
{
	char padding[BLOCK];

	if (size < 2 || size > LONG_NAME_MAX)
		return fail(reader->why, "a name is too long", "");
	if (take(reader, path, (size_t)size) < 0 ||
	    take(reader, padding, (size_t)padding_of(size)) < 0)
		return -1;
	path[size] = '\0';
	return 0;
}

/* The next entry; at the archive's end reader->ended. Its content follows. */
static int next_entry(struct reader *reader, struct entry *entry)
{
	struct header header = {0};
	bool named = false;

	for (;;) {
		if (take(reader, &header, BLOCK) < 0)
			return -1;
		if (is_zero(&header)) {
			reader->ended = true;
			return 0;
		}
		if (!checksum_holds(&header) || !get_size(header.size, &entry->size))
			return fail(reader->why, "not a tar file, or damaged", "");
		if (header.type != 'L' || named)
			break;
		if (read_long_name(reader, entry->size, entry->path) < 0)
			return -1;
		named = true;
	}
	if (!named)
		header_path(&header, entry->path);
	entry->type = header.type ? header.type : '0';
	if (++reader->entries > ARCHIVE_ENTRIES_MAX)
		return fail(reader->why, "too many files", "");
	if (entry->size > reader->length - reader->offset)
		return fail(reader->why, "the archive ends inside", entry->path);
	return 0;
}

static bool is_plain_name(const char *name, size_t length)
{
	if (length == 0 || length > NAME_MAX || *name == '.')
		return false;
	for (size_t i = 0; i < length; i++)
		if (name[i] == '/' || (unsigned char)name[i] < 0x20 || name[i] == 0x7f)
			return false;
	return true;
}

/* The trace's name is the first component of every path. */
static bool belongs(struct reader *reader, const char *path, size_t length)
{
	if (!is_plain_name(path, length) || length > ARCHIVE_NAME_MAX)
		return false;
	if (!*reader->name)
		memcpy(reader->name, path, length);
	return strlen(reader->name) == length && memcmp(reader->name, path, length) == 0;
}

/* The path after the trace's name: "" for the trace itself, "x", "files.rr/", "files.rr/x". NULL if
 * it is refused. */
static const char *judge_entry(struct reader *reader, const struct entry *entry)
{
	size_t first = strcspn(entry->path, "/");
	const char *rest = entry->path + first + (entry->path[first] == '/');
	size_t below = strlen(SUBDIRECTORY);
	bool subdirectory =
	    strncmp(rest, SUBDIRECTORY, below) == 0 && (rest[below] == '/' || rest[below] == '\0');
	bool sound = belongs(reader, entry->path, first);

	/* This name is a link of rr, and means the newest trace wherever a trace is named. */
	if (sound && strcmp(reader->name, TRACE_LATEST) == 0) {
		fail(reader->why, "a trace cannot be called", TRACE_LATEST);
		return NULL;
	}
	if (entry->type == '5')
		sound = sound && entry->size == 0 &&
			(*rest == '\0' || (subdirectory && strlen(rest) <= below + 1));
	else if (entry->type != '0')
		sound = false;
	else if (subdirectory)
		sound = sound && rest[below] == '/' &&
			is_plain_name(rest + below + 1, strlen(rest + below + 1));
	else
		sound = sound && is_plain_name(rest, strlen(rest)) && trace_owns_name(rest);
	if (sound)
		return rest;
	fail(reader->why, "contains a file that does not belong to a trace", entry->path);
	return NULL;
}

/* Returns 1 with the next entry and what judge_entry says of it, 0 at the archive's end, or -1. */
static int next_sound_entry(struct reader *reader, struct entry *entry, const char **rest)
{
	if (next_entry(reader, entry) < 0)
		return -1;
	if (reader->ended)
		return 0;
	*rest = judge_entry(reader, entry);
	return *rest ? 1 : -1;
}

static int skip(struct reader *reader, uint64_t bytes)
{
	if (bytes > reader->length - reader->offset)
		return fail(reader->why, "the archive is incomplete", "");
	reader->offset += bytes;
	return lseek(reader->file, (off_t)reader->offset, SEEK_SET) < 0
		   ? fail(reader->why, strerror(errno), "")
		   : 0;
}

int archive_check(int file, struct archive_summary *summary, char *why)
{
	struct reader reader;
	struct entry entry;
	const char *rest;
	bool version = false;
	int more;

	*summary = (struct archive_summary){0};
	if (open_reader(&reader, file, why) < 0)
		return -1;
	while ((more = next_sound_entry(&reader, &entry, &rest)) > 0) {
		if (skip(&reader, entry.size + padding_of(entry.size)) < 0)
			return -1;
		version |= strcmp(rest, ARCHIVE_VERSION) == 0;
		summary->files += entry.type == '0';
		summary->bytes += entry.size;
	}
	if (more < 0)
		return -1;
	if (!version)
		return fail(why, "contains no trace that can be replayed", "");
	strlcpy(summary->name, reader.name, sizeof(summary->name));
	return 0;
}

static int unpack_entry(struct reader *reader, const struct entry *entry, const char *rest,
    int directory, uint64_t *done, const struct archive_watch *watch)
{
	cleanup_fd int fd = -1;

	if (entry->type == '5') {
		if (*rest && mkdirat(directory, SUBDIRECTORY, 0700) < 0)
			return fail(reader->why, strerror(errno), entry->path);
		return 0;
	}
	/* Only one name contains a slash, and we made that directory ourselves. */
	fd = openat(directory, rest, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || copy_bytes(reader->file, fd, entry->size, done, watch) < 0)
		return fail(reader->why, strerror(errno), entry->path);
	reader->offset += entry->size;
	return skip(reader, padding_of(entry->size));
}

/* Unpacks the entry `only`, or all entries (NULL). Returns how many; -1 with why. */
static int unpack_entries(
    int file, int directory, const char *only, const struct archive_watch *watch, char *why)
{
	struct reader reader;
	struct entry entry = {0};
	const char *rest = "";
	uint64_t done = 0;
	int more = 0, count = 0;

	if (open_reader(&reader, file, why) < 0)
		return -1;
	while (!(only && count) && (more = next_sound_entry(&reader, &entry, &rest)) > 0) {
		bool wanted = !only || strcmp(rest, only) == 0;
		int result = wanted ? unpack_entry(&reader, &entry, rest, directory, &done, watch)
				    : skip(&reader, entry.size + padding_of(entry.size));
		if (result < 0)
			return -1;
		count += wanted;
	}
	return more < 0 ? -1 : count;
}

int archive_unpack_version(int file, int directory, char *why)
{
	int count = unpack_entries(file, directory, ARCHIVE_VERSION, NULL, why);

	return count > 0   ? 0
	       : count < 0 ? -1
			   : fail(why, "contains no trace that can be replayed", "");
}

int archive_unpack(int file, int directory, const struct archive_watch *watch, char *why)
{
	return unpack_entries(file, directory, NULL, watch, why) < 0 ? -1 : 0;
}
