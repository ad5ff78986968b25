/*
 * Maps the arena. Maps everything at the program's first run after an exec or a fork, before the
 * program can install a filter against it. Must never replace a mapping of the program: it uses
 * MAP_FIXED_NOREPLACE for every address.
 */
#include "worker/softpmu/cache/arena.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "worker/softpmu/base/inject.h"
#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/memory.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum {
	LOW_CODE = ARENA_CODE_SIZE, /* behind the data part */
	NAME_SIZE = 64,		    /* in INJECT_SCRATCH */
	PATH_SIZE = 64,
	STEPS_TO_A_GAP = 32,
	/* The arena may take this part of the address space that the program has left: it maps up
	 * to its limit sooner than without us. */
	PART_OF_ROOM = 8,
};

#define REACH	      0x7f000000ull /* of a 32-bit displacement, with room for a part */
#define LOW_END	      0x80000000ull
#define BELOW_PROGRAM 0x20000000ull
#define BELOW_SHARED  0x50000000ull /* libraries are mapped downwards from the loader */
#define SHARED	      0x7e0000000000ull
#define USER_END      0x800000000000ull
#define FILE_SIZE     (ARENA_DATA_SIZE + ARENA_PARTS * (uint64_t)ARENA_CODE_SIZE)

/* The first addresses at which data parts are tried. */
static const uint32_t data_places[] = {0x50000000, 0x58000000, 0x30000000, 0x20000000};

const char *arena_name(void)
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

uint64_t arena_id_in(pid_t tid, uint64_t data)
{
	uint64_t id = 0;
	struct iovec local = {&id, sizeof id};
	struct iovec remote = {(void *)(uintptr_t)(data + ARENA_ID), sizeof id};

	return memory_read(tid, &local, 1, &remote, 1) == sizeof id ? id : 0;
}

static bool reaches(uint64_t part, uint64_t address)
{
	return address < part + REACH && address + REACH > part + ARENA_CODE_SIZE;
}

int arena_part_near(const struct arena *arena, uint64_t address)
{
	for (int i = 0; i < ARENA_PARTS; i++) {
		if (arena->part[i].address && reaches(arena->part[i].address, address))
			return i;
	}
	return -1;
}

int arena_part_at(const struct arena *arena, uint64_t address)
{
	for (int i = 0; i < ARENA_PARTS; i++) {
		if (arena->part[i].address && address - arena->part[i].address < ARENA_CODE_SIZE)
			return i;
	}
	return -1;
}

bool arena_overlaps(const struct arena *arena, uint64_t start, uint64_t end)
{
	if (start < arena->data + ARENA_DATA_SIZE && end > arena->data)
		return true;
	for (int i = 0; i < ARENA_PARTS; i++) {
		uint64_t part = arena->part[i].address;

		if (part && start < part + ARENA_CODE_SIZE && end > part)
			return true;
	}
	return false;
}

static bool place_low(struct arena *arena, const struct mappings *mappings)
{
	for (size_t i = 0; i < sizeof data_places / sizeof data_places[0]; i++) {
		uint64_t data = data_places[i];

		if (!mappings_is_free(mappings, data, data + LOW_CODE + ARENA_CODE_SIZE))
			continue;
		arena->data = data;
		arena->part[0].address = data + LOW_CODE;
		return true;
	}
	return false;
}

/* A free place for a part that reaches `code`, or 0. */
static uint64_t place_near(const struct mappings *mappings, uint64_t code)
{
	uint64_t below = code >= SHARED ? BELOW_SHARED : BELOW_PROGRAM;
	uint64_t at = (code & ~0xffffffull) - below;

	for (int i = 0; i < STEPS_TO_A_GAP && reaches(at, code); i++) {
		if (at > LOW_END && mappings_is_free(mappings, at, at + ARENA_CODE_SIZE))
			return at;
		at -= ARENA_CODE_SIZE;
	}
	return 0;
}

/* Whether it is code that no part reaches yet. */
static bool needs_part(const struct arena *arena, const struct mapping *mapping)
{
	return mapping->code && mapping->end <= USER_END &&
	       arena_part_near(arena, mapping->start) < 0;
}

