/*
 * Decodes the body of the function in each frame up to its call. Which arguments of the innermost
 * call matter, a table says; which of a wrapper's own, its code. LIMIT: a function that hands on
 * what it was given counts, whatever else it does; answers name it, too.
 */
#include "worker/investigate/code/wrapper.h"

#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/read/values/accessed.h"
#include "worker/read/frames/frame.h"
#include "worker/read/names/symbol.h"
#include "worker/x86/forwards.h"

#define WRAPPERS_MAX  4
#define DIRECT_CALL   5 /* bytes */
#define SHORT_JUMP    2
#define INDIRECT_CALL 6 /* through a word at an offset from rip */

/* A bit for each argument that decides what is allocated, released or written. */
static const struct {
	const char *name;
	unsigned arguments;
} known[] = {{"malloc", 1}, {"calloc", 3}, {"realloc", 3}, {"reallocarray", 7}, {"free", 1},
    {"cfree", 1}, {"memalign", 3}, {"aligned_alloc", 3}, {"posix_memalign", 7}, {"valloc", 1},
    {"strdup", 1}, {"strndup", 3}, {"memcpy", 7}, {"memmove", 7}, {"mempcpy", 7}, {"memset", 7},
    {"bcopy", 7}, {"bzero", 3}, {"strcpy", 3}, {"stpcpy", 3}, {"strcat", 3}, {"strncpy", 7},
    {"strncat", 7}, {"memccpy", 15}, {"operator new", 1}, {"operator new[]", 1},
    {"operator delete", 1}, {"operator delete[]", 1}};

/* malloc of malloc@plt, __GI___libc_malloc and malloc@got.plt; operator new of its full name. */
static unsigned arguments_of(const char *name)
{
	static const char *const before[] = {"*ABS*", "__GI_", "__libc_", "__"};
	size_t length;

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
		if (strncmp(name, before[i], strlen(before[i])) == 0)
			name += strlen(before[i]);
	length = strcspn(name, "(@");
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strlen(known[i].name) == length && strncmp(name, known[i].name, length) == 0)
			return known[i].arguments;
	return 0;
}

/* The call behind which the program stands in a frame. */
struct call {
	unsigned long long at, target;
};

static bool read_slot(
    struct replay *replay, const struct instruction *instruction, unsigned long long *target)
{
	unsigned long long slot;

	return instruction->source_in_memory && !instruction->operands[0].base[0] &&
	       accessed_address(replay, &instruction->operands[0], 0, &slot) &&
	       accessed_whole(replay, slot, target, sizeof(*target));
}

/* gdb also shows frames of functions that ended with a jump to what they call. */
static bool is_direct(
    struct replay *replay, unsigned long long at, size_t length, struct instruction *instruction)
{
	return accessed_instruction(replay, at, instruction) && instruction->length == length &&
	       instruction->is_direct && (instruction->calls || instruction->jumps);
}

static bool find_call(struct replay *replay, const json_t *frame, struct call *call)
{
	unsigned long long behind = mi_address(frame, "address");
	struct instruction instruction;

	if (!behind)
		return false;
	call->at = behind - DIRECT_CALL;
	if (!is_direct(replay, call->at, DIRECT_CALL, &instruction)) {
		call->at = behind - SHORT_JUMP;
		if (!is_direct(replay, call->at, SHORT_JUMP, &instruction)) {
			call->at = behind - INDIRECT_CALL;
			return accessed_instruction(replay, call->at, &instruction) &&
			       instruction.calls && instruction.length == INDIRECT_CALL &&
			       read_slot(replay, &instruction, &call->target);
		}
	}
	call->target = instruction.target;
	return true;
}

/* The bits of its own arguments that the function around the call hands on; 0: it is no wrapper.
 * *entry is where it begins. */
static unsigned handed_on(
    struct replay *replay, const struct call *call, unsigned wanted, unsigned long long *entry)
{
	uint8_t code[FORWARDS_BYTES_MAX + INSTRUCTION_BYTES_MAX];
	struct symbol symbol;
	size_t length;

	if (!symbol_at(replay, call->at, &symbol) || symbol.offset > FORWARDS_BYTES_MAX)
		return 0;
	*entry = call->at - symbol.offset;
	length = accessed_bytes(replay, *entry, code, sizeof(code));
	return forwards_arguments(code, length, *entry, call->at, wanted);
}

/* Whether a call reaches the function, through the table of another library maybe. */
static bool leads_to(struct replay *replay, unsigned long long target, unsigned long long entry)
{
	struct symbol by, of;

	if (target == entry)
		return true;
	return symbol_at(replay, target, &by) && symbol_at(replay, entry, &of) &&
	       strcspn(by.name, "@") == strcspn(of.name, "@") &&
	       strncmp(by.name, of.name, strcspn(by.name, "@")) == 0;
}

size_t wrapper_count(struct replay *replay, const json_t *frames, size_t at)
{
	unsigned long long entry = 0;
	unsigned wanted = 0;
	struct symbol symbol;
	size_t count = 0;

	/* Somebody must have called the last of them. */
	while (count < WRAPPERS_MAX && at + count + 1 < json_array_size(frames)) {
		const json_t *frame = json_array_get(frames, at + count);
		struct call call;

		if (!frame_is_own(replay, frame) || !find_call(replay, frame, &call))
			break;
		if (!count && symbol_at(replay, call.target, &symbol))
			wanted = arguments_of(symbol.name);
		else if (count && !leads_to(replay, call.target, entry))
			break;
		wanted = wanted ? handed_on(replay, &call, wanted, &entry) : 0;
		if (!wanted)
			break;
		count++;
	}
	return count;
}
