/*
 * A tracee's memory, as the native runner sees it: copies of pages, read when first touched and
 * written back, only what was written, at the end of an episode. While an episode lasts the tracee
 * stands still.
 */
#ifndef RR_WARDEN_SOFTPMU_GUEST_H
#define RR_WARDEN_SOFTPMU_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { GUEST_PAGE = 4096, GUEST_ACCESS_MAX = 64 };

struct guest;

/* NULL when memory is short. */
struct guest *guest_new(void);

/* Begins an episode with tracee tid. keep_maps: its mappings cannot have changed since the last. */
void guest_begin(struct guest *guest, pid_t tid, bool keep_maps);

/*
 * Where size bytes at address can be read, and with `write` also written, until the next access;
 * NULL when the tracee itself has to make this access, because it would fault or meet something
 * special. An access across two pages goes through a buffer: call guest_settle after a write.
 */
void *guest_access(struct guest *guest, uint64_t address, size_t size, bool write);
void guest_settle(struct guest *guest);

/* The executable bytes at address: how many can be had in its page, 0 for none. */
size_t guest_code(struct guest *guest, uint64_t address, const uint8_t **bytes);

/* Writes back what was written. False when the tracee would not take it. */
bool guest_write_back(struct guest *guest);

/* True when what was written is what the tracee has by now: for tests, instead of writing back. */
bool guest_agrees(struct guest *guest, uint64_t *where);

/* Bytes from start to end are never touched here (a watchpoint). Kept until guest_begin. */
void guest_forbid(struct guest *guest, uint64_t start, uint64_t end);

#endif