/* Makes parts for all code. Code that is out of reach runs without the cache. */
static void place_parts(struct arena *arena, const struct mappings *mappings)
{
	int next = 1;

	for (size_t i = mappings->count; i-- > 0 && next < ARENA_PARTS;) {
		const struct mapping *mapping = &mappings->list[i];
		uint64_t place;

		if (!needs_part(arena, mapping))
			continue;
		place = place_near(mappings, mapping->start);
		if (place)
			arena->part[next++].address = place;
	}
}

bool arena_fits(const struct arena *arena, const struct mappings *mappings)
{
	if (!mappings_is_free(mappings, arena->data, arena->data + ARENA_DATA_SIZE))
		return false;
	for (int i = 0; i < ARENA_PARTS; i++) {
		uint64_t part = arena->part[i].address;

		if (part && !mappings_is_free(mappings, part, part + ARENA_CODE_SIZE))
			return false;
	}
	for (size_t i = 0; i < mappings->count; i++) {
		const struct mapping *mapping = &mappings->list[i];

		if (needs_part(arena, mapping))
			return false;
	}
	return true;
}

/* Where `like` is, or anywhere. */
static bool place(struct arena *arena, const struct mappings *mappings, const struct arena *like)
{
	if (like) {
		arena->data = like->data;
		for (int i = 0; i < ARENA_PARTS; i++)
			arena->part[i].address = like->part[i].address;
		return true;
	}
	if (!place_low(arena, mappings))
		return false;
	place_parts(arena, mappings);
	return true;
}

_Static_assert(FILE_SIZE == 56 << 20, "it is named in a reason");

/* Whether rr may make the memory file so large: past the limit, the kernel ends it with a signal.
 */
static bool file_may_be(void)
{
	struct rlimit limit = {0};

	return kernel_call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0) < 0 ||
	       limit.rlim_cur >= FILE_SIZE;
}

/* Maps the memory file here. */
static bool map_here(struct arena *arena, int memfd)
{
	if (kernel_call(SYS_ftruncate, memfd, FILE_SIZE, 0, 0, 0, 0) < 0)
		return false;
	arena->memory = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	if (arena->memory == MAP_FAILED)
		arena->memory = NULL;
	for (int i = 0; i < ARENA_PARTS && arena->memory; i++)
		arena->part[i].memory =
		    arena->memory + ARENA_DATA_SIZE + (uint64_t)i * ARENA_CODE_SIZE;
	return arena->memory;
}

static void unmap_one(struct injection *injection, uint64_t address, uint64_t size)
{
	const uint64_t unmap[6] = {address, size};

	inject_call(injection, SYS_munmap, unmap);
}

/* A kernel that does not know MAP_FIXED_NOREPLACE may choose another address. */
static bool map_one(struct injection *injection, long fd, uint64_t address, uint64_t size,
    int rights, uint64_t offset)
{
	const uint64_t map[6] = {address, size, (uint64_t)rights, MAP_SHARED | MAP_FIXED_NOREPLACE,
	    (uint64_t)fd, offset};
	/* A forked child gets its own arena, because it would change its parent's counts. */
	const uint64_t advice[6] = {address, size, MADV_DONTFORK};

	long mapped = inject_call(injection, SYS_mmap, map);

	if (mapped < 0)
		return false;
	if (mapped == (long)address && inject_call(injection, SYS_madvise, advice) == 0)
		return true;
	unmap_one(injection, (uint64_t)mapped, size);
	return false;
}

static void close_there(struct injection *injection, long fd)
{
	const uint64_t close_it[6] = {(uint64_t)fd};

	inject_call(injection, SYS_close, close_it);
}

/* All of it, or nothing. */
static bool map_there(const struct arena *arena, struct injection *injection, long fd)
{
	bool mapped =
	    map_one(injection, fd, arena->data, ARENA_DATA_SIZE, PROT_READ | PROT_WRITE, 0);
	int parts = 0;

	if (!mapped)
		return false;
	for (; parts < ARENA_PARTS && mapped; parts++) {
		if (arena->part[parts].address)
			mapped = map_one(injection, fd, arena->part[parts].address, ARENA_CODE_SIZE,
			    PROT_READ | PROT_EXEC,
			    ARENA_DATA_SIZE + (uint64_t)parts * ARENA_CODE_SIZE);
	}
	if (mapped)
		return true;
	unmap_one(injection, arena->data, ARENA_DATA_SIZE);
	for (int i = 0; i < parts - 1; i++) {
		if (arena->part[i].address)
			unmap_one(injection, arena->part[i].address, ARENA_CODE_SIZE);
	}
	return false;
}

