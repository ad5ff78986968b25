/*
 * Code that logs accesses to what rr watches where the program runs, without a stop. Before each
 * access a look as in watchcode.h; where something is marked, a quiet instruction writes its access
 * into the log in the arena, and at any other an int3 asks. See scan/accesslog.h.
 */
#ifndef RR_WARDEN_SOFTPMU_ACCESSCODE_H
#define RR_WARDEN_SOFTPMU_ACCESSCODE_H

#include "worker/softpmu/translate/emitter.h"
#include "worker/x86/classify.h"

/* Written before the instruction, if accesses are logged in this space. As watchcode_put. What is
 * written from here on up to the end of the instruction takes it out of the log where the
 * instruction does not run after all: set e->noted to false then. */
void accesscode_put(struct emitter *e, const struct classified *in);

#endif
