/*
 * What translated code is made of; see sequences.c. Everything is written at the emitter's offset
 * and moves it on.
 */
#ifndef RR_WARDEN_SOFTPMU_SEQUENCES_H
#define RR_WARDEN_SOFTPMU_SEQUENCES_H

#include "worker/x86/classify.h"
#include "worker/softpmu/translate/emitter.h"

/* The next instruction stands for this one. pending: a branch is counted but has not retired. */
void sequence_place(struct emitter *e, bool pending, uint64_t original);

/* Code that will be jumped to is translated in the same trip, if there is room in the queue. */
void sequence_wish(struct emitter *e, uint64_t original, bool lookup);

/* A copy of an instruction; the caller has given it a place. */
void sequence_copy(struct emitter *e, const struct classified *in);

/* Counts a branch in front of the instruction at `original`; by_flags: that sets all flags. */
void sequence_count(struct emitter *e, uint64_t original, bool by_flags);

/* A jump to original code, wherever that is now or will be. */
void sequence_jump(struct emitter *e, uint64_t target);

/* Stops unless the code at `original` is the same as when it was translated. */
void sequence_check(struct emitter *e, uint64_t original, const uint8_t *bytes, size_t length);

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

/* Asks us, by an int3, before the instruction at `original`. body: the offset at which its block's
 * begins, whose head becomes another int3 when it is out of force. */
void sequence_question(
    struct emitter *e, enum place_kind kind, int flags, uint64_t original, uint32_t body);

/* The entry for jumps through the table. rcx is the target, rcx and rax are saved. */
void sequence_lookup(struct emitter *e, uint32_t number);

#endif
