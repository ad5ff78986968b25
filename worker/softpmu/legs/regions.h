/*
 * Why there are regions, beside the code cache and single steps: for programs in which the cache
 * cannot be. They open /proc/PID/mem or map something over it, leave no room for it, or set the
 * flag for alignment. There a region takes one stop for a few branches, and steps take one for each
 * instruction: measured on a loop with malloc, 3,851 stops instead of 84,703, and 0.15 s instead of
 * 9.1 s. Where the cache runs, regions save only a few steps between its legs, 0 to 15 %. And they
 * count in another way than the cache does: RR_WARDEN_SOFTPMU=legs is the second opinion, with
 * which the corpus and the fidelity suite compare it.
 *
 * The cache of regions, bounded, and the check that the code in a tracee is still what a region was
 * built from. Regions are found by address only: processes that run the same code share them, and
 * the bytes are compared before every use.
 */
#ifndef RR_WARDEN_SOFTPMU_REGIONS_H
#define RR_WARDEN_SOFTPMU_REGIONS_H

#include <stdbool.h>
#include <sys/types.h>

#include "worker/softpmu/base/region.h"

struct regions;

/* An empty cache, or NULL when memory is short. */
struct regions *regions_new(void);

/* The region for key in tracee tid, cached or built now; NULL when memory is short.
 * Not yet compared with the tracee's code. Valid until the next call, or while pinned. */
struct region *regions_get(struct regions *regions, pid_t tid, const struct region_key *key);

/* True when the tracee's code is what both regions (second may be NULL) were built from. */
bool regions_match(pid_t tid, const struct region *first, const struct region *second);

/* Builds the region anew. */
struct region *regions_rebuild(struct regions *regions, pid_t tid, const struct region_key *key);

/* A pinned region stays valid, in the cache or not, until it is unpinned. NULL is allowed. */
void regions_pin(struct region *region);
void regions_unpin(struct regions *regions, struct region *region);

#endif
