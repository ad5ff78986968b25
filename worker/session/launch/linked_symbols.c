/*
 * See linked_symbols.h. Must never take symbols from a program that is another one by now.
 */
#include "worker/session/launch/linked_symbols.h"
#include "worker/session/replay_inside.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "worker/session/images.h"

#define COMPARED_MAX (256L * 1024 * 1024) /* bytes; a program without symbols is smaller */
#define END_MAX	     (64 * 1024)

static bool have_same_bytes(const char *one, const char *other)
{
	cleanup_fd int a = open(one, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	cleanup_fd int b = open(other, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	static char left[64 * 1024], right[64 * 1024];
	struct stat first, second;

	if (a < 0 || b < 0 || fstat(a, &first) < 0 || fstat(b, &second) < 0 ||
	    !S_ISREG(first.st_mode) || !S_ISREG(second.st_mode) ||
	    first.st_size != second.st_size || first.st_size > COMPARED_MAX)
		return false;
	if (first.st_dev == second.st_dev && first.st_ino == second.st_ino)
		return true;
	for (off_t at = 0; at < first.st_size;) {
		ssize_t got = read(a, left, sizeof(left));
		if (got <= 0 || read(b, right, (size_t)got) != got ||
		    memcmp(left, right, (size_t)got) != 0)
			return false;
		at += got;
	}
	return true;
}

/* The names of an ELF file's sections are near its end. If this takes something else for a name,
 * gdb only reads the same program again. */
static bool names_debug_file(const char *path)
{
	static const char section[] = ".gnu_debuglink";
	static char end[END_MAX];
	cleanup_fd int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;
	ssize_t got;

	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	got = pread(fd, end, sizeof(end), status.st_size > END_MAX ? status.st_size - END_MAX : 0);
	return got > 0 && memmem(end, (size_t)got, section, sizeof(section)) != NULL;
}

/* The .dwo files of a program, packed. gdb finds it by the program's name. */
static bool has_package(const char *file)
{
	char path[PATH_MAX];

	return (size_t)snprintf(path, sizeof(path), "%s.dwp", file) < sizeof(path) &&
	       access(path, R_OK) == 0;
}

const char *linked_symbols_program(const struct replay *replay)
{
	const char *file = images_get(replay, images_at(replay))->file;

	if (!file || file[0] != '/' || strcmp(file, replay->executable) == 0 ||
	    (!names_debug_file(replay->executable) && !has_package(file)) ||
	    !have_same_bytes(file, replay->executable))
		return replay->executable;
	return file;
}
