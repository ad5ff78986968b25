/*
 * Understands two of gdb's packets, `Z1` and `z1`. It must never keep a condition that gdb has
 * taken back or replaced: what it cannot read makes the breakpoint one that always stops.
 */
#include "worker/softpmu/traps/conditions.h"

#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/traps/bytecodeshape.h"
#include "worker/softpmu/base/memory.h"
#include "worker/x86/keymark.h"
#include "worker/x86/passmark.h"

static void tell(const struct conditions *conditions, const char *packet)
{
	if (conditions->listener)
		conditions->listener(conditions, packet);
}

/* Nothing that gdb has asked for is in force any more. */
static void end_all(struct conditions *conditions)
{
	conditions->count = 0;
	conditions->hushed.length = 0;
	tally_end(&conditions->tally);
	passkeys_end(&conditions->keys);
	tell(conditions, "");
	conditions->changes++;
}

void conditions_connect(struct conditions *conditions, int fd)
{
	conditions->fd = fd;
	end_all(conditions);
	conditions->in_packet = false;
}

static struct condition *find(struct conditions *conditions, uint64_t address)
{
	for (unsigned i = 0; i < conditions->count; i++) {
		if (conditions->list[i].address == address)
			return &conditions->list[i];
	}
	return NULL;
}

const struct condition *conditions_find(const struct conditions *conditions, uint64_t address)
{
	for (unsigned i = 0; i < conditions->count; i++) {
		if (conditions->list[i].address == address)
			return &conditions->list[i];
	}
	return NULL;
}

/* By FNV-1a. */
static uint64_t hash(const struct condition *condition)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	if (condition->count == 0)
		return 0;
	for (unsigned i = 0; i < condition->count; i++) {
		const struct expression *expression = &condition->expression[i];

		for (size_t at = 0; at < expression->length; at++)
			hash = (hash ^ expression->code[at]) * 0x100000001b3ull;
		hash *= 0x100000001b3ull;
	}
	return hash ? hash : 1;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* `Xlength,hex`, for each expression. False: not understood. */
static bool read_expressions(const char *at, struct condition *condition)
{
	while (*at) {
		struct expression *expression = &condition->expression[condition->count];
		char *end;

		if (*at != 'X' || condition->count == CONDITION_EXPRESSIONS)
			return false;
		expression->length = strtoul(at + 1, &end, 16);
		if (*end != ',' || expression->length > CONDITION_BYTES)
			return false;
		at = end + 1;
		for (size_t i = 0; i < expression->length; i++, at += 2) {
			if (digit(at[0]) < 0 || digit(at[1]) < 0)
				return false;
			expression->code[i] = (uint8_t)(digit(at[0]) << 4 | digit(at[1]));
		}
		condition->count++;
	}
	return true;
}

/* `Z1,address,kind;X...` sets a breakpoint or replaces it, `z1,address,kind` takes it away. */
static void understand(struct conditions *conditions)
{
	bool sets = conditions->packet[0] == 'Z';
	struct condition *condition;
	uint64_t address;
	char *end;

	if (conditions->length < 3 || (!sets && conditions->packet[0] != 'z') ||
	    strncmp(conditions->packet + 1, "1,", 2) != 0)
		return;
	conditions->changes++;
	address = strtoull(conditions->packet + 3, &end, 16);
	condition = find(conditions, address);
	if (!sets) {
		if (condition)
			*condition = conditions->list[--conditions->count];
		return;
	}
	if (!condition && conditions->count < CONDITIONS_MAX)
		condition = &conditions->list[conditions->count++];
	if (!condition)
		return;
	conditions->debugged = conditions->stopped;
	condition->address = address;
	condition->count = 0;
	end = strchr(end, ';');
	if (end && !read_expressions(end + 1, condition))
		condition->count = 0;
	condition->hash = hash(condition);
	condition->counts = condition->keyed = condition->adds = false;
	for (unsigned i = 0; i < condition->count; i++) {
		const struct expression *expression = &condition->expression[i];

		condition->keyed |= bytecode_keys(expression->code, expression->length);
		condition->counts |= bytecode_marks(expression->code, expression->length);
		condition->adds |= bytecode_adds(expression->code, expression->length);
	}
	condition->counts |= condition->keyed;
}

