/*
 *     mov [rax slot], rax; mov rax, [line's slot]; lea rax, [rax + 1]; mov [line's slot], rax
 *     mov rax, [rax slot]
 * None of these touches the flags.
 */
#include "worker/softpmu/translate/linecode.h"

bool linecode_counts(const struct space *space, uint64_t address)
{
	const struct watches *watches = &space->watches;

	return watches->lines_number && line_list_find(watches->lines, address) != LINES_MAX;
}

void linecode_put(struct emitter *e, uint64_t original, bool pending)
{
	const int flags = pending ? PLACE_PENDING : 0, saved = flags | PLACE_RAX_SAVED;
	uint32_t line;

	e->lined = false;
	if (!linecode_counts(e->space, original))
		return;
	line = ARENA_LINES + 8 * (uint32_t)line_list_find(e->space->watches.lines, original);
	emitter_place(e, PLACE_AT, flags, original);
	CODE(e, 0x48, 0x89, 0x04, 0x25); /* mov [slot], rax */
	emitter_slot(e, ARENA_SLOT_RAX);
	emitter_place(e, PLACE_AT, saved, original);
	CODE(e, 0x48, 0x8b, 0x04, 0x25); /* mov rax, [line] */
	emitter_slot(e, line);
	emitter_place(e, PLACE_AT, saved, original);
	CODE(e, 0x48, 0x8d, 0x40, 0x01); /* lea rax, [rax + 1] */
	emitter_place(e, PLACE_AT, saved, original);
	CODE(e, 0x48, 0x89, 0x04, 0x25); /* mov [line], rax */
	emitter_slot(e, line);
	e->lined = true;
	e->lined_at = original;
	emitter_place(e, PLACE_AT, saved, original);
	CODE(e, 0x48, 0x8b, 0x04, 0x25); /* mov rax, [slot] */
	emitter_slot(e, ARENA_SLOT_RAX);
}
