/*
 * Must agree with the supervisor (program_paths.c) about what a worker sees.
 */
#include "worker/softpmu/rrfix/mappedfiles.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "worker/softpmu/base/kernel.h"

/* A core is no program, though it begins like one. */
static bool is_program(int fd)
{
	unsigned char start[EI_NIDENT + 2] = {0};

	return kernel_call(SYS_pread64, fd, (long)start, sizeof start, 0, 0, 0) ==
		   (long)sizeof start &&
	       memcmp(start, ELFMAG, SELFMAG) == 0 &&
	       start[EI_NIDENT] + start[EI_NIDENT + 1] != ET_CORE;
}

static bool is_of_system(int fd)
{
	static const char *const roots[] = {
	    "/usr/", "/bin/", "/sbin/", "/lib/", "/lib32/", "/lib64/", "/libx32/"};
	char link[64], path[PATH_MAX] = "";

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	if (kernel_call(SYS_readlink, (long)link, (long)path, sizeof path - 1, 0, 0, 0) <= 0)
		return false;
	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
		if (strncmp(path, roots[i], strlen(roots[i])) == 0)
			return true;
	}
	return false;
}

bool mappedfiles_is_copied(int fd)
{
	struct stat status = {0};

	return kernel_call(SYS_fstat, fd, (long)&status, 0, 0, 0, 0) >= 0 &&
	       S_ISREG(status.st_mode) && !is_program(fd) && !is_of_system(fd);
}