/* A packet that is too long may be about any breakpoint. */
static void end_packet(struct conditions *conditions)
{
	conditions->in_packet = false;
	if (conditions->length == sizeof conditions->packet) {
		end_all(conditions);
		return;
	}
	conditions->packet[conditions->length] = '\0';
	hushed_take(&conditions->hushed, conditions->packet);
	tally_take(&conditions->tally, &conditions->hushed, conditions->packet);
	passkeys_take(&conditions->keys, conditions->packet);
	tell(conditions, conditions->packet);
	understand(conditions);
}

void conditions_take(struct conditions *conditions, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '$') {
			conditions->in_packet = true;
			conditions->length = 0;
		} else if (conditions->in_packet && bytes[i] == '#') {
			end_packet(conditions);
		} else if (conditions->in_packet &&
			   conditions->length < sizeof conditions->packet) {
			conditions->packet[conditions->length++] = bytes[i];
		}
	}
}

/* Whose memory it is, what was counted, and whether PASSMARK or KEYMARK was asked for. */
struct memory {
	pid_t tid;
	const struct conditions *conditions;
	bool marked, keyed, has_new_key;
	struct pass_noted noted;
};

static void note(void *context, uint64_t mark, uint64_t value)
{
	struct memory *memory = context;

	if (mark == KEYMARK_VALUE) {
		memory->noted.value = value;
		return;
	}
	memory->marked = memory->keyed = true;
	memory->noted.key = value;
}

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
	struct memory *memory = context;

	if (address == PASSMARK && size == 1) {
		memory->marked = true;
		*(uint8_t *)to = 0;
		return true;
	}
	if ((address == KEYMARK || address == KEYMARK_VALUE) && size == sizeof memory->noted.key) {
		memset(to, 0, size);
		return true;
	}
	if (address == PASSMARK_SUM && size == sizeof memory->conditions->passes) {
		memcpy(to, &memory->conditions->passes, size);
		return true;
	}
	if (address == KEYMARK_NEXT && size == sizeof memory->conditions->keys.next) {
		memcpy(to, &memory->conditions->keys.next, size);
		return true;
	}
	return memory_read(memory->tid, address, to, size);
}

static bool has_new_key(const struct user_regs_struct *regs, struct memory *memory)
{
	return memory->keyed &&
	       !passkeys_find(&memory->conditions->keys, memory->tid, regs, &memory->noted.key);
}

static bool may_hold(
    const struct condition *condition, const struct user_regs_struct *regs, struct memory *memory)
{
	const struct bytecode_world world = {regs, read_memory, memory, note};
	bool holds = condition->count == 0;

	for (unsigned i = 0; i < condition->count && !holds; i++)
		holds = bytecode_evaluate(condition->expression[i].code,
			    condition->expression[i].length, &world) != TRUTH_FALSE;
	memory->has_new_key = has_new_key(regs, memory);
	return holds || memory->has_new_key;
}

bool conditions_may_hold(const struct conditions *conditions, uint64_t address, pid_t tid,
    const struct user_regs_struct *regs)
{
	const struct condition *condition = conditions_find(conditions, address);
	struct memory memory = {.tid = tid, .conditions = conditions};

	return !condition || may_hold(condition, regs, &memory);
}

enum pass_kind conditions_pass(const struct conditions *conditions, uint64_t address, pid_t tid,
    const struct user_regs_struct *regs, struct pass_noted *noted)
{
	const struct condition *condition = conditions_find(conditions, address);
	struct memory memory = {.tid = tid, .conditions = conditions};
	bool holds = !condition || may_hold(condition, regs, &memory);

	*noted = memory.noted;
	if (holds)
		return memory.has_new_key ? PASS_HAS_NEW_KEY : PASS_MAY_HOLD;
	return memory.marked ? PASS_COUNTS : PASS_IS_NOT_MEANT;
}
