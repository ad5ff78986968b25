/*
 * See ledger.h. Only the monitor writes it. A file of the ledger is text: a line that tells the
 * format, two about the trace, and one for each entry, with tabs between the fields.
 */
#include "supervisor/monitor/ledger.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/cleanup.h"

#define FORMAT		  "rr-warden ledger 1"
#define HEADER_MAX	  512 /* bytes of a trace's header that identify it */
#define IDENTITY_TEXT_MAX (2 * HEADER_MAX + 80)
#define SWEPT_MAX	  8000 /* files of the ledger that one sweep looks at */
#define HEAD_MAX	  (IDENTITY_TEXT_MAX + PATH_MAX + 64) /* a file's first three lines */
#define GONE_SECONDS	  (7 * 24 * 3600)		      /* a trace may only have moved */

/* What a trace is known by. */
struct identity {
	unsigned long long device, inode;
	long long born; /* ns; 0: the file system does not tell */
	char header[2 * HEADER_MAX + 1];
};

/* ---- Entries ----------------------------------------------------------------------------------
 */

static bool is_line(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20)
			return false;
	return true;
}

static long long modified_of(const struct stat *status)
{
	return status->st_mtim.tv_sec * 1000000000LL + status->st_mtim.tv_nsec;
}

static struct ledger_entry *next_entry(struct ledger *ledger)
{
	if (!ledger->entries)
		ledger->entries = calloc(LEDGER_ENTRIES_MAX, sizeof(*ledger->entries));
	if (!ledger->entries || ledger->count == LEDGER_ENTRIES_MAX)
		return NULL;
	return &ledger->entries[ledger->count++];
}

void ledger_add(struct ledger *ledger, enum ledger_kind kind, const struct stat *status,
    const char *place, const char *name)
{
	size_t bytes = strlen(place) + strlen(name) + 64;
	struct ledger_entry *entry;

	if (!is_line(place) || !is_line(name) || bytes > LEDGER_BYTES_MAX - ledger->bytes)
		return;
	entry = next_entry(ledger);
	if (!entry)
		return;
	*entry = (struct ledger_entry){.kind = kind,
	    .modified = modified_of(status),
	    .size = status->st_size,
	    .place = strdup(place),
	    .name = strdup(name)};
	if (!entry->place || !entry->name)
		ledger->count--;
	ledger->bytes += bytes;
}

/* Sources first, by their places, and then by their names. */
static int compare(const void *a, const void *b)
{
	const struct ledger_entry *one = a, *other = b;
	int order = (one->kind != LEDGER_SOURCE) - (other->kind != LEDGER_SOURCE);

	if (order == 0)
		order = strcmp(one->place, other->place);
	return order ? order : strcmp(one->name, other->name);
}

const struct ledger_entry *ledger_find_place(const struct ledger *ledger, const char *place)
{
	size_t low = 0, high = ledger->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct ledger_entry *entry = &ledger->entries[middle];
		int order = entry->kind == LEDGER_SOURCE ? strcmp(entry->place, place) : 1;
		if (order == 0)
			return entry;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct ledger_entry *ledger_find_name(
    const struct ledger *ledger, const char *name, const char *but)
{
	for (size_t i = 0; *name && i < ledger->count; i++)
		if (ledger->entries[i].kind == LEDGER_SOURCE &&
		    strcmp(ledger->entries[i].name, name) == 0 &&
		    (!but || strcmp(ledger->entries[i].place, but) != 0))
			return &ledger->entries[i];
	return NULL;
}

bool ledger_has_changed(const struct ledger_entry *entry, const struct stat *status)
{
	return entry->modified != modified_of(status) || entry->size != status->st_size;
}

void ledger_free(struct ledger *ledger)
{
	for (size_t i = 0; ledger && !ledger->text && i < ledger->count; i++) {
		free(ledger->entries[i].place);
		free(ledger->entries[i].name);
	}
	if (ledger) {
		free(ledger->entries);
		free(ledger->text);
	}
	free(ledger);
}

/* ---- Traces -----------------------------------------------------------------------------------
 */

/* rr writes the header first, as "incomplete", and renames it when the recording ends. */
static void read_header(int trace, char header[2 * HEADER_MAX + 1])
{
	static const char *const names[] = {"version", "incomplete"};
	unsigned char bytes[HEADER_MAX];
	ssize_t length = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && length <= 0; i++) {
		cleanup_fd int fd =
		    openat(trace, names[i], O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		length = fd < 0 ? 0 : read(fd, bytes, sizeof(bytes));
	}
	header[0] = '\0';
	for (ssize_t i = 0; i < length; i++)
		snprintf(header + 2 * i, 3, "%02x", bytes[i]);
}

static int identify(int trace, struct identity *identity)
{
	struct statx status;

	if (statx(trace, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &status) < 0)
		return -1;
	identity->device = makedev(status.stx_dev_major, status.stx_dev_minor);
	identity->inode = status.stx_ino;
	identity->born = status.stx_mask & STATX_BTIME
			     ? status.stx_btime.tv_sec * 1000000000LL + status.stx_btime.tv_nsec
			     : 0;
	read_header(trace, identity->header);
	return 0;
}

static void print_identity(const struct identity *identity, char *text, size_t size)
{
	snprintf(text, size, "%llx\t%llx\t%lld\t%s", identity->device, identity->inode,
	    identity->born, identity->header);
}

int ledger_name(int trace, char name[NAME_MAX])
{
	struct stat status;

	if (fstat(trace, &status) < 0)
		return -1;
	snprintf(name, NAME_MAX, "%llx-%llx", (unsigned long long)status.st_dev,
	    (unsigned long long)status.st_ino);
	return 0;
}

/* ---- Files ------------------------------------------------------------------------------------
 */

/* Makes what is missing of a path, for this user only. */
static void make_directories(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(path, 0700);
		*slash = '/';
	}
	(void)mkdir(path, 0700);
}

