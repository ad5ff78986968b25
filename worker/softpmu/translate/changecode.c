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

/* Where a look stands: the program's rcx and rax are in their slots. */
struct counting {
	struct emitter *e;
	int flags;
	uint64_t original;
};

#define PUT(c, ...)                                                                                \
	do {                                                                                       \
		emitter_place((c)->e, PLACE_AT, (c)->flags, (c)->original);                        \
		CODE((c)->e, __VA_ARGS__);                                                         \
	} while (0)

/* An instruction whose operand ends with the address of a slot. */
#define PUT_SLOT(c, slot, ...)                                                                     \
	do {                                                                                       \
		PUT(c, __VA_ARGS__);                                                               \
		emitter_slot((c)->e, slot);                                                        \
	} while (0)

/* rax: the watched bytes. If they are gone, the fault is ours. */
static void put_load(const struct counting *c, size_t size)
{
	PUT_SLOT(c, ARENA_SLOT_WATCHED, 0x48, 0x8b, 0x04, 0x25);
	emitter_place(c->e, PLACE_LOOKS, c->flags, c->original);
	switch (size) {
	case 1:
		CODE(c->e, 0x0f, 0xb6, 0x00); /* movzx eax, byte [rax] */
		break;
	case 2:
		CODE(c->e, 0x0f, 0xb7, 0x00); /* movzx eax, word [rax] */
		break;
	case 4:
		CODE(c->e, 0x8b, 0x00); /* mov eax, [rax] */
		break;
	default:
		CODE(c->e, 0x48, 0x8b, 0x00); /* mov rax, [rax] */
	}
}

/* Returns where the displacement of its jump to `same` is. */
static uint32_t put_comparison(const struct counting *c)
{
	PUT_SLOT(c, ARENA_SLOT_LEFT, 0x48, 0x8b, 0x0c, 0x25);
	PUT_SLOT(c, ARENA_CHANGED, 0x48, 0x8b, 0x0c, 0xcd);
	PUT(c, 0x48, 0x8d, 0x4c, 0x01, 0x01);
	PUT(c, 0xe3, 0);
	return c->e->offset - 1;
}

static void put_change(const struct counting *c)
{
	PUT(c, 0x48, 0xf7, 0xd0); /* not rax */
	PUT_SLOT(c, ARENA_SLOT_LEFT, 0x48, 0x8b, 0x0c, 0x25);
	PUT_SLOT(c, ARENA_CHANGED - 8, 0x48, 0x89, 0x04, 0xcd);
	PUT_SLOT(c, ARENA_SLOT_PENDING, 0x48, 0x8b, 0x04, 0x25);
	PUT_SLOT(c, ARENA_CHANGERS - 8, 0x48, 0x89, 0x04, 0xcd);
	PUT(c, 0x48, 0x8d, 0x49, 0xff); /* lea rcx, [rcx - 1] */
	PUT_SLOT(c, ARENA_SLOT_LEFT, 0x48, 0x89, 0x0c, 0x25);
	PUT(c, 0xe3, 2);
	PUT(c, 0xeb, 1);
	emitter_place_at(c->e, c->e->offset, PLACE_CHANGES, c->flags, 1, c->original);
	CODE(c->e, 0xcc);
}

/* Behind the look. store: the address behind the instruction. */
static void put_counting(
    struct emitter *e, size_t size, int flags, uint64_t original, uint64_t store)
{
	const struct counting c = {e, flags | PLACE_RCX_SAVED | PLACE_RAX_SAVED, original};
	uint32_t on, same;

	CODE(e, 0xe3, 0); /* jrcxz on */
	on = e->offset - 1;
	emitter_place(e, PLACE_AT, flags | PLACE_RCX_SAVED, original);
	CODE(e, 0x48, 0x89, 0x04, 0x25);
	emitter_slot(e, ARENA_SLOT_RAX);
	put_load(&c, size);
	same = put_comparison(&c);
	put_change(&c);
	emitter_set_jump(e, same);
	PUT(&c, 0x48, 0x8b, 0x04, 0x25);
	emitter_literal(e, store);
	PUT_SLOT(&c, ARENA_SLOT_PENDING, 0x48, 0x89, 0x04, 0x25);
	PUT_SLOT(&c, ARENA_SLOT_RAX, 0x48, 0x8b, 0x04, 0x25);
	emitter_set_jump(e, on);
}

static void put_question(struct emitter *e, int flags, uint64_t original)
{
	CODE(e, 0xe3, 1); /* jrcxz on */
	emitter_place(e, PLACE_CHANGES, flags | PLACE_RCX_SAVED, original);
	CODE(e, 0xcc);
}

static void put_look(
    struct emitter *e, const struct classified *in, const struct access *access, int flags)
{
	const struct tally *tally = e->space->watches.tally;
	const uint64_t store = in->address + in->z.length;

	watchcode_begin_look(e, access, flags, in->address);
	if (tally_counts_inline(tally, store))
		put_counting(e, tally->size, flags, in->address, store);
	else
		put_question(e, flags, in->address);
	watchcode_end_look(e, flags, in->address);
}

void changecode_put(struct emitter *e, const struct classified *in, bool pending, uint32_t body)
{
	const int flags = pending ? PLACE_PENDING : 0;
	struct accesses accesses;
	bool asks = false;

	if (e->space->watches.tally_number == 0)
		return;
	accesses_of(in->bytes, in->z.length, in->address, &accesses);
	for (unsigned i = 0; i < accesses.count; i++)
		asks |= accesses.list[i].writes && watches_table(&accesses.list[i]) == 0;
	if (asks) {
		sequence_question(e, PLACE_CHANGES, flags, in->address, body);
		return;
	}
	for (unsigned i = 0; i < accesses.count; i++) {
		if (accesses.list[i].writes)
			put_look(e, in, &accesses.list[i], flags);
	}
}