static uint64_t size_there(const struct arena *arena)
{
	uint64_t size = ARENA_DATA_SIZE;

	for (int i = 0; i < ARENA_PARTS; i++)
		size += arena->part[i].address ? ARENA_CODE_SIZE : 0;
	return size;
}

/* Whether the program's limit on its address space leaves enough for both. */
static bool leaves_room(
    const struct arena *arena, struct injection *injection, const struct mappings *mappings)
{
	const uint64_t ask[6] = {0, RLIMIT_AS, 0, INJECT_SCRATCH};
	struct rlimit limit = {0};
	struct iovec local = {&limit, sizeof limit};
	struct iovec remote = {(void *)INJECT_SCRATCH, sizeof limit};
	uint64_t used = 0;

	if (inject_call(injection, SYS_prlimit64, ask) != 0 ||
	    memory_read(injection->tid, &local, 1, &remote, 1) != sizeof limit ||
	    limit.rlim_cur == RLIM_INFINITY)
		return true;
	for (size_t i = 0; i < mappings->count; i++)
		used += mappings->list[i].end - mappings->list[i].start;
	return limit.rlim_cur > used && limit.rlim_cur - used >= PART_OF_ROOM * size_there(arena);
}

/* Makes the memory file in the tracee: its descriptor there. */
static long create_there(struct injection *injection)
{
	const uint64_t create_it[6] = {INJECT_SCRATCH, MFD_CLOEXEC};
	uint64_t name[NAME_SIZE / 8] = {0};

	snprintf((char *)name, sizeof name, "%s", arena_name());
	if (!memory_write(injection->tid, INJECT_SCRATCH, name, NAME_SIZE / 8))
		return -1;
	return inject_call(injection, SYS_memfd_create, create_it);
}

/* Opens the tracee's descriptor here. */
static int open_here(pid_t tid, long fd)
{
	char name[PATH_SIZE];

	snprintf(name, sizeof name, "/proc/%d/fd/%ld", tid, fd);
	return (int)kernel_call(SYS_openat, AT_FDCWD, (long)name, O_RDWR | O_CLOEXEC, 0, 0, 0);
}

/*
 * The tracee makes the file and rr opens it, because a debugger may look into its tracee, while a
 * tracee that has given up its user or its capabilities, or lives in namespaces of its own, may not
 * look into rr.
 */
static bool share(struct arena *arena, struct injection *injection, const struct mappings *mappings,
    const char **reason)
{
	bool mapped = false;
	long fd;
	int memfd;

	*reason = "its limit on address space (ulimit -v) leaves too little for the cache";
	if (!leaves_room(arena, injection, mappings))
		return false;
	fd = create_there(injection);
	memfd = fd >= 0 ? open_here(injection->tid, fd) : -1;
	*reason = fd < 0 ? "the program is not allowed to make a memory file"
			 : "rr is not allowed to open a memory file of the program";
	if (memfd >= 0) {
		*reason = "no memory";
		mapped = map_here(arena, memfd);
		kernel_call(SYS_close, memfd, 0, 0, 0, 0, 0);
	}
	if (fd < 0)
		return false;
	if (mapped) {
		*reason = "the program is not allowed to map it";
		mapped = map_there(arena, injection, fd);
	}
	close_there(injection, fd);
	return mapped;
}

bool arena_map(struct arena *arena, pid_t tid, const struct user_regs_struct *regs,
    const struct mappings *mappings, const struct arena *like, const char **reason)
{
	struct injection injection = {0};
	bool mapped = false;

	if (!place(arena, mappings, like)) {
		*reason = "its low memory is in use";
		return false;
	}
	if (!file_may_be()) {
		*reason =
		    "the limit on the size of files (ulimit -f) is below the 56 MB of the cache";
		return false;
	}
	*reason = "rr's pages are not mapped";
	if (inject_begin(&injection, tid, regs)) {
		mapped = share(arena, &injection, mappings, reason);
		inject_end(&injection);
	}
	if (mapped)
		*arena_slot(arena, ARENA_ID) = arena->id;
	else
		arena_unmap(arena);
	if (injection.lost)
		*reason = NULL;
	return mapped;
}

void arena_unmap(struct arena *arena)
{
	if (arena->memory)
		kernel_call(SYS_munmap, (long)arena->memory, FILE_SIZE, 0, 0, 0, 0);
	arena->memory = NULL;
}
