/*
 * See core_program.h. Symbols of another program would make every answer wrong, so a program that
 * is not known to be the right one is refused, or warned of.
 */
#include "worker/session/launch/core_program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/session/replay_inside.h"
#include "worker/trace/trace.h"

#define DELETED	 " (deleted)"
#define ID_SHOWN (2 * 20 + 1)

static bool read_file(void *owner, uint64_t offset, void *to, size_t size)
{
	return pread(*(const int *)owner, to, size, (off_t)offset) == (ssize_t)size;
}

/* What the file's first page was in the process. */
struct image {
	const struct core *core;
	uint64_t base;
};

static bool read_image(void *owner, uint64_t offset, void *to, size_t size)
{
	const struct image *image = owner;

	return core_memory(image->core, image->base + offset, to, size);
}

static void hex_of(const struct core_identity *identity, char text[ID_SHOWN])
{
	text[0] = '\0';
	for (size_t i = 0; i < identity->length && 2 * i + 2 < ID_SHOWN; i++)
		snprintf(text + 2 * i, 3, "%02x", identity->build_id[i]);
}

/* Whether the core file knows the file by its build id, and the program else by where it begins. */
static enum core_match compare(
    const struct core *core, const char *name, const struct core_identity *file, char *why)
{
	const struct core_file *contents = core_contents(core);
	const struct core_mapped *program = core_file_program(contents);
	bool is_program = program && strcmp(program->name, name) == 0;
	struct image image = {core, core_file_base(contents, name)};
	const struct core_bytes bytes = {read_image, &image, UINT32_MAX};
	struct core_identity was = {0};
	char one[ID_SHOWN], other[ID_SHOWN];

	if (image.base)
		core_identity_read(&was, &bytes);
	hex_of(file, one);
	hex_of(&was, other);
	snprintf(why, CORE_WHY_MAX, "%s", "");
	if (was.length &&
	    (was.length != file->length || memcmp(was.build_id, file->build_id, was.length) != 0)) {
		snprintf(why, CORE_WHY_MAX, "its build id is %s, that of the one that ran is %s",
		    file->length ? one : "missing", other);
		return CORE_MATCH_NO;
	}
	if (was.length)
		return CORE_MATCH_YES;
	if (is_program &&
	    ((contents->headers && contents->headers != file->headers) ||
		(contents->entry && image.base && contents->entry - image.base != file->entry))) {
		snprintf(why, CORE_WHY_MAX, "it begins at another address than the one that ran");
		return CORE_MATCH_NO;
	}
	return CORE_MATCH_UNKNOWN;
}

enum core_match core_program_match(
    const struct core *core, const char *name, const char *path, char *why)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct core_identity file;
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0) {
		snprintf(why, CORE_WHY_MAX, "%s", strerror(errno));
		return CORE_MATCH_NO_FILE;
	}
	if (!S_ISREG(status.st_mode)) {
		snprintf(why, CORE_WHY_MAX, "it is no regular file");
		return CORE_MATCH_NO_FILE;
	}
	core_identity_read(&file, &(struct core_bytes){read_file, &fd, (uint64_t)status.st_size});
	if (file.is_elf)
		return compare(core, name, &file, why);
	snprintf(why, CORE_WHY_MAX, "it is not a program for 64-bit x86");
	return CORE_MATCH_NO_FILE;
}

static void warn(struct replay *replay, json_t *warning)
{
	json_array_append_new(replay->warnings, warning);
}

static void warn_unsure(struct replay *replay, const char *path)
{
	warn(replay,
	    json_sprintf("whether %.200s is the program of this core file is not known, because "
			 "one of them has no build id: if names and values look wrong, it is not",
		path));
}

static char *take_named(struct replay *replay, const char *name, struct failure *failure)
{
	const struct core_mapped *mapped = core_file_program(core_contents(replay->core));
	cleanup_free char *path = NULL;
	char absolute[TRACE_PATH_MAX], why[CORE_WHY_MAX];
	enum core_match match;

	if (trace_file_to_path(name, absolute, sizeof(absolute)) < 0) {
		trace_fail_name(name, failure);
		return NULL;
	}
	path = realpath(absolute, NULL);
	match = path ? core_program_match(replay->core, mapped ? mapped->name : "", path, why)
		     : CORE_MATCH_NO_FILE;
	if (!path)
		snprintf(why, sizeof(why), "%s", strerror(errno));
	switch (match) {
	case CORE_MATCH_UNKNOWN:
		warn_unsure(replay, path);
		return steal_pointer(&path);
	case CORE_MATCH_YES:
		return steal_pointer(&path);
	case CORE_MATCH_NO:
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "name the program as it was when it crashed, or leave program out to see what "
		    "can be seen without it",
		    "%.200s is not the program of this core file: %s", path, why);
		return NULL;
	case CORE_MATCH_NO_FILE:
		failure_set(failure, ERROR_NOT_FOUND, "name the program that crashed",
		    "%.200s cannot be read as a program: %s", name, why);
		return NULL;
	}
	return NULL;
}

bool core_program_place(const char *name, const char *sysroot, char path[PATH_MAX])
{
	return (size_t)snprintf(path, PATH_MAX, "%s%s", sysroot ? sysroot : "", name) < PATH_MAX;
}

static char *take_mapped(struct replay *replay, const char *sysroot)
{
	const struct core_mapped *mapped = core_file_program(core_contents(replay->core));
	size_t length = mapped ? strlen(mapped->name) : 0, cut = strlen(DELETED);
	char path[PATH_MAX] = "", why[CORE_WHY_MAX] = "the core file does not say which it was";
	enum core_match match = CORE_MATCH_NO_FILE;

	if (mapped && mapped->name[0] == '/' && core_program_place(mapped->name, sysroot, path))
		match = core_program_match(replay->core, mapped->name, path, why);
	if (length > cut && strcmp(mapped->name + length - cut, DELETED) == 0)
		snprintf(why, sizeof(why), "it had been deleted or replaced before it crashed");
	switch (match) {
	case CORE_MATCH_UNKNOWN:
		warn_unsure(replay, path);
		return strdup(path);
	case CORE_MATCH_YES:
		return strdup(path);
	case CORE_MATCH_NO:
		warn(
		    replay, json_sprintf(
				"there are no symbols of the program: %.200s is another one by now "
				"(%s). Name the one that crashed with program",
				path, why));
		return NULL;
	case CORE_MATCH_NO_FILE:
		warn(replay,
		    json_sprintf("there are no symbols of the program%s%.200s: %s. Name it with "
				 "program%s",
			path[0] ? ", " : "", path, why,
			sysroot ? "" : ", or its container's root with sysroot"));
		return NULL;
	}
	return NULL;
}

char *core_program_find(
    struct replay *replay, const struct core_asked *asked, struct failure *failure)
{
	return asked->program && asked->program[0]
		   ? take_named(replay, asked->program, failure)
		   : take_mapped(
			 replay, asked->sysroot && asked->sysroot[0] ? asked->sysroot : NULL);
}
