/*
 * A memory file that a tracee and rr have in common. The tracee makes it and rr opens it, because a
 * debugger may look into its tracee, while a tracee that has given up its user or its capabilities,
 * or lives in namespaces of its own, may not look into rr.
 */
#ifndef RR_WARDEN_SOFTPMU_MEMFILE_H
#define RR_WARDEN_SOFTPMU_MEMFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/softpmu/base/inject.h"

/* Descriptors; -1: none. */
struct memfile {
	long there; /* the tracee's */
	int here;
};

/* Whether rr may make one so large: past the limit, the kernel ends it with a signal. */
bool memfile_may_be(uint64_t size);

/*
 * The name of the memory files. It ends in random digits, so that we never take a file of the
 * program for ours.
 */
const char *memfile_name(void);

/* Whether a line of /proc/PID/maps is about one. */
bool memfile_is_in(const char *line, size_t length);

/* Makes one and opens it. Call memfile_close in either case; the mappings stay. */
struct memfile memfile_make(struct injection *injection);
void memfile_close(struct memfile *file, struct injection *injection);

/* Makes it so large and maps all of it into rr, with MAP_SHARED and these flags. NULL: it cannot.
 */
uint8_t *memfile_map_here(const struct memfile *file, uint64_t size, int flags);
void memfile_unmap_here(uint8_t *memory, uint64_t size);

/* Maps `size` bytes of it from `offset` on into the tracee, at exactly this address if that is
 * free. A forked child does not get them. */
bool memfile_map_there(const struct memfile *file, struct injection *injection, uint64_t address,
    uint64_t size, int rights, int flags, uint64_t offset);
void memfile_unmap_there(struct injection *injection, uint64_t address, uint64_t size);

#endif
