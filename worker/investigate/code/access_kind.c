/*
 * Decodes the instruction that ends where the program stands. After a jump or a call, the
 * instruction before in memory is not the one that ran.
 */
#include "worker/investigate/code/access_kind.h"

#include <string.h>
#include "worker/read/values/accessed.h"
#include "worker/read/code/preceding.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"

const char *const access_kind_words[] = {[ACCESS_KIND_UNKNOWN] = "unknown",
    [ACCESS_KIND_READ] = "read",
    [ACCESS_KIND_WRITE] = "write",
    [ACCESS_KIND_BOTH] = "read and write"};

/* If several of its operands are in memory, only if it does the same with all of them. */
static enum access_kind kind_of(const struct instruction *instruction)
{
	static const enum access_kind kinds[2][2] = {
	    {ACCESS_KIND_UNKNOWN, ACCESS_KIND_WRITE}, {ACCESS_KIND_READ, ACCESS_KIND_BOTH}};
	enum access_kind kind = ACCESS_KIND_UNKNOWN, one;

	for (size_t i = 0; i < instruction->count; i++) {
		one = kinds[instruction->operands[i].access.reads]
			   [instruction->operands[i].access.writes];
		if (i > 0 && one != kind)
			return ACCESS_KIND_UNKNOWN;
		kind = one;
	}
	return kind;
}

struct decoded {
	enum access_kind kind;
	bool atomic;
	unsigned long long wide;
};

static bool is_atomic(const struct instruction *instruction)
{
	return instruction->count > 0 && (strncmp(instruction->text, "lock ", 5) == 0 ||
					     strncmp(instruction->text, "xchg", 4) == 0);
}

static struct decoded decode(struct replay *replay, unsigned long long end)
{
	unsigned long long begin = preceding_begin(replay, end);
	struct instruction instruction;

	if (!begin || !accessed_instruction(replay, begin, &instruction) ||
	    begin + instruction.length != end)
		return (struct decoded){ACCESS_KIND_UNKNOWN, false, 0};
	return (struct decoded){kind_of(&instruction), is_atomic(&instruction),
	    accessed_can_mislead(&instruction) ? begin : 0};
}

static struct decoded look_up(
    struct replay *replay, struct access_kinds *code, unsigned long long end)
{
	struct decoded decoded;

	for (size_t i = 0; i < code->count; i++)
		if (code->known[i].end == end)
			return (struct decoded){
			    code->known[i].kind, code->known[i].atomic, code->known[i].wide};
	decoded = decode(replay, end);
	if (code->count < ACCESS_KINDS_MAX) {
		code->known[code->count].end = end;
		code->known[code->count].kind = decoded.kind;
		code->known[code->count].wide = decoded.wide;
		code->known[code->count++].atomic = decoded.atomic;
	}
	return decoded;
}

bool access_kind_is_atomic(struct replay *replay, struct access_kinds *code)
{
	return look_up(replay, code, replay_now(replay)->pc).atomic;
}

bool access_kind_touches(struct replay *replay, struct access_kinds *code,
    unsigned long long address, unsigned long long size)
{
	const struct moment *now = replay_now(replay);
	unsigned long long begin = look_up(replay, code, now->pc).wide;
	struct instruction instruction;
	enum accessed_touch touch;

	if (!begin || !size || !accessed_instruction(replay, begin, &instruction))
		return true;
	touch = accessed_touches(replay, &instruction, ACCESSED_BEHIND, address, size);
	if (touch == ACCESSED_MAYBE && code->doubtful++ == 0) {
		position_take_sum(replay);
		code->first_doubtful = *now;
	}
	return touch == ACCESSED_YES;
}

void access_kind_tell(const struct access_kinds *code, struct replay *replay, json_t *answer)
{
	json_auto_t *first = NULL;

	if (!code->doubtful)
		return;
	first = moment_name(replay, &code->first_doubtful);
	json_object_set_new(answer, "masked",
	    json_sprintf(
		"left out, and counted nowhere: %lld that may be accesses, the first at %s; "
		"a mask says which bytes the instruction touches, and cannot be read there",
		code->doubtful, json_string_value(first)));
}

enum access_kind access_kind_here(struct replay *replay, struct access_kinds *code, bool changed)
{
	enum access_kind kind = look_up(replay, code, replay_now(replay)->pc).kind;

	/* If the memory changed and this instruction does not write, then the kernel or another
	 * instruction wrote. */
	if (changed)
		return kind == ACCESS_KIND_BOTH ? ACCESS_KIND_BOTH : ACCESS_KIND_WRITE;
	return kind;
}
