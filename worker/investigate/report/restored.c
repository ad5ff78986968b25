/*
 * The layouts are those of the GNU C library. The program counter in a jmp_buf is changed by a key
 * (pointer guard), so a damaged one goes anywhere, and its value says nothing.
 */
#include "worker/investigate/report/restored.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/search/backtrack.h"
#include "worker/investigate/search/last_writer.h"
#include "worker/read/values/accessed.h"
#include "worker/read/names/brief_name.h"
#include "worker/read/names/symbol.h"

#define DEPTH_MAX  12 /* frames from the crash to longjmp, where the C library refuses the jump */
#define IN_JMP_BUF 56
#define IN_CONTEXT 168 /* uc_mcontext.gregs[REG_RIP] */

static const struct restorer {
	const char *function; /* without the underscores before it */
	const char *name, *saved, *argument;
	int program_counter; /* bytes from the beginning of what was saved */
} restorers[] = {
    {"longjmp", "longjmp", "jmp_buf", "$rdi", IN_JMP_BUF},
    {"longjmp_chk", "longjmp", "jmp_buf", "$rdi", IN_JMP_BUF},
    {"libc_siglongjmp", "longjmp", "jmp_buf", "$rdi", IN_JMP_BUF},
    {"libc_longjmp", "longjmp", "jmp_buf", "$rdi", IN_JMP_BUF},
    {"siglongjmp", "longjmp", "jmp_buf", "$rdi", IN_JMP_BUF},
    {"setcontext", "setcontext", "ucontext_t", "$rdi", IN_CONTEXT},
    {"swapcontext", "swapcontext", "ucontext_t", "$rsi", IN_CONTEXT},
};

static const struct restorer *restorer_of(const char *function)
{
	if (!function)
		return NULL;
	function += strspn(function, "_");
	function += strncmp(function, "GI_", 3) == 0 ? 3 : 0;
	function += strspn(function, "_");
	for (size_t i = 0; i < sizeof(restorers) / sizeof(*restorers); i++)
		if (strcmp(restorers[i].function, function) == 0)
			return &restorers[i];
	return NULL;
}

bool restored_may_be(const json_t *report, const struct fault *fault)
{
	const char *access = mi_text(fault->json, "access"), *said = mi_text(report, "conclusion");
	const json_t *frame = json_array_get(json_object_get(report, "frames"), 0);

	/* In a stack that is whole, the library's frames are folded. */
	if (!fault->json)
		return said && strstr(said, "longjmp");
	/* What fails at the saved registers themselves has not gone on with them yet. */
	return access && strcmp(access, "execute") == 0 && restorer_of(mi_text(frame, "function"));
}

/* The innermost of these functions on the stack, with its first instruction. The one at the crash
 * itself has lost its callers. */
static const struct restorer *find(
    struct replay *replay, unsigned long long *entry, bool *is_innermost)
{
	json_auto_t *frames = backtrack_stack(replay);
	const struct restorer *found = NULL;
	struct symbol symbol = {0};

	for (size_t i = 0; !found && i < json_array_size(frames) && i < DEPTH_MAX; i++) {
		const json_t *frame = json_array_get(frames, i);
		unsigned long long pc = mi_address(frame, "addr");

		found = restorer_of(mi_text(frame, "func"));
		/* Behind a call that does not return, the address is the next function's. */
		if (found && !symbol_at(replay, pc - (i > 0), &symbol))
			found = NULL;
		*entry = pc - (i > 0) - symbol.offset;
		*is_innermost = i == 0;
	}
	return found;
}

bool restored_go_back(struct replay *replay, struct restored *restored)
{
	unsigned long long entry = 0, pointer = 0;
	bool is_innermost = false;
	const struct restorer *restorer = find(replay, &entry, &is_innermost);

	*restored = (struct restored){0};
	if (!restorer || !accessed_number(replay, "sizeof(void *)", &pointer) || pointer != 8 ||
	    !backtrack_to(replay, entry) ||
	    !accessed_number(replay, restorer->argument, &restored->address))
		return false;
	restored->name = restorer->name;
	restored->saved = restorer->saved;
	restored->slot = restored->address + (unsigned)restorer->program_counter;
	restored->refused = !is_innermost;
	return true;
}

/* How many frames from the innermost on are such functions'. */
static int count_frames(struct replay *replay)
{
	json_auto_t *frames = backtrack_stack(replay);
	size_t count = 0;

	while (count < json_array_size(frames) &&
	       restorer_of(mi_text(json_array_get(frames, count), "func")))
		count++;
	return (int)count;
}

void restored_tell(struct replay *replay, const struct restored *restored, struct fault *fault)
{
	const char *to = mi_text(fault->json, "address"), *why = mi_text(fault->json, "mapping");
	char brief[BRIEF_NAME_MAX], name[BRIEF_NAME_MAX + 8] = "";
	struct symbol symbol;

	if (symbol_at(replay, restored->address, &symbol))
		snprintf(name, sizeof(name), " %s", brief_name(symbol.name, brief));
	if (restored->refused)
		snprintf(fault->said, sizeof(fault->said),
		    "%s with the %s%s at 0x%llx was to jump into a function that has returned",
		    restored->name, restored->saved, name, restored->address);
	else
		snprintf(fault->said, sizeof(fault->said),
		    "%s jumped to %s (%s), out of the %s%s at 0x%llx", restored->name, to, why,
		    restored->saved, name, restored->address);
	fault->hint[0] = '\0';
	fault->stand_ins = count_frames(replay);
	fault->astray = fault->lost = false;
	fault->overwritten = 0;
	if (fault->json) {
		json_object_del(fault->json, "operand");
		json_object_del(fault->json, "return_address_at");
		json_object_set_new(
		    fault->json, "pointer_at", json_sprintf("0x%llx", restored->slot));
	}
}

char *restored_writer(struct replay *replay, const struct restored *restored)
{
	struct last_writer writer = {0};
	char *text = NULL;

	if (last_writer_find(replay, restored->slot, &writer)) {
		if (asprintf(&text, "%s wrote the address in it last, at 0x%llx (%s)",
			json_string_value(writer.by), restored->slot, writer.text) < 0)
			text = NULL;
	} else if (!replay_worker(replay)->broken) {
		text = strdup("no instruction is known that wrote the address in it: it was never "
			      "filled, or the kernel wrote over it");
	}
	json_decref(writer.by);
	return text;
}
