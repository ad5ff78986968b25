/*
 * For each access, without touching the flags. Whether it was noted in this turn:
 *     mov [rcx slot], rcx; lea rcx, [operand]; mov [address slot], rcx; mov [rax slot], rax
 *     movzx ecx, word [address slot]; mov rax, [tables slot]; lea rax, [rax + 8 * rcx + table]
 *     mov [word slot], rax; mov rcx, [rax]; mov rax, [address slot]; lea rcx, [rcx + rax + 1]
 *     mov rax, [turn slot]; lea rcx, [rcx + rax]; jrcxz noted
 * If not, it goes into the log, and its word into the table:
 *     mov rax, [address slot]; mov rcx, [touches slot]; mov [touched - 8 + 8 * rcx], rax
 *     mov rax, [this access]; mov [touchers - 8 + 8 * rcx], rax
 *     lea rcx, [rcx - 1]; mov [touches slot], rcx
 *     mov rcx, [turn slot]; mov rax, [address slot]; lea rax, [rax + rcx]; not rax
 *     mov rcx, [word slot]; mov [rcx], rax
 *     mov rcx, [touches slot]; jrcxz full; jmp noted; full: int3
 *     noted: mov rax, [rax slot]; mov rcx, [rcx slot]
 * Where each access is noted and ends a turn, the table is left alone, and instead
 *     mov rax, [one turn slot]; mov rcx, [turn slot]; lea rcx, [rcx + rax]; mov [turn slot], rcx
 *
 * The log is written from its end to its beginning. A leg that ends between the log and the table
 * begins again with the look, and notes the access twice: that harms nobody.
 */
#include "worker/softpmu/translate/racecode.h"

#include "worker/softpmu/translate/sequences.h"
#include "worker/softpmu/translate/watchcode.h"
#include "worker/x86/tallymark.h"

struct note {
	struct emitter *e;
	int pending;
	uint64_t original;
};

/* The program's rcx and rax are in their slots. */
#define PUT(n, ...)                                                                                \
	do {                                                                                       \
		emitter_place((n)->e, PLACE_AT, (n)->pending | PLACE_RCX_SAVED | PLACE_RAX_SAVED,  \
		    (n)->original);                                                                \
		CODE((n)->e, __VA_ARGS__);                                                         \
	} while (0)

/* An instruction whose operand ends with the address of a slot. */
#define PUT_SLOT(n, slot, ...)                                                                     \
	do {                                                                                       \
		PUT(n, __VA_ARGS__);                                                               \
		emitter_slot((n)->e, slot);                                                        \
	} while (0)

static void put_begin(const struct note *n, const struct access *access)
{
	emitter_place(n->e, PLACE_AT, n->pending, n->original);
	CODE(n->e, STORE_RCX);
	emitter_slot(n->e, ARENA_SLOT_RCX);
	emitter_place(n->e, PLACE_AT, n->pending | PLACE_RCX_SAVED, n->original);
	watchcode_put_address(n->e, access);
	emitter_place(n->e, PLACE_AT, n->pending | PLACE_RCX_SAVED, n->original);
	CODE(n->e, STORE_RCX);
	emitter_slot(n->e, ARENA_SLOT_ADDRESS);
	emitter_place(n->e, PLACE_AT, n->pending | PLACE_RCX_SAVED, n->original);
	CODE(n->e, STORE_RAX);
	emitter_slot(n->e, ARENA_SLOT_RAX);
}

/* Returns where the displacement of its jump to `noted` is. */
static uint32_t put_look(const struct note *n, uint32_t table)
{
	const int both = PLACE_RCX_SAVED | PLACE_RAX_SAVED;

	PUT_SLOT(n, ARENA_SLOT_ADDRESS, 0x0f, 0xb7, 0x0c, 0x25); /* movzx ecx, word */
	PUT_SLOT(n, ARENA_SLOT_TABLES, LOAD_RAX);
	PUT(n, 0x48, 0x8d, 0x84, 0xc8); /* lea rax, [rax + 8 * rcx + table] */
	emitter_32(n->e, table);
	PUT_SLOT(n, ARENA_SLOT_WORD, STORE_RAX);
	emitter_place(n->e, PLACE_LOOKS, n->pending | both, n->original);
	CODE(n->e, 0x48, 0x8b, 0x08); /* mov rcx, [rax] */
	PUT_SLOT(n, ARENA_SLOT_ADDRESS, LOAD_RAX);
	PUT(n, 0x48, 0x8d, 0x4c, 0x01, 0x01); /* lea rcx, [rcx + rax + 1] */
	PUT_SLOT(n, ARENA_SLOT_TURN, LOAD_RAX);
	PUT(n, 0x48, 0x8d, 0x0c, 0x01); /* lea rcx, [rcx + rax] */
	PUT(n, 0xe3, 0);
	return n->e->offset - 1;
}

