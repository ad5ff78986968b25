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

void linecode_put(struct emitter *e)
{
	const int saved = PLACE_RAX_SAVED;
	uint32_t line;

	e->lined = false;
	if (!linecode_counts(e->space, e->original))
		return;
	line = ARENA_LINES + 8 * (uint32_t)line_list_find(e->space->watches.lines, e->original);
	EMIT_SLOT(e, PLACE_AT, 0, ARENA_SLOT_RAX, STORE_RAX);
	EMIT_SLOT(e, PLACE_AT, saved, line, LOAD_RAX);
	EMIT(e, PLACE_AT, saved, 0x48, 0x8d, 0x40, 0x01); /* lea rax, [rax + 1] */
	EMIT_SLOT(e, PLACE_AT, saved, line, STORE_RAX);
	e->lined = true;
	e->lined_at = e->original;
	EMIT_SLOT(e, PLACE_AT, saved, ARENA_SLOT_RAX, LOAD_RAX);
}
