/*
 * The code that looks, before an instruction runs in the cache, whether it may touch what rr
 * watches; see watches.h.
 */
#ifndef RR_WARDEN_SOFTPMU_WATCHCODE_H
#define RR_WARDEN_SOFTPMU_WATCHCODE_H

#include "worker/x86/classify.h"
#include "worker/softpmu/translate/emitter.h"

enum { WATCHCODE_PART = 3 }; /* from the int3 that asks to the copy that runs a part */

/* A look at an access that has a table, up to the jrcxz that it does not write: rcx is 0 if nothing
 * is marked there, and the program's own in its slot; and what comes behind that jrcxz at last. */
void watchcode_begin_look(
    struct emitter *e, const struct access *access, int pending, uint64_t original);
void watchcode_end_look(struct emitter *e, int pending, uint64_t original);

/* Written before the instruction. pending: a branch is counted but has not retired. body: where
 * its block begins. */
void watchcode_put(struct emitter *e, const struct classified *in, bool pending, uint32_t body);

/* lea rcx, [operand], as long as rcx is the program's; with a segment, rcx is its base. */
void watchcode_put_address(struct emitter *e, const struct access *access);

#endif
