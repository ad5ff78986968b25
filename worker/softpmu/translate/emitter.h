/*
 * Where translated code goes as it is written, and how its smallest pieces are. Everything is
 * written at the emitter's offset and moves it on.
 */
#ifndef RR_WARDEN_SOFTPMU_EMITTER_H
#define RR_WARDEN_SOFTPMU_EMITTER_H

#include "worker/softpmu/cache/space.h"

enum { QUEUE_MAX = 512 };

struct wish {
	uint64_t original;
	bool lookup;
};

struct emitter {
	struct space *space;
	pid_t tid;
	uint8_t part;
	uint8_t *memory; /* of the part */
	uint64_t base;	 /* its address in the program */
	uint32_t offset; /* where the next byte goes */
	uint32_t body;	 /* where the code of the block begins */
	/* Of the instruction that is translated, for the places of what is written. */
	uint64_t original;
	int pending;  /* PLACE_PENDING: its block's branch is counted and has not retired; or 0 */
	bool counted; /* as in struct place */
	bool lined;   /* the same, of the instruction at lined_at */
	uint64_t lined_at;
	bool noted; /* the same, of the instruction whose access is in the log; see accesscode.h */
	int blocks_left;
	unsigned first, count; /* of the queue */
	struct wish queue[QUEUE_MAX];
};

/* These bytes. */
#define CODE(e, ...)                                                                               \
	do {                                                                                       \
		const uint8_t code_bytes[] = {__VA_ARGS__};                                        \
		emitter_put(e, code_bytes, sizeof code_bytes);                                     \
	} while (0)

/* Moves from and to memory: these bytes, then 4 of its address. */
#define LOAD_RAX  0x48, 0x8b, 0x04, 0x25
#define LOAD_RCX  0x48, 0x8b, 0x0c, 0x25
#define STORE_RAX 0x48, 0x89, 0x04, 0x25
#define STORE_RCX 0x48, 0x89, 0x0c, 0x25

void emitter_put(struct emitter *e, const void *bytes, size_t length);
void emitter_32(struct emitter *e, uint32_t value);
void emitter_64(struct emitter *e, uint64_t value);

/* The 32-bit address of a slot. */
void emitter_slot(struct emitter *e, uint32_t offset);

/* The 32-bit address of a constant. */
void emitter_literal(struct emitter *e, uint64_t value);

/* The displacement to an address in reach. */
void emitter_relative(struct emitter *e, uint64_t target);

/* rax: the 1, 2, 4 or 8 bytes at rax; or 8, for another size. */
void emitter_load(struct emitter *e, size_t size);

/* The short jump whose displacement is at an offset comes here. */
void emitter_set_jump(struct emitter *e, uint32_t at);

/* The displacement that ends at an offset goes to another one. */
void emitter_set_displacement(struct emitter *e, uint32_t end, uint32_t target);

/* The next instruction, and the one at an offset, stand for e->original; see places.h. The flags
 * are those beside e->pending. */
void emitter_place(struct emitter *e, enum place_kind kind, int flags);
void emitter_place_at(
    struct emitter *e, uint32_t offset, enum place_kind kind, int flags, int distance);

/* The next instruction is at another one (PLACE_AT), and nothing is pending. */
void emitter_place_of(struct emitter *e, uint64_t original);

/* An instruction with its place. */
#define EMIT(e, kind, flags, ...)                                                                  \
	do {                                                                                       \
		emitter_place(e, kind, flags);                                                     \
		CODE(e, __VA_ARGS__);                                                              \
	} while (0)

/* The same, with an operand that ends with the address of a slot. */
#define EMIT_SLOT(e, kind, flags, slot, ...)                                                       \
	do {                                                                                       \
		EMIT(e, kind, flags, __VA_ARGS__);                                                 \
		emitter_slot(e, slot);                                                             \
	} while (0)

/* A jump to what comes later: returns where its displacement ends. It is long, and so may be the
 * head of a body, in which no place may be. */
uint32_t emitter_jump(struct emitter *e);

#endif
