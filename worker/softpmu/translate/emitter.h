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
	bool counted;	 /* as in struct place */
	bool lined;	 /* the same, of the instruction at lined_at */
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

/* The short jump whose displacement is at an offset comes here. */
void emitter_set_jump(struct emitter *e, uint32_t at);

/* What the next instruction stands for, and what the one at an offset does; see places.h. */
void emitter_place(struct emitter *e, enum place_kind kind, int flags, uint64_t original);
void emitter_place_at(struct emitter *e, uint32_t offset, enum place_kind kind, int flags,
    int distance, uint64_t original);

#endif
