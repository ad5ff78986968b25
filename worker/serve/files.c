/*
 * See files.h. Debug information names these files, so it never opens one that could block, or one
 * that the kernel generates: /proc would show what this worker itself has open.
 */
#include "worker/serve/files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/broker.h"

#define SOURCE_MAX (16L * 1024 * 1024) /* larger ones are no source */

static void say(char *why, const char *text)
{
	if (why)
		snprintf(why, FILES_WHY_MAX, "%s", text);
}

static int open_in_view(const char *path)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct statfs system;
	struct stat info;

	if (fd < 0 || fstat(fd, &info) < 0 || fstatfs(fd, &system) < 0)
		return -1;
	if (!S_ISREG(info.st_mode) || info.st_size > SOURCE_MAX) {
		errno = EFBIG;
		return -1;
	}
	if (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC) {
		errno = EINVAL;
		return -1;
	}
	return steal_fd(&fd);
}

/* Does not ask the broker for a file in the view that is not a source. Without a view, Landlock
 * answers EACCES. A relative name would refer to the directory where the server was started. */
static int open_anywhere(const char *path, struct broker_reply *reply, char *why)
{
	int fd = path[0] == '/' ? open_in_view(path) : -1;

	if (fd >= 0) {
		snprintf(reply->path, sizeof(reply->path), "%s", path);
		return fd;
	}
	if (path[0] == '/' && errno != ENOENT && errno != ENOTDIR && errno != EACCES) {
		say(why, strerror(errno));
		return -1;
	}
	fd = broker_ask(WORKER_BROKER_FD, BROKER_SOURCE, path, reply);
	if (fd < 0)
		say(why, reply->why);
	return fd > 0 ? fd : -1;
}

static void forget(struct kept_file *kept)
{
	if (!kept->path)
		return;
	free(kept->path);
	free(kept->place);
	close(kept->fd);
	*kept = (struct kept_file){0};
}

static struct kept_file *find_kept(struct files *files, const char *path)
{
	for (size_t i = 0; i < FILES_KEPT; i++)
		if (files->kept[i].path && strcmp(files->kept[i].path, path) == 0)
			return &files->kept[i];
	return NULL;
}

int files_open_source(struct files *files, const char *path, struct files_found *found, char *why)
{
	struct kept_file *kept = find_kept(files, path);
	struct broker_reply reply = {0};
	int fd;

	if (!kept) {
		fd = open_anywhere(path, &reply, why);
		if (fd < 0)
			return -1;
		kept = &files->kept[files->next++ % FILES_KEPT];
		forget(kept);
		*kept = (struct kept_file){.path = strdup(path),
		    .place = strdup(reply.path),
		    .doubt = reply.doubt,
		    .fd = fd};
	}
	if (found)
		*found = (struct files_found){kept->place ? kept->place : "", kept->doubt};
	return lseek(kept->fd, 0, SEEK_SET) == 0 ? kept->fd : -1;
}

void files_forget(struct files *files)
{
	for (size_t i = 0; i < FILES_KEPT; i++)
		forget(&files->kept[i]);
	*files = (struct files){0};
}
