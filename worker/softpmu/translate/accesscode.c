/*
 * At a quiet instruction, where rcx is 1 if something is marked, and else 0:
 *     mov [noted slot], rcx
 * Where something is marked, without touching the flags:
 *     mov rcx, [rcx slot]; lea rcx, [operand]; mov [address slot], rcx; mov [rax slot], rax
 *     mov rax, [address slot]; mov rcx, [touches slot]; mov [touched - 8 + 8 * rcx], rax
 *     mov rax, [this access]; mov [touchers - 8 + 8 * rcx], rax
 *     lea rcx, [rcx - 1]; mov [touches slot], rcx
 *     jrcxz full; jmp noted; full: int3
 *     noted: mov rax, [rax slot]
 *
 * The log is written from its end to its beginning, and the store to the touches slot makes an
 * entry count. A leg that ends before it has no entry; one that ends behind it and before the
 * instruction takes back as many as the noted slot says.
 */
#include "worker/softpmu/translate/accesscode.h"

#include "worker/softpmu/base/quietlist.h"
#include "worker/softpmu/translate/sequences.h"
#include "worker/softpmu/translate/watchcode.h"

/* Where an entry stands: the program's rcx, and then its rax, are in their slots. */
struct entry {
	struct emitter *e;
	int flags;
	uint64_t original;
};

#define PUT(n, ...)                                                                                \
	do {                                                                                       \
		emitter_place((n)->e, PLACE_AT, (n)->flags, (n)->original);                        \
		CODE((n)->e, __VA_ARGS__);                                                         \
	} while (0)

/* An instruction whose operand ends with the address of a slot. */
#define PUT_SLOT(n, slot, ...)                                                                     \
	do {                                                                                       \
		PUT(n, __VA_ARGS__);                                                               \
		emitter_slot((n)->e, slot);                                                        \
	} while (0)

static void put_address(const struct entry *n, const struct access *access)
{
	PUT_SLOT(n, ARENA_SLOT_RCX, LOAD_RCX);
	if (access->segment)
		PUT(n, 0xf3, 0x48, 0x0f, 0xae, 0xc1); /* rdfsbase rcx */
	emitter_place(n->e, PLACE_AT, n->flags, n->original);
	watchcode_put_address(n->e, access);
	PUT_SLOT(n, ARENA_SLOT_ADDRESS, STORE_RCX);
}

/* rax is saved from here on. */
static void put_log(const struct entry *n, uint64_t toucher)
{
	PUT_SLOT(n, ARENA_SLOT_ADDRESS, LOAD_RAX);
	PUT_SLOT(n, ARENA_SLOT_TOUCHES, LOAD_RCX);
	PUT_SLOT(n, ARENA_TOUCHED - 8, 0x48, 0x89, 0x04, 0xcd);
	PUT(n, LOAD_RAX);
	emitter_literal(n->e, toucher);
	PUT_SLOT(n, ARENA_TOUCHERS - 8, 0x48, 0x89, 0x04, 0xcd);
	PUT(n, 0x48, 0x8d, 0x49, 0xff); /* lea rcx, [rcx - 1] */
	PUT_SLOT(n, ARENA_SLOT_TOUCHES, STORE_RCX);
	n->e->noted = true;
	PUT(n, 0xe3, 2);
	PUT(n, 0xeb, 1);
	emitter_place_at(n->e, n->e->offset, PLACE_CHANGES, n->flags, 1, n->original);
	CODE(n->e, 0xcc);
}

/* Behind the look. */
static void put_entry(
    struct emitter *e, const struct classified *in, const struct access *access, int flags)
{
	const uint64_t toucher = (in->address + in->z.length) | (uint64_t)access->size
								    << ACCESS_LOG_SIZE_BIT;
	const struct entry bare = {e, flags | PLACE_RCX_SAVED, in->address};
	const struct entry both = {e, bare.flags | PLACE_RAX_SAVED, in->address};
	uint32_t on;

	CODE(e, STORE_RCX);
	emitter_slot(e, ARENA_SLOT_NOTED);
	PUT(&bare, 0xe3, 0); /* jrcxz on */
	on = e->offset - 1;
	put_address(&bare, access);
	PUT_SLOT(&bare, ARENA_SLOT_RAX, STORE_RAX);
	put_log(&both, toucher);
	PUT_SLOT(&both, ARENA_SLOT_RAX, LOAD_RAX);
	emitter_set_jump(e, on);
}

static void put_question(struct emitter *e, int flags, uint64_t original)
{
	CODE(e, 0xe3, 1); /* jrcxz on */
	emitter_place(e, PLACE_CHANGES, flags | PLACE_RCX_SAVED, original);
	CODE(e, 0xcc);
}

static bool is_looked_at(const struct access *access)
{
	return watches_look_at(WATCH_ALL, access);
}

/* Whether its only access is where its operand says, all of it. */
static bool is_plain(const struct classified *in, const struct accesses *accesses)
{
	const struct access *access = &accesses->list[0];

	return in->control == CONTROL_ON && accesses->count == 1 && access->size > 0 &&
	       access->mask == 0 && !access->vector_mask;
}

void accesscode_put(struct emitter *e, const struct classified *in, bool pending, uint32_t body)
{
	const struct watches *watches = &e->space->watches;
	const int flags = pending ? PLACE_PENDING : 0;
	struct accesses accesses;
	bool asks = false, logs;

	e->noted = false;
	if (watches->quiet_number == 0)
		return;
	accesses_of(in->bytes, in->z.length, in->address, &accesses);
	for (unsigned i = 0; i < accesses.count; i++)
		asks |= is_looked_at(&accesses.list[i]) && watches_table(&accesses.list[i]) == 0;
	if (asks) {
		sequence_question(e, PLACE_CHANGES, flags, in->address, body);
		return;
	}
	logs =
	    is_plain(in, &accesses) && quiet_list_has(watches->quiet, in->address + in->z.length);
	for (unsigned i = 0; i < accesses.count; i++) {
		const struct access *access = &accesses.list[i];

		if (!is_looked_at(access))
			continue;
		watchcode_begin_look(e, access, flags, in->address);
		if (logs)
			put_entry(e, in, access, flags);
		else
			put_question(e, flags, in->address);
		watchcode_end_look(e, flags, in->address);
	}
}
