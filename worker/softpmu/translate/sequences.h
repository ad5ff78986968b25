/*
 * What translated code is made of; see sequences.c. Everything is written at the emitter's offset
 * and moves it on.
 */
#ifndef RR_WARDEN_SOFTPMU_SEQUENCES_H
#define RR_WARDEN_SOFTPMU_SEQUENCES_H

#include "worker/x86/classify.h"
#include "worker/softpmu/translate/emitter.h"

/* Code that will be jumped to is translated in the same trip, if there is room in the queue. */
void sequence_wish(struct emitter *e, uint64_t original, bool lookup);

/* A copy of an instruction; the caller has given it a place. */
void sequence_copy(struct emitter *e, const struct classified *in);

/* Counts a branch in front of the instruction at e->original, and is pending then; by_flags: that
 * instruction sets all flags. */
void sequence_count(struct emitter *e, bool by_flags);

/* A jump to original code, wherever that is now or will be. */
void sequence_jump(struct emitter *e, uint64_t target);

/* Stops unless the code at e->original is the same as when it was translated. */
void sequence_check(struct emitter *e, const uint8_t *bytes, size_t length);

/* The last instructions of blocks. */
void sequence_branch(struct emitter *e, const struct classified *in);
void sequence_loop(struct emitter *e, const struct classified *in);
void sequence_call(struct emitter *e, const struct classified *in);
void sequence_indirect(struct emitter *e, const struct classified *in);
void sequence_indirect_call(struct emitter *e, const struct classified *in);
void sequence_return(struct emitter *e, const struct classified *in);
void sequence_in_place(struct emitter *e, const struct classified *in);
void sequence_pop_flags(struct emitter *e, const struct classified *in);
void sequence_rr_call(struct emitter *e, const struct classified *in);

/* A branch whose target follows here: leaves if it is not taken. */
void sequence_branch_past(struct emitter *e, const struct classified *in);

/* Five bytes that do nothing, with the program at `original`. */
void sequence_nothing(struct emitter *e, uint64_t original);

/* Asks us, by an int3, before the instruction at e->original. The head of its block's body, which
 * becomes another int3 when that is out of force, is never this one. */
void sequence_question(struct emitter *e, enum place_kind kind);

/* rax and rcx are the program's again. */
void sequence_restore(struct emitter *e);

/* An entry of the log of accesses, which is written from its end to its beginning: the address in
 * its slot, and this word beside it. rcx, which is free as rax is, is what is left of it then. */
void sequence_log(struct emitter *e, uint64_t toucher);

/* Asks us, by an int3, if rcx is 0: then a log is full. */
void sequence_ask_if_full(struct emitter *e, enum place_kind kind);

/* The entry for jumps through the table. rcx is the target, rcx and rax are saved. */
void sequence_lookup(struct emitter *e, uint32_t number);

#endif
