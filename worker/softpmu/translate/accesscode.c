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

/* Behind the look. */
static void put_entry(struct emitter *e, const struct classified *in, const struct access *access)
{
	const uint64_t toucher = (in->address + in->z.length) | (uint64_t)access->size
								    << ACCESS_LOG_SIZE_BIT;
	uint32_t on;

	CODE(e, STORE_RCX);
	emitter_slot(e, ARENA_SLOT_NOTED);
	EMIT(e, PLACE_AT, PLACE_RCX_SAVED, 0xe3, 0); /* jrcxz on */
	on = e->offset - 1;
	EMIT_SLOT(e, PLACE_AT, PLACE_RCX_SAVED, ARENA_SLOT_RCX, LOAD_RCX);
	watchcode_put_address(e, access);
	EMIT_SLOT(e, PLACE_AT, PLACE_RCX_SAVED, ARENA_SLOT_ADDRESS, STORE_RCX);
	EMIT_SLOT(e, PLACE_AT, PLACE_RCX_SAVED, ARENA_SLOT_RAX, STORE_RAX);
	sequence_log(e, toucher);
	e->noted = true;
	sequence_ask_if_full(e, PLACE_CHANGES);
	EMIT_SLOT(e, PLACE_AT, PLACE_BOTH_SAVED, ARENA_SLOT_RAX, LOAD_RAX);
	emitter_set_jump(e, on);
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

void accesscode_put(struct emitter *e, const struct classified *in)
{
	const struct watches *watches = &e->space->watches;
	struct accesses accesses;
	bool asks = false, logs;

	e->noted = false;
	if (watches->quiet_number == 0)
		return;
	accesses_of(in->bytes, in->z.length, in->address, &accesses);
	for (unsigned i = 0; i < accesses.count; i++)
		asks |= is_looked_at(&accesses.list[i]) && watches_table(&accesses.list[i]) == 0;
	if (asks) {
		sequence_question(e, PLACE_CHANGES);
		return;
	}
	logs =
	    is_plain(in, &accesses) && quiet_list_has(watches->quiet, in->address + in->z.length);
	for (unsigned i = 0; i < accesses.count; i++) {
		const struct access *access = &accesses.list[i];

		if (!is_looked_at(access))
			continue;
		watchcode_begin_look(e, access);
		if (logs)
			put_entry(e, in, access);
		else
			watchcode_put_question(e, PLACE_CHANGES, 0);
		watchcode_end_look(e);
	}
}
