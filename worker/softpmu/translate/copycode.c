/*
 *         jmp judge
 *     ask: flags and rax as they were; int3; jmp over
 *     judge: mov [rax slot], rax; lahf; seto al; mov [flags slot], rax
 *         of blocks: mov rax, rdi; sub rax, rsi; jz back
 *             cmp rax, rdx; jb ask; neg rax; cmp rax, rdx; jb ask
 *         of strings: lea rax, [rdi + near]; sub rax, rsi; cmp rax, 2 * near; jb ask
 *     back: flags and rax as they were
 *     over:
 */
#include "worker/softpmu/translate/copycode.h"

#include <string.h>

#include "worker/softpmu/calls/copies.h"

struct copy {
	struct emitter *e;
	uint64_t original;
	int pending;
	uint32_t ask; /* an offset */
};

/* The next instruction does not fault; flags and rax are in their slots. */
#define PUT(c, ...)                                                                                \
	do {                                                                                       \
		emitter_place(                                                                     \
		    (c)->e, PLACE_JUDGES, (c)->pending | PLACE_RAX_SAVED, (c)->original);          \
		CODE((c)->e, __VA_ARGS__);                                                         \
	} while (0)

/* The flags are still the program's. */
#define PUT_SLOT(c, saved, slot, ...)                                                              \
	do {                                                                                       \
		emitter_place((c)->e, PLACE_AT, (c)->pending | (saved), (c)->original);            \
		CODE((c)->e, __VA_ARGS__);                                                         \
		emitter_slot((c)->e, slot);                                                        \
	} while (0)

static void put_jump(const struct copy *c)
{
	emitter_place(c->e, PLACE_AT, c->pending, c->original);
	CODE(c->e, 0xe9);
	emitter_32(c->e, 0);
}

static void set_jump(const struct copy *c, uint32_t end)
{
	const uint32_t displacement = c->e->offset - end;

	memcpy(c->e->memory + end - sizeof displacement, &displacement, sizeof displacement);
}

static void put_back(const struct copy *c)
{
	PUT(c, 0x48, 0x8b, 0x04, 0x25); /* mov rax, [slot] */
	emitter_slot(c->e, ARENA_SLOT_FLAGS);
	PUT(c, 0x04, 0x7f); /* add al, 127: the overflow flag */
	PUT(c, 0x9e);	    /* sahf */
	PUT_SLOT(c, PLACE_RAX_SAVED, ARENA_SLOT_RAX, 0x48, 0x8b, 0x04, 0x25);
}

static void put_beginning(const struct copy *c)
{
	PUT_SLOT(c, 0, ARENA_SLOT_RAX, 0x48, 0x89, 0x04, 0x25); /* mov [slot], rax */
	emitter_place(c->e, PLACE_AT, c->pending | PLACE_RAX_SAVED, c->original);
	CODE(c->e, 0x9f); /* lahf */
	emitter_place(c->e, PLACE_AT, c->pending | PLACE_RAX_SAVED, c->original);
	CODE(c->e, 0x0f, 0x90, 0xc0); /* seto al */
	PUT_SLOT(c, PLACE_RAX_SAVED, ARENA_SLOT_FLAGS, 0x48, 0x89, 0x04, 0x25);
}

static void put_jump_to_ask(const struct copy *c)
{
	PUT(c, 0x0f, 0x82); /* jb */
	emitter_32(c->e, c->ask - (c->e->offset + 4));
}

static void put_comparison(const struct copy *c)
{
	PUT(c, 0x48, 0x39, 0xd0); /* cmp rax, rdx */
	put_jump_to_ask(c);
}

static void put_blocks(const struct copy *c)
{
	uint32_t jump;

	PUT(c, 0x48, 0x89, 0xf8); /* mov rax, rdi */
	PUT(c, 0x48, 0x29, 0xf0); /* sub rax, rsi */
	PUT(c, 0x74, 0);	  /* jz back */
	jump = c->e->offset - 1;
	put_comparison(c);
	PUT(c, 0x48, 0xf7, 0xd8); /* neg rax */
	put_comparison(c);
	emitter_set_jump(c->e, jump);
}

static void put_strings(const struct copy *c)
{
	PUT(c, 0x48, 0x8d, 0x87); /* lea rax, [rdi + near] */
	emitter_32(c->e, COPIES_NEAR);
	PUT(c, 0x48, 0x29, 0xf0); /* sub rax, rsi */
	PUT(c, 0x48, 0x3d);	  /* cmp rax, 2 * near */
	emitter_32(c->e, 2 * COPIES_NEAR);
	put_jump_to_ask(c);
}

void copycode_put(struct emitter *e, const struct classified *in, bool pending)
{
	const struct watches *watches = &e->space->watches;
	struct copy c = {.e = e, .original = in->address, .pending = pending ? PLACE_PENDING : 0};
	uint32_t judged, over;
	uint8_t copier;

	if ((in->control != CONTROL_CALL_TO && in->control != CONTROL_JUMP_TO) ||
	    !classify_is_rip_relative(in))
		return;
	copier = watches->ways->copies(
	    watches->check, e->tid, in->address + in->z.length + (uint64_t)in->z.raw.disp.value);
	if (copier == CHECK_NO_COPIER)
		return;
	put_jump(&c); /* also the head of a body, in which no place may be */
	judged = c.ask = e->offset;
	put_back(&c);
	emitter_place(e, PLACE_CHECKS, c.pending, c.original);
	CODE(e, 0xcc);
	put_jump(&c);
	over = e->offset;
	set_jump(&c, judged);
	put_beginning(&c);
	if (copier == CHECK_MEMCPY || copier == CHECK_MEMPCPY)
		put_blocks(&c);
	else
		put_strings(&c);
	put_back(&c);
	set_jump(&c, over);
}