int ledger_directory(char path[PATH_MAX], bool make)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	cleanup_fd int fd = -1;
	struct stat status;
	int length;

	if (state && state[0] == '/')
		length = snprintf(path, PATH_MAX, "%s/rr-warden", state);
	else if (home && home[0] == '/')
		length = snprintf(path, PATH_MAX, "%s/.local/state/rr-warden", home);
	else
		length = PATH_MAX;
	if (length >= PATH_MAX) {
		errno = ENOENT;
		return -1;
	}
	if (make)
		make_directories(path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return -1;
	if (status.st_uid != geteuid() || status.st_mode & (S_IWGRP | S_IWOTH)) {
		errno = EPERM; /* others can write it, so it proves nothing */
		return -1;
	}
	return steal_fd(&fd);
}

static int write_text(FILE *file, const struct ledger *ledger, int trace, const char *path)
{
	char known[IDENTITY_TEXT_MAX];
	struct identity identity;

	if (!is_line(path) || identify(trace, &identity) < 0)
		return -1;
	print_identity(&identity, known, sizeof(known));
	fprintf(file, "%s\n%s\n%s\n", FORMAT, known, path);
	for (size_t i = 0; i < ledger->count; i++) {
		const struct ledger_entry *entry = &ledger->entries[i];
		if (i > 0 && compare(entry, entry - 1) == 0)
			continue;
		fprintf(file, "%c\t%lld\t%lld\t%s\t%s\n", entry->kind, entry->modified, entry->size,
		    entry->place, entry->name);
	}
	return ferror(file) ? -1 : 0;
}

int ledger_save(struct ledger *ledger, int directory, int trace, const char *path)
{
	char name[NAME_MAX], unfinished[NAME_MAX + 8];
	FILE *file;
	int fd, result;

	if (ledger_name(trace, name) < 0)
		return -1;
	if (ledger->count)
		qsort(ledger->entries, ledger->count, sizeof(*ledger->entries), compare);
	snprintf(unfinished, sizeof(unfinished), "%s.new", name);
	(void)unlinkat(directory, unfinished, 0);
	fd = openat(
	    directory, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	result = write_text(file, ledger, trace, path);
	if (fclose(file) != 0)
		result = -1;
	if (result == 0)
		result = renameat(directory, unfinished, directory, name);
	if (result < 0)
		(void)unlinkat(directory, unfinished, 0);
	return result;
}

/* The text of one of the user's own files in the directory, or NULL. */
static char *read_text(int directory, const char *name)
{
	cleanup_fd int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	cleanup_free char *text = NULL;
	size_t length = 0;
	struct stat status;
	ssize_t got;

	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
	    status.st_uid != geteuid() || status.st_size > 2 * LEDGER_BYTES_MAX)
		return NULL;
	text = malloc((size_t)status.st_size + 1);
	while (text && length < (size_t)status.st_size &&
	       (got = read(fd, text + length, (size_t)status.st_size - length)) > 0)
		length += (size_t)got;
	if (text)
		text[length] = '\0';
	return steal_pointer(&text);
}

static bool read_entry(char *line, struct ledger_entry *entry)
{
	char *fields[5];

	for (size_t i = 0; i < 5; i++) {
		fields[i] = strsep(&line, "\t");
		if (!fields[i])
			return false;
	}
	*entry = (struct ledger_entry){.kind = (enum ledger_kind)fields[0][0],
	    .modified = strtoll(fields[1], NULL, 10),
	    .size = strtoll(fields[2], NULL, 10),
	    .place = fields[3],
	    .name = fields[4]};
	return entry->place[0] == '/';
}

/* Whether a program is another one than at the recording. One that is gone was not built again. */
static bool is_rebuilt(const struct ledger_entry *entry)
{
	struct stat status;

	return entry->kind == LEDGER_PROGRAM && lstat(entry->place, &status) == 0 &&
	       ledger_has_changed(entry, &status);
}

