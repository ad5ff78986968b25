#include "worker/softpmu/sharedfiles.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>

enum { TRIES = 1000 };

bool sharedfiles_creates(const char *path, int flags)
{
	static const char start[] = "rr-shared-";
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return (flags & O_CREAT) && (flags & O_EXCL) &&
	       strncmp(name, start, sizeof(start) - 1) == 0;
}

bool sharedfiles_wait(int tries)
{
	static const struct timespec millisecond = {.tv_nsec = 1000000};

	if (tries >= TRIES)
		return false;
	nanosleep(&millisecond, NULL);
	return true;
}
