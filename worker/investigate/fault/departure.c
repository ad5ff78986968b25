/*
 * Steps back over the jump: only in its own frame are the pointer, its source words and the callers
 * known. In front of it nothing is guessed: a stale word below the stack pointer says nothing.
 */
#include "worker/investigate/fault/departure.h"

#include <stdio.h>
#include <string.h>
#include "worker/investigate/code/belongs.h"
#include "worker/investigate/search/phrases.h"
#include "worker/read/values/accessed.h"
#include "worker/read/names/brief_name.h"
#include "worker/read/frames/frames.h"
#include "worker/read/code/preceding.h"
#include "worker/read/code/called.h"
#include "worker/moment/position.h"
#include "worker/run/sweep/resume.h"
#include "worker/read/names/symbol.h"

#define STEPS_MAX 3 /* the signal itself may take some */
#define WORD	  8
#define FROM_MAX  700

/* A call, jump or return that leaves the code. */
struct leap {
	struct replay *replay;
	const struct mappings *mappings;
	const struct instruction *instruction;
	unsigned long long target;
	unsigned long long slot; /* where the pointer lies; 0: in no memory that is known */
};

/* Where the instruction at the program counter goes to; false if it cannot read that. */
static bool read_target(struct leap *leap)
{
	const struct instruction *instruction = leap->instruction;

	if (instruction->is_direct) {
		leap->target = instruction->target;
		return true;
	}
	if (instruction->source_register[0])
		return accessed_register(
		    leap->replay, instruction->source_register, WORD, &leap->target);
	if (instruction->returns
		? !accessed_number(leap->replay, "(unsigned long)$sp", &leap->slot)
		: !instruction->source_in_memory ||
		      !accessed_address(leap->replay, &instruction->operands[0], 0, &leap->slot))
		return false;
	return accessed_whole(leap->replay, leap->slot, &leap->target, WORD);
}

static const char *verb_of(const struct instruction *instruction)
{
	return instruction->calls ? "a call of" : instruction->jumps ? "a jump to" : "a return to";
}

/* "a call of a null pointer", "a jump to 0x1234560, where nothing is mapped" */
static void tell_target(const struct leap *leap, char *text, size_t size)
{
	const char *verb = verb_of(leap->instruction);

	if (leap->target == 0 && leap->instruction->is_direct)
		snprintf(text, size,
		    "%s address 0, which the instruction itself names: a function that is not "
		    "there (weak, and not linked in), or a constant",
		    verb);
	else if (leap->target == 0 && !leap->instruction->returns)
		snprintf(text, size, "%s a null pointer", verb);
	else if (leap->target < BELONGS_NULL_PAGES)
		snprintf(text, size, "%s 0x%llx, where no code is", verb, leap->target);
	else
		snprintf(text, size, "%s 0x%llx, %s", verb, leap->target,
		    belongs_why(leap->mappings, leap->target, ACCESS_EXECUTE));
}

/* "shape's virtual function area, out of the table at 0x..., which is no class's" */
static bool tell_virtual(const struct leap *leap, struct fault *fault, char from[FROM_MAX])
{
	char object[PHRASE_MAX], method[PHRASE_MAX], class[BRIEF_NAME_MAX];
	unsigned long long table;
	struct symbol symbol;
	bool known;

	if (!phrases_find_virtual(leap->replay, leap->target, object, method, &table))
		return false;
	known =
	    symbol_at(leap->replay, table, &symbol) && strncmp(symbol.name, "vtable for ", 11) == 0;
	snprintf(from, FROM_MAX,
	    "; the pointer is the virtual function %s of %s, out of a table at 0x%llx, "
	    "which is %s%s",
	    method, object, table, known ? "the " : "no class's: it is no object, or was destroyed",
	    known ? brief_name(symbol.name, class) : "");
	json_object_set_new(fault->json, "pointer", json_sprintf("%s, virtual", method));
	return true;
}