/* The entries of a ledger's text, if it is about this trace. */
static bool read_entries(struct ledger *ledger, const char *known)
{
	char *rest = ledger->text, *line = strsep(&rest, "\n");

	if (strcmp(line, FORMAT) != 0 || !(line = strsep(&rest, "\n")) || strcmp(line, known) != 0)
		return false;
	(void)strsep(&rest, "\n"); /* where it was */
	while ((line = strsep(&rest, "\n"))) {
		struct ledger_entry entry, *next;
		if (!read_entry(line, &entry))
			continue;
		next = next_entry(ledger);
		if (!next)
			break;
		*next = entry;
		ledger->rebuilt |= is_rebuilt(next);
	}
	if (ledger->count)
		qsort(ledger->entries, ledger->count, sizeof(*ledger->entries), compare);
	return true;
}

struct ledger *ledger_load(const char *path)
{
	char place[PATH_MAX], name[NAME_MAX], known[IDENTITY_TEXT_MAX];
	cleanup_fd int trace = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	cleanup_fd int directory = trace < 0 ? -1 : ledger_directory(place, false);
	struct ledger *ledger = directory < 0 ? NULL : calloc(1, sizeof(*ledger));
	struct identity identity;

	if (!ledger)
		return NULL;
	if (identify(trace, &identity) == 0 && ledger_name(trace, name) == 0) {
		print_identity(&identity, known, sizeof(known));
		ledger->text = read_text(directory, name);
		if (ledger->text && read_entries(ledger, known))
			return ledger;
	}
	ledger_free(ledger);
	return NULL;
}

/* ---- What is too much --------------------------------------------------------------------------
 */

/* A file in the ledger's directory. A recorded program can write there, so it may be anything. */
struct kept {
	char name[40]; /* as of ledger_name, perhaps with ".new" */
	time_t modified;
	off_t size;
	bool gone; /* its trace is not where it was */
};

/* Whether the trace that the file is about is where it was. What cannot be found out is not gone.
 */
static bool has_trace(int directory, const char *name)
{
	cleanup_fd int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char head[HEAD_MAX + 1], now[NAME_MAX], *rest = head;
	ssize_t length = fd < 0 ? 0 : read(fd, head, HEAD_MAX);

	head[length < 0 ? 0 : length] = '\0';
	for (int i = 0; i < 2; i++)
		if (!strsep(&rest, "\n"))
			return false;
	char *path = strsep(&rest, "\n");
	if (!path || path[0] != '/')
		return false;
	cleanup_fd int trace = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (trace < 0)
		return errno != ENOENT && errno != ENOTDIR && errno != ELOOP;
	return ledger_name(trace, now) == 0 && strcmp(now, name) == 0;
}

/* Which goes first: those without a trace, and then the oldest. */
static int compare_kept(const void *a, const void *b)
{
	const struct kept *one = a, *other = b;

	if (one->gone != other->gone)
		return one->gone ? -1 : 1;
	return (one->modified > other->modified) - (one->modified < other->modified);
}

/* Whether the directory's entry is a file of the ledger, which is then noted. */
static bool look_at(int directory, const char *name, time_t now, struct kept *kept)
{
	struct stat status;

	if (strlen(name) >= sizeof(kept->name) || strspn(name, "0123456789abcdef") == 0 ||
	    fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
		return false;
	*kept = (struct kept){.modified = status.st_mtime, .size = status.st_size};
	memcpy(kept->name, name, strlen(name) + 1);
	if (status.st_mtime > now || status.st_size > 2 * LEDGER_BYTES_MAX)
		kept->modified = 0; /* not ours, so it must not outlive what is */
	kept->gone = !has_trace(directory, name);
	return true;
}

static size_t look_at_all(int directory, time_t now, struct kept *kept)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	size_t count = 0;

	while (entries && count < SWEPT_MAX && (entry = readdir(entries)))
		count += look_at(directory, entry->d_name, now, &kept[count]);
	if (entries)
		closedir(entries);
	return count;
}

void ledger_sweep(int directory)
{
	struct kept *kept = calloc(SWEPT_MAX, sizeof(*kept));
	time_t now = time(NULL);
	size_t count = kept ? look_at_all(directory, now, kept) : 0, left = count;
	off_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += kept[i].size < LEDGER_TOTAL_MAX ? kept[i].size : LEDGER_TOTAL_MAX;
	if (count)
		qsort(kept, count, sizeof(*kept), compare_kept);
	for (size_t i = 0; i < count; i++) {
		bool is_old = kept[i].gone && now - kept[i].modified >= GONE_SECONDS;
		if (!is_old && left <= LEDGER_FILES_MAX && bytes <= LEDGER_TOTAL_MAX)
			continue;
		(void)unlinkat(directory, kept[i].name, 0);
		bytes -= kept[i].size < LEDGER_TOTAL_MAX ? kept[i].size : LEDGER_TOTAL_MAX;
		left--;
	}
	free(kept);
}
