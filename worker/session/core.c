/*
 * See core.h. Reads by descriptor only: the name may be another file's by now.
 */
#include "worker/session/core.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/session/replay_inside.h"

struct core {
	char *path;
	int named, contents, copy;
	long long room;
	struct stat status; /* of the file as it was named, at the beginning */
	struct core_bytes bytes;
	struct core_file file;
};

const struct core *replay_core(const struct replay *replay)
{
	return replay->core;
}

static bool read_bytes(void *owner, uint64_t offset, void *to, size_t size)
{
	const struct core *core = owner;

	for (size_t got = 0; got < size;) {
		ssize_t length =
		    pread(core->contents, (char *)to + got, size - got, (off_t)(offset + got));
		if (length < 0 && errno == EINTR)
			continue;
		if (length <= 0)
			return false;
		got += (size_t)length;
	}
	return true;
}

struct core *core_new(char *path, int named, int contents, int copy, long long room)
{
	struct core *core = calloc(1, sizeof(*core));

	if (!core) {
		free(path);
		close(named);
		close(copy);
		if (contents != named)
			close(contents);
		return NULL;
	}
	*core = (struct core){
	    .path = path, .named = named, .contents = contents, .copy = copy, .room = room};
	(void)fstat(named, &core->status);
	return core;
}

void core_free(struct core *core)
{
	if (!core)
		return;
	core_file_free(&core->file);
	if (core->contents != core->named)
		close(core->contents);
	close(core->named);
	close(core->copy);
	free(core->path);
	free(core);
}

bool core_read(struct core *core, struct failure *failure)
{
	char why[CORE_WHY_MAX] = "";
	struct stat status;

	if (fstat(core->contents, &status) < 0)
		status.st_size = 0;
	core->bytes = (struct core_bytes){read_bytes, core, (uint64_t)status.st_size};
	core_file_free(&core->file);
	if (core_file_read(&core->file, &core->bytes, why))
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "use a core file as the kernel, systemd-coredump or gdb's gcore writes it",
	    "%.300s: %s", core->path, why);
	return false;
}

const struct core_file *core_contents(const struct core *core)
{
	return &core->file;
}

bool core_memory(const struct core *core, uint64_t address, void *to, size_t size)
{
	return core_file_memory(&core->file, &core->bytes, address, to, size);
}

const char *core_path(const struct core *core)
{
	return core->path;
}

int core_named_fd(const struct core *core)
{
	return core->named;
}

int core_contents_fd(const struct core *core)
{
	return core->contents;
}

int core_copy_fd(const struct core *core)
{
	return core->copy;
}

long long core_room(const struct core *core)
{
	return core->room;
}

const struct core_bytes *core_bytes(const struct core *core)
{
	return &core->bytes;
}

bool core_is_compressed(const struct core *core)
{
	return core->contents != core->named;
}

json_t *core_identity_json(const struct core *core)
{
	return json_sprintf("%lld.%lld.%lld.%lld.%lld", (long long)core->status.st_dev,
	    (long long)core->status.st_ino, (long long)core->status.st_size,
	    (long long)core->status.st_mtim.tv_sec, (long long)core->status.st_mtim.tv_nsec);
}

bool core_has_changed(const struct core *core, struct failure *failure)
{
	struct stat now;

	if (core_is_compressed(core) ||
	    (fstat(core->named, &now) == 0 && now.st_size == core->status.st_size &&
		now.st_mtim.tv_sec == core->status.st_mtim.tv_sec &&
		now.st_mtim.tv_nsec == core->status.st_mtim.tv_nsec))
		return false;
	failure_set(failure, ERROR_NOT_FOUND, "rr_core_open opens the new one",
	    "%.300s has been written again since this session was opened", core->path);
	return true;
}

struct row {
	struct core_range at;
	uint64_t offset;
	char rights[5];
	const char *name;
};

/* The first thread's stack is known by what the kernel put there. */
static const char *unnamed(const struct core_file *file, const struct core_segment *segment)
{
	return file->stack >= segment->at.start && file->stack < segment->at.end ? "[stack]" : "";
}

static size_t fill_rows(const struct core_file *file, struct row *rows)
{
	size_t count = 0;

	for (size_t i = 0; i < file->segment_count; i++) {
		const struct core_segment *segment = &file->segments[i];
		const struct core_mapped *named = core_file_mapped(file, segment->at.start);

		rows[count++] = (struct row){.at = segment->at,
		    .offset = named ? named->offset + (segment->at.start - named->at.start) : 0,
		    .rights = {segment->reads ? 'r' : '-', segment->writes ? 'w' : '-',
			segment->executes ? 'x' : '-', 'p', '\0'},
		    .name = named ? named->name : unnamed(file, segment)};
	}
	/* What gdb left out, because it is in the file. */
	for (size_t i = 0; i < file->mapped_count; i++)
		if (!core_file_segment(file, file->mapped[i].at.start))
			rows[count++] = (struct row){.at = file->mapped[i].at,
			    .offset = file->mapped[i].offset,
			    .name = file->mapped[i].name};
	qsort(rows, count, sizeof(*rows), core_range_compare);
	return count;
}

/* A name that is no text on one line would be read as something else. */
static bool is_line(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 0x7f)
			return false;
	return true;
}

char *core_mappings(const struct core *core)
{
	const struct core_file *file = &core->file;
	cleanup_free struct row *rows =
	    calloc(file->segment_count + file->mapped_count + 1, sizeof(*rows));
	size_t count = rows ? fill_rows(file, rows) : 0, size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < count; i++)
		fprintf(out, "0x%llx 0x%llx 0x%llx 0x%llx %s %s\n",
		    (unsigned long long)rows[i].at.start, (unsigned long long)rows[i].at.end,
		    (unsigned long long)(rows[i].at.end - rows[i].at.start),
		    (unsigned long long)rows[i].offset, rows[i].rights,
		    is_line(rows[i].name) ? rows[i].name : "?");
	return fclose(out) == 0 ? text : NULL;
}