/* Where the pointer came from. */
static void tell_pointer(const struct leap *leap, struct fault *fault, char from[FROM_MAX])
{
	const struct instruction *instruction = leap->instruction;
	char phrase[PHRASE_MAX], operand[OPERAND_TEXT_MAX + 2], at[48] = "";
	unsigned long long place = 0;
	char brief[BRIEF_NAME_MAX];
	struct symbol symbol = {0};

	snprintf(operand, sizeof(operand), "%s%s", instruction->source_register[0] ? "%" : "",
	    instruction->source_register[0] ? instruction->source_register
					    : instruction->operands[0].text);
	json_object_set_new(fault->json, "operand", json_string(operand));
	phrases_find_callee(leap->replay, leap->target, leap->slot, phrase, &place);
	if (!phrase[0] && tell_virtual(leap, fault, from))
		return;
	place = leap->slot ? leap->slot : place;
	if (place) {
		snprintf(at, sizeof(at), " at 0x%llx", place);
		json_object_set_new(fault->json, "pointer_at", json_sprintf("0x%llx", place));
		snprintf(fault->hint, sizeof(fault->hint),
		    "rr_last_change of *(long *) 0x%llx says who wrote that pointer", place);
	}
	if (phrase[0])
		json_object_set_new(fault->json, "pointer", json_string(phrase));
	else if (place)
		symbol_at(leap->replay, place, &symbol);
	brief_name(symbol.name, brief);
	snprintf(from, FROM_MAX, "; the pointer is %s%s%s",
	    phrase[0] || symbol.name[0] || place ? "" : "in ",
	    phrase[0]	     ? phrase
	    : symbol.name[0] ? brief
			     : operand,
	    at);
}

/* The stub of a function in another library, or the dynamic linker that looks for it: for the
 * program, the call in front of it is the one that goes nowhere. */
static bool tell_missing(const struct leap *leap, struct fault *fault, char target[300])
{
	struct symbol stub = {0}, called = {0};
	char brief[BRIEF_NAME_MAX];
	unsigned long long back;

	if (leap->target || !symbol_of(leap->replay, "$pc", &stub) ||
	    (!strstr(stub.name, "@plt") && strncmp(stub.name, "_dl_runtime_resolve", 19) != 0) ||
	    !frames_number(leap->replay, 1, "$pc", &back))
		return false;
	if (!called_before(leap->replay, back, &called))
		return false;
	fault->stand_ins = 1;
	json_object_set_new(fault->json, "pointer", json_string(called.name));
	snprintf(target, 300,
	    "a call of %s, a function that is not there (weak, and no library has it)",
	    brief_name(called.name, brief));
	return true;
}

/* Whether the frame's return address is what the instruction takes. A stack pointer that is wrong
 * itself finds other words. */
static bool is_frames_own(const struct leap *leap)
{
	unsigned long long above;

	return frames_number(leap->replay, 1, "$sp", &above) && above == leap->slot + WORD;
}

static bool is_in_stack(const struct leap *leap)
{
	const struct mapping *mapping = mappings_find(leap->mappings, leap->slot);

	return replay_selected(leap->replay)->tid != replay_pid(leap->replay) || !mapping ||
	       strcmp(mapping->file, "[stack]") == 0;
}

static void tell_return(const struct leap *leap, struct fault *fault, char from[FROM_MAX])
{
	json_object_set_new(fault->json, "return_address_at", json_sprintf("0x%llx", leap->slot));
	snprintf(from, FROM_MAX, "%s at 0x%llx",
	    !is_in_stack(leap)
		? "; the stack pointer is wrong, and it took the address from memory "
		  "that is no stack,"
	    : is_frames_own(leap) ? ": its return address was overwritten,"
				  : "; it took the address from the stack",
	    leap->slot);
	if (is_in_stack(leap) && is_frames_own(leap))
		fault->overwritten = leap->slot;
	snprintf(fault->hint, sizeof(fault->hint),
	    "rr_last_change of *(long *) 0x%llx says who wrote it", leap->slot);
}

