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

#include "worker/softpmu/calls/copies.h"

/* The next instruction does not fault; flags and rax are in their slots. */
#define JUDGE(e, ...) EMIT(e, PLACE_JUDGES, PLACE_RAX_SAVED, __VA_ARGS__)

static void put_back(struct emitter *e)
{
	JUDGE(e, LOAD_RAX);
	emitter_slot(e, ARENA_SLOT_FLAGS);
	JUDGE(e, 0x04, 0x7f); /* add al, 127: the overflow flag */
	JUDGE(e, 0x9e);	      /* sahf */
	EMIT_SLOT(e, PLACE_AT, PLACE_RAX_SAVED, ARENA_SLOT_RAX, LOAD_RAX);
}

static void put_beginning(struct emitter *e)
{
	EMIT_SLOT(e, PLACE_AT, 0, ARENA_SLOT_RAX, STORE_RAX);
	EMIT(e, PLACE_AT, PLACE_RAX_SAVED, 0x9f);	      /* lahf */
	EMIT(e, PLACE_AT, PLACE_RAX_SAVED, 0x0f, 0x90, 0xc0); /* seto al */
	EMIT_SLOT(e, PLACE_AT, PLACE_RAX_SAVED, ARENA_SLOT_FLAGS, STORE_RAX);
}

static void put_jump_to_ask(struct emitter *e, uint32_t ask)
{
	JUDGE(e, 0x0f, 0x82); /* jb */
	emitter_32(e, ask - (e->offset + 4));
}

static void put_comparison(struct emitter *e, uint32_t ask)
{
	JUDGE(e, 0x48, 0x39, 0xd0); /* cmp rax, rdx */
	put_jump_to_ask(e, ask);
}

static void put_blocks(struct emitter *e, uint32_t ask)
{
	uint32_t jump;

	JUDGE(e, 0x48, 0x89, 0xf8); /* mov rax, rdi */
	JUDGE(e, 0x48, 0x29, 0xf0); /* sub rax, rsi */
	JUDGE(e, 0x74, 0);	    /* jz back */
	jump = e->offset - 1;
	put_comparison(e, ask);
	JUDGE(e, 0x48, 0xf7, 0xd8); /* neg rax */
	put_comparison(e, ask);
	emitter_set_jump(e, jump);
}

static void put_strings(struct emitter *e, uint32_t ask)
{
	JUDGE(e, 0x48, 0x8d, 0x87); /* lea rax, [rdi + near] */
	emitter_32(e, COPIES_NEAR);
	JUDGE(e, 0x48, 0x29, 0xf0); /* sub rax, rsi */
	JUDGE(e, 0x48, 0x3d);	    /* cmp rax, 2 * near */
	emitter_32(e, 2 * COPIES_NEAR);
	put_jump_to_ask(e, ask);
}

void copycode_put(struct emitter *e, const struct classified *in)
{
	const struct watches *watches = &e->space->watches;
	uint32_t ask, over;
	uint8_t copier;

	if ((in->control != CONTROL_CALL_TO && in->control != CONTROL_JUMP_TO) ||
	    !classify_is_rip_relative(in))
		return;
	copier = watches->ways->copies(
	    watches->check, e->tid, in->address + in->z.length + (uint64_t)in->z.raw.disp.value);
	if (copier == CHECK_NO_COPIER)
		return;
	ask = emitter_jump(e);
	put_back(e);
	EMIT(e, PLACE_CHECKS, 0, 0xcc);
	over = emitter_jump(e);
	emitter_set_displacement(e, ask, e->offset);
	put_beginning(e);
	if (copier == CHECK_MEMCPY || copier == CHECK_MEMPCPY)
		put_blocks(e, ask);
	else
		put_strings(e, ask);
	put_back(e);
	emitter_set_displacement(e, over, e->offset);
}