static void put_log(const struct note *n, uint64_t toucher)
{
	PUT_SLOT(n, ARENA_SLOT_ADDRESS, LOAD_RAX);
	PUT_SLOT(n, ARENA_SLOT_TOUCHES, LOAD_RCX);
	PUT_SLOT(n, ARENA_TOUCHED - 8, 0x48, 0x89, 0x04, 0xcd);
	PUT(n, LOAD_RAX);
	emitter_literal(n->e, toucher);
	PUT_SLOT(n, ARENA_TOUCHERS - 8, 0x48, 0x89, 0x04, 0xcd);
	PUT(n, 0x48, 0x8d, 0x49, 0xff); /* lea rcx, [rcx - 1] */
	PUT_SLOT(n, ARENA_SLOT_TOUCHES, STORE_RCX);
}

static void put_word(const struct note *n)
{
	const int both = PLACE_RCX_SAVED | PLACE_RAX_SAVED;

	PUT_SLOT(n, ARENA_SLOT_TURN, LOAD_RCX);
	PUT_SLOT(n, ARENA_SLOT_ADDRESS, LOAD_RAX);
	PUT(n, 0x48, 0x8d, 0x04, 0x08); /* lea rax, [rax + rcx] */
	PUT(n, 0x48, 0xf7, 0xd0);	/* not rax */
	PUT_SLOT(n, ARENA_SLOT_WORD, LOAD_RCX);
	emitter_place(n->e, PLACE_LOOKS, n->pending | both, n->original);
	CODE(n->e, 0x48, 0x89, 0x01); /* mov [rcx], rax */
}

static void put_turn(const struct note *n)
{
	PUT_SLOT(n, ARENA_SLOT_ONE_TURN, LOAD_RAX);
	PUT_SLOT(n, ARENA_SLOT_TURN, LOAD_RCX);
	PUT(n, 0x48, 0x8d, 0x0c, 0x01); /* lea rcx, [rcx + rax] */
	PUT_SLOT(n, ARENA_SLOT_TURN, STORE_RCX);
}

static void put_end(const struct note *n, uint32_t noted)
{
	const int both = PLACE_RCX_SAVED | PLACE_RAX_SAVED;

	PUT_SLOT(n, ARENA_SLOT_TOUCHES, LOAD_RCX);
	PUT(n, 0xe3, 2);
	PUT(n, 0xeb, 1);
	emitter_place_at(n->e, n->e->offset, PLACE_CHECKS, n->pending | both, 1, n->original);
	CODE(n->e, 0xcc);
	if (noted)
		emitter_set_jump(n->e, noted);
	PUT_SLOT(n, ARENA_SLOT_RAX, LOAD_RAX);
	emitter_place(n->e, PLACE_AT, n->pending | PLACE_RCX_SAVED, n->original);
	CODE(n->e, LOAD_RCX);
	emitter_slot(n->e, ARENA_SLOT_RCX);
}

static void put_note(const struct note *n, const struct access *access, enum race_look look)
{
	const unsigned size_log = racelayout_size_log(access->size);
	const enum race_kind kind = look == RACE_ORDERS ? RACE_ATOMIC
				    : access->writes	? RACE_WRITE
							: RACE_READ;
	const uint64_t toucher = n->original | (uint64_t)size_log << RACE_LOG_SIZE_BIT |
				 (uint64_t)kind << RACE_LOG_KIND_BIT;
	uint32_t noted = 0;

	put_begin(n, access);
	if (look == RACE_NOTES)
		noted = put_look(n, racelayout_table(access->writes, size_log));
	put_log(n, toucher);
	if (look == RACE_NOTES)
		put_word(n);
	else
		put_turn(n);
	put_end(n, noted);
}

void racecode_put(struct emitter *e, const struct classified *in, bool pending, uint32_t body)
{
	const struct note note = {e, pending ? PLACE_PENDING : 0, in->address};
	const struct watches *watches = &e->space->watches;
	enum race_look look[ACCESSES_MAX];
	struct accesses accesses;
	bool asks = false;

	if (watches->race_number == 0)
		return;
	accesses_of(in->bytes, in->z.length, in->address, &accesses);
	for (unsigned i = 0; i < accesses.count; i++) {
		look[i] = watches->race_looks(watches->races, in, &accesses.list[i]);
		asks |= look[i] == RACE_ASKS;
	}
	if (asks) {
		sequence_question(e, PLACE_CHECKS, note.pending, in->address, body);
		return;
	}
	for (unsigned i = 0; i < accesses.count; i++) {
		if (look[i] != RACE_LOOKS_AWAY)
			put_note(&note, &accesses.list[i], look[i]);
	}
}
