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
void watchcode_begin_look(struct emitter *e, const struct access *access);
void watchcode_end_look(struct emitter *e);

/* Between them: an int3 where something is marked. */
void watchcode_put_question(struct emitter *e, enum place_kind kind, int flags);

/* Written before the instruction. */
void watchcode_put(struct emitter *e, const struct classified *in);

/* rcx, which is still the program's and in its slot, becomes the address of what is accessed. */
void watchcode_put_address(struct emitter *e, const struct access *access);

#endif
