/*
 * Where something is marked, without touching the flags:
 *     mov [rax slot], rax; mov rax, [watched slot]; mov rax, [rax]
 *     mov rcx, [left slot]; mov rcx, [changed + 8 * rcx]; lea rcx, [rcx + rax + 1]; jrcxz same
 *     not rax; mov rcx, [left slot]; mov [changed - 8 + 8 * rcx], rax
 *     mov rax, [pending slot]; mov [changers - 8 + 8 * rcx], rax
 *     lea rcx, [rcx - 1]; mov [left slot], rcx
 *     jrcxz full; jmp same; full: int3
 *     same: mov rax, [this store]; mov [pending slot], rax; mov rax, [rax slot]
 *
 * The list is written from its end to its beginning, and what is in it at the number in the left
 * slot is the last change. So the one store to that slot makes a change count: a leg that ends
 * before it begins again with the look, and finds the change then.
 */
#include "worker/softpmu/translate/changecode.h"

#include "worker/softpmu/cache/watches.h"
#include "worker/softpmu/translate/sequences.h"
#include "worker/softpmu/translate/watchcode.h"
#include "worker/softpmu/traps/tally.h"

/* rax: the watched bytes. If they are gone, the fault is ours. */
static void put_load(struct emitter *e, size_t size)
{
	EMIT_SLOT(e, PLACE_AT, PLACE_BOTH_SAVED, ARENA_SLOT_WATCHED, LOAD_RAX);
	emitter_place(e, PLACE_LOOKS, PLACE_BOTH_SAVED);
	emitter_load(e, size);
}

/* Returns where the displacement of its jump to `same` is. */
static uint32_t put_comparison(struct emitter *e)
{
	const int both = PLACE_BOTH_SAVED;

	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_LEFT, LOAD_RCX);
	EMIT_SLOT(e, PLACE_AT, both, ARENA_CHANGED, 0x48, 0x8b, 0x0c, 0xcd);
	EMIT(e, PLACE_AT, both, 0x48, 0x8d, 0x4c, 0x01, 0x01);
	EMIT(e, PLACE_AT, both, 0xe3, 0);
	return e->offset - 1;
}

static void put_change(struct emitter *e)
{
	const int both = PLACE_BOTH_SAVED;

	EMIT(e, PLACE_AT, both, 0x48, 0xf7, 0xd0); /* not rax */
	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_LEFT, LOAD_RCX);
	EMIT_SLOT(e, PLACE_AT, both, ARENA_CHANGED - 8, 0x48, 0x89, 0x04, 0xcd);
	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_PENDING, LOAD_RAX);
	EMIT_SLOT(e, PLACE_AT, both, ARENA_CHANGERS - 8, 0x48, 0x89, 0x04, 0xcd);
	EMIT(e, PLACE_AT, both, 0x48, 0x8d, 0x49, 0xff); /* lea rcx, [rcx - 1] */
	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_LEFT, STORE_RCX);
	sequence_ask_if_full(e, PLACE_CHANGES);
}

/* Behind the look. store: the address behind the instruction. */
static void put_counting(struct emitter *e, size_t size, uint64_t store)
{
	uint32_t on, same;

	CODE(e, 0xe3, 0); /* jrcxz on */
	on = e->offset - 1;
	EMIT_SLOT(e, PLACE_AT, PLACE_RCX_SAVED, ARENA_SLOT_RAX, STORE_RAX);
	put_load(e, size);
	same = put_comparison(e);
	put_change(e);
	emitter_set_jump(e, same);
	EMIT(e, PLACE_AT, PLACE_BOTH_SAVED, LOAD_RAX);
	emitter_literal(e, store);
	EMIT_SLOT(e, PLACE_AT, PLACE_BOTH_SAVED, ARENA_SLOT_PENDING, STORE_RAX);
	EMIT_SLOT(e, PLACE_AT, PLACE_BOTH_SAVED, ARENA_SLOT_RAX, LOAD_RAX);
	emitter_set_jump(e, on);
}

static void put_look(struct emitter *e, const struct classified *in, const struct access *access)
{
	const struct tally *tally = e->space->watches.tally;
	const uint64_t store = in->address + in->z.length;

	watchcode_begin_look(e, access);
	if (tally_counts_inline(tally, store))
		put_counting(e, tally->size, store);
	else
		watchcode_put_question(e, PLACE_CHANGES, 0);
	watchcode_end_look(e);
}

void changecode_put(struct emitter *e, const struct classified *in)
{
	struct accesses accesses;
	bool asks = false;

	if (e->space->watches.tally_number == 0)
		return;
	accesses_of(in->bytes, in->z.length, in->address, &accesses);
	for (unsigned i = 0; i < accesses.count; i++)
		asks |= accesses.list[i].writes && watches_table(&accesses.list[i]) == 0;
	if (asks) {
		sequence_question(e, PLACE_CHANGES);
		return;
	}
	for (unsigned i = 0; i < accesses.count; i++) {
		if (accesses.list[i].writes)
			put_look(e, in, &accesses.list[i]);
	}
}
