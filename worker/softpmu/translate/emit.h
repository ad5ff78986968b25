/*
 * Translates code of the program into its code cache; see emit.c and sequences.c for how.
 */
#ifndef RR_WARDEN_SOFTPMU_EMIT_H
#define RR_WARDEN_SOFTPMU_EMIT_H

#include "worker/softpmu/cache/space.h"

enum {
	/* From the int3 at the end of a counter back to its beginning; see places.h. */
	EMIT_EXIT_BACK_FLAGS = 5,
	EMIT_EXIT_BACK_RCX = 35,
};

/*
 * Translates the code at `original` and some of its targets, with an entry for jumps through the
 * table if `lookup`. Returns the number of its entry, which may be native; 0 if the cache cannot
 * reach that code, or if the space has broken. May flush the space before it translates.
 */
uint32_t emit_code(struct space *space, pid_t tid, uint64_t original, bool lookup);

#endif