/* A jump as the last thing that a function does: its caller's return address is on top of the
 * stack, so gdb still finds the callers behind it. */
static bool is_tail(const struct leap *leap)
{
	unsigned long long back;

	return leap->instruction->jumps &&
	       accessed_number(leap->replay, "*(unsigned long *)$sp", &back) &&
	       belongs_to_code(leap->mappings, back) && preceding_may_call(leap->replay, back);
}

static void tell(const struct leap *leap, struct fault *fault)
{
	char mapping[BELONGS_MAX], target[300], from[FROM_MAX] = "";

	belongs_tell(leap->replay, leap->mappings, leap->target, ACCESS_EXECUTE, mapping);
	json_decref(fault->json);
	fault->json =
	    json_pack("{s:o,s:s,s:s,s:s}", "address", json_sprintf("0x%llx", leap->target),
		"access", "execute", "mapping", mapping, "instruction", leap->instruction->text);
	tell_target(leap, target, sizeof(target));
	fault->called = leap->instruction->calls;
	fault->astray = !leap->instruction->calls && !is_tail(leap);
	fault->lost = leap->instruction->returns;
	if (leap->instruction->returns)
		tell_return(leap, fault, from);
	else if (!leap->instruction->is_direct && !tell_missing(leap, fault, target))
		tell_pointer(leap, fault, from);
	snprintf(fault->said, sizeof(fault->said), "%s%s", target, from);
}

bool departure_is_refused(struct replay *replay, const struct mappings *mappings,
    unsigned long long pc, const struct instruction *instruction, struct fault *fault)
{
	struct leap leap = {.replay = replay, .mappings = mappings, .instruction = instruction};

	(void)pc;
	if ((!instruction->calls && !instruction->jumps && !instruction->returns) ||
	    !read_target(&leap) || !belongs_nowhere(leap.target))
		return false;
	tell(&leap, fault);
	return true;
}

void departure_guess(struct replay *replay, const struct mappings *mappings, unsigned long long pc,
    struct fault *fault)
{
	unsigned long long back = 0;
	char mapping[BELONGS_MAX];
	const char *why = belongs_why(mappings, pc, ACCESS_EXECUTE);
	bool called = accessed_number(replay, "*(unsigned long *)$sp", &back) &&
		      belongs_to_code(mappings, back) && preceding_may_call(replay, back);

	belongs_tell(replay, mappings, pc, ACCESS_EXECUTE, mapping);
	fault->departed = true;
	fault->json = json_pack("{s:o,s:s,s:s}", "address", json_sprintf("0x%llx", pc), "access",
	    "execute", "mapping", mapping);
	snprintf(fault->said, sizeof(fault->said), "%s 0x%llx, %s",
	    called ? "a call of" : "execution of", pc,
	    pc < BELONGS_NULL_PAGES ? "where no code is" : why);
}

bool departure_go_back(struct replay *replay)
{
	const struct resumption one = {"step-instruction", BACKWARD, true, -1, 0};
	cleanup_failure struct failure failure = {0};
	bool found = false;

	for (int i = 0; i < STEPS_MAX && !found; i++) {
		if (!resume_run(replay, &one, &failure) || !position_update(replay, &failure))
			break;
		replay_moves(replay);
		cleanup_mappings struct mappings *mappings = mappings_read(replay);
		found = mappings && belongs_to_code(mappings, replay_now(replay)->pc);
	}
	return found;
}

void departure_tell(struct replay *replay, unsigned long long to, struct fault *fault)
{
	cleanup_mappings struct mappings *mappings = mappings_read(replay);
	struct instruction instruction;
	struct leap leap = {.replay = replay, .mappings = mappings, .instruction = &instruction};

	if (mappings && accessed_instruction(replay, replay_now(replay)->pc, &instruction)) {
		if ((instruction.calls || instruction.jumps || instruction.returns) &&
		    read_target(&leap) && leap.target == to)
			tell(&leap, fault);
		else
			json_object_set_new(
			    fault->json, "instruction", json_string(instruction.text));
	}
}
