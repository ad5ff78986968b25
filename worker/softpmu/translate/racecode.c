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

static void put_begin(struct emitter *e, const struct access *access)
{
	EMIT_SLOT(e, PLACE_AT, 0, ARENA_SLOT_RCX, STORE_RCX);
	watchcode_put_address(e, access);
	EMIT_SLOT(e, PLACE_AT, PLACE_RCX_SAVED, ARENA_SLOT_ADDRESS, STORE_RCX);
	EMIT_SLOT(e, PLACE_AT, PLACE_RCX_SAVED, ARENA_SLOT_RAX, STORE_RAX);
}

/* Returns where the displacement of its jump to `noted` is. */
static uint32_t put_look(struct emitter *e, uint32_t table)
{
	const int both = PLACE_BOTH_SAVED;

	/* movzx ecx, word [slot] */
	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_ADDRESS, 0x0f, 0xb7, 0x0c, 0x25);
	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_TABLES, LOAD_RAX);
	EMIT(e, PLACE_AT, both, 0x48, 0x8d, 0x84, 0xc8); /* lea rax, [rax + 8 * rcx + table] */
	emitter_32(e, table);
	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_WORD, STORE_RAX);
	EMIT(e, PLACE_LOOKS, both, 0x48, 0x8b, 0x08); /* mov rcx, [rax] */
	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_ADDRESS, LOAD_RAX);
	EMIT(e, PLACE_AT, both, 0x48, 0x8d, 0x4c, 0x01, 0x01); /* lea rcx, [rcx + rax + 1] */
	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_TURN, LOAD_RAX);
	EMIT(e, PLACE_AT, both, 0x48, 0x8d, 0x0c, 0x01); /* lea rcx, [rcx + rax] */
	EMIT(e, PLACE_AT, both, 0xe3, 0);
	return e->offset - 1;
}

static void put_word(struct emitter *e)
{
	const int both = PLACE_BOTH_SAVED;

	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_TURN, LOAD_RCX);
	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_ADDRESS, LOAD_RAX);
	EMIT(e, PLACE_AT, both, 0x48, 0x8d, 0x04, 0x08); /* lea rax, [rax + rcx] */
	EMIT(e, PLACE_AT, both, 0x48, 0xf7, 0xd0);	 /* not rax */
	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_WORD, LOAD_RCX);
	EMIT(e, PLACE_LOOKS, both, 0x48, 0x89, 0x01); /* mov [rcx], rax */
}

static void put_turn(struct emitter *e)
{
	const int both = PLACE_BOTH_SAVED;

	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_ONE_TURN, LOAD_RAX);
	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_TURN, LOAD_RCX);
	EMIT(e, PLACE_AT, both, 0x48, 0x8d, 0x0c, 0x01); /* lea rcx, [rcx + rax] */
	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_TURN, STORE_RCX);
}

static void put_note(struct emitter *e, const struct access *access, enum race_look look)
{
	const unsigned size_log = racelayout_size_log(access->size);
	const enum race_kind kind = look == RACE_ORDERS ? RACE_ATOMIC
				    : access->writes	? RACE_WRITE
							: RACE_READ;
	const uint64_t toucher = e->original | (uint64_t)size_log << RACE_LOG_SIZE_BIT |
				 (uint64_t)kind << RACE_LOG_KIND_BIT;
	uint32_t noted = 0;

	put_begin(e, access);
	if (look == RACE_NOTES)
		noted = put_look(e, racelayout_table(access->writes, size_log));
	sequence_log(e, toucher);
	if (look == RACE_NOTES)
		put_word(e);
	else
		put_turn(e);
	EMIT_SLOT(e, PLACE_AT, PLACE_BOTH_SAVED, ARENA_SLOT_TOUCHES, LOAD_RCX);
	sequence_ask_if_full(e, PLACE_CHECKS);
	if (noted)
		emitter_set_jump(e, noted);
	sequence_restore(e);
}

void racecode_put(struct emitter *e, const struct classified *in)
{
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
		sequence_question(e, PLACE_CHECKS);
		return;
	}
	for (unsigned i = 0; i < accesses.count; i++) {
		if (look[i] != RACE_LOOKS_AWAY)
			put_note(e, &accesses.list[i], look[i]);
	}
}
