/*
 * See memfile.h. Must never replace a mapping of the program: it uses MAP_FIXED_NOREPLACE for every
 * address.
 */
#include "worker/softpmu/base/memfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/memory.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum {
	NAME_SIZE = 64, /* in INJECT_SCRATCH */
	PATH_SIZE = 64,
};

const char *memfile_name(void)
{
	static char name[NAME_SIZE];
	uint64_t random = 0;

	if (name[0] == '\0') {
		if (kernel_call(SYS_getrandom, (long)&random, sizeof random, 0, 0, 0, 0) < 0)
			random = (uint64_t)getpid();
		snprintf(
		    name, sizeof name, "rr-warden-code-cache-%016llx", (unsigned long long)random);
	}
	return name;
}

bool memfile_is_in(const char *line, size_t length)
{
	const char *name = memfile_name();

	return memmem(line, length, name, strlen(name)) != NULL;
}

bool memfile_may_be(uint64_t size)
{
	struct rlimit limit = {0};

	return kernel_call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0) < 0 ||
	       limit.rlim_cur >= size;
}

/* The tracee's descriptor. */
static long create_there(struct injection *injection)
{
	const uint64_t create_it[6] = {INJECT_SCRATCH, MFD_CLOEXEC};
	uint64_t words[NAME_SIZE / 8] = {0};

	snprintf((char *)words, sizeof words, "%s", memfile_name());
	if (!memory_write(injection->tid, INJECT_SCRATCH, words, NAME_SIZE / 8))
		return -1;
	return inject_call(injection, SYS_memfd_create, create_it);
}

/* Opens the tracee's descriptor here. */
static int open_here(pid_t tid, long fd)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof path, "/proc/%d/fd/%ld", tid, fd);
	return (int)kernel_call(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CLOEXEC, 0, 0, 0);
}

struct memfile memfile_make(struct injection *injection)
{
	struct memfile file = {.there = create_there(injection), .here = -1};

	if (file.there >= 0)
		file.here = open_here(injection->tid, file.there);
	return file;
}

void memfile_close(struct memfile *file, struct injection *injection)
{
	if (file->here >= 0)
		kernel_call(SYS_close, file->here, 0, 0, 0, 0, 0);
	if (file->there >= 0)
		inject_call(injection, SYS_close, (const uint64_t[6]){(uint64_t)file->there});
	*file = (struct memfile){-1, -1};
}

uint8_t *memfile_map_here(const struct memfile *file, uint64_t size, int flags)
{
	void *memory;

	if (kernel_call(SYS_ftruncate, file->here, (long)size, 0, 0, 0, 0) < 0)
		return NULL;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | flags, file->here, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void memfile_unmap_here(uint8_t *memory, uint64_t size)
{
	kernel_call(SYS_munmap, (long)memory, (long)size, 0, 0, 0, 0);
}

/* A kernel that does not know MAP_FIXED_NOREPLACE may choose another address. */
bool memfile_map_there(const struct memfile *file, struct injection *injection, uint64_t address,
    uint64_t size, int rights, int flags, uint64_t offset)
{
	const uint64_t map[6] = {address, size, (uint64_t)rights,
	    (uint64_t)(MAP_SHARED | MAP_FIXED_NOREPLACE | flags), (uint64_t)file->there, offset};
	const uint64_t advice[6] = {address, size, MADV_DONTFORK};
	const long mapped = inject_call(injection, SYS_mmap, map);

	if (mapped < 0)
		return false;
	if ((uint64_t)mapped == address && inject_call(injection, SYS_madvise, advice) == 0)
		return true;
	memfile_unmap_there(injection, (uint64_t)mapped, size);
	return false;
}

void memfile_unmap_there(struct injection *injection, uint64_t address, uint64_t size)
{
	inject_call(injection, SYS_munmap, (const uint64_t[6]){address, size});
}
