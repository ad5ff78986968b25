/*
 * Follows what general registers and words of the function's own frame hold, in a straight line
 * from its first instruction to the call: an argument, a constant, or something else. Calls on the
 * way are passed over. LIMIT: a jump backward, or one without a condition, is the end of it.
 */
#include "worker/x86/forwards.h"

#include "worker/x86/decoder.h"

enum {
	REGISTERS = 16,
	RAX = 0,
	RSP = 4,
	RBP = 5,
	SLOTS_MAX = 24,
	WORD = 8,
	ARGUMENTS = 6,
	OTHER = 0, /* of `held`; from FIRST on the arguments */
	CONSTANT = 1,
	FIRST = 2,
};

struct walk {
	uint8_t held[REGISTERS];
	int64_t rsp, rbp; /* from what rsp was at the entry */
	bool has_rbp;	  /* it points into the frame */
	struct {
		int64_t at;
		uint8_t held;
	} slots[SLOTS_MAX];
	unsigned slot_count;
	bool lost; /* what follows is not known */
};

static const uint8_t arguments[ARGUMENTS] = {7, 6, 2, 1, 8, 9}; /* rdi, rsi, rdx, rcx, r8, r9 */

static void begin(struct walk *walk)
{
	*walk = (struct walk){0};
	for (unsigned i = 0; i < ARGUMENTS; i++)
		walk->held[arguments[i]] = (uint8_t)(FIRST + i);
}

/* The number of a general register of at least 32 bits; REGISTERS: it is another one. */
static unsigned number_of(const ZydisDecodedOperand *operand)
{
	ZydisRegisterClass class = ZydisRegisterGetClass(operand->reg.value);

	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		       (class == ZYDIS_REGCLASS_GPR64 || class == ZYDIS_REGCLASS_GPR32)
		   ? (unsigned)ZydisRegisterGetId(operand->reg.value)
		   : REGISTERS;
}

/* Whether it is a word of the frame, and which. */
static bool slot_of(const struct walk *walk, const ZydisDecodedOperand *operand, int64_t *at)
{
	const ZydisDecodedOperandMem *memory = &operand->mem;

	if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || memory->index != ZYDIS_REGISTER_NONE ||
	    operand->size < 32)
		return false;
	if (memory->base == ZYDIS_REGISTER_RSP)
		*at = walk->rsp + memory->disp.value;
	else if (memory->base == ZYDIS_REGISTER_RBP && walk->has_rbp)
		*at = walk->rbp + memory->disp.value;
	else
		return false;
	return true;
}

static uint8_t read_slot(const struct walk *walk, int64_t at)
{
	for (unsigned i = 0; i < walk->slot_count; i++)
		if (walk->slots[i].at == at)
			return walk->slots[i].held;
	return OTHER;
}

static void write_slot(struct walk *walk, int64_t at, uint8_t held)
{
	unsigned i = 0;

	while (i < walk->slot_count && walk->slots[i].at != at)
		i++;
	if (i == SLOTS_MAX) {
		walk->lost = true;
		return;
	}
	walk->slots[i].at = at;
	walk->slots[i].held = held;
	walk->slot_count += i == walk->slot_count;
}

static uint8_t value_of(const struct walk *walk, const ZydisDecodedOperand *operand)
{
	unsigned number = number_of(operand);
	int64_t at;

	if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return CONSTANT;
	if (number < REGISTERS)
		return walk->held[number];
	return slot_of(walk, operand, &at) ? read_slot(walk, at) : OTHER;
}

static void set(struct walk *walk, const ZydisDecodedOperand *operand, uint8_t held)
{
	unsigned number = number_of(operand);
	int64_t at;

	if (number < REGISTERS)
		walk->held[number] = held;
	else if (slot_of(walk, operand, &at))
		write_slot(walk, at, held);
	if (number == RBP)
		walk->has_rbp = false;
	if (number == RSP)
		walk->lost = true;
}

static void move(struct walk *walk, const ZydisDecodedOperand *operands)
{
	bool frame = number_of(&operands[0]) == RBP && number_of(&operands[1]) == RSP;

	set(walk, &operands[0], value_of(walk, &operands[1]));
	if (frame) {
		walk->has_rbp = true;
		walk->rbp = walk->rsp;
	}
}

static void push(struct walk *walk, const ZydisDecodedOperand *operand)
{
	walk->rsp -= WORD;
	write_slot(walk, walk->rsp, value_of(walk, operand));
}

static void pop(struct walk *walk, const ZydisDecodedOperand *operand)
{
	uint8_t held = read_slot(walk, walk->rsp);

	walk->rsp += WORD;
	set(walk, operand, held);
}

/* add or sub of a constant to the stack pointer; and of others. */
static void add(struct walk *walk, const ZydisDecodedOperand *operands, bool negative)
{
	int64_t by = operands[1].imm.value.s;

	if (number_of(&operands[0]) == RSP && operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		walk->rsp += negative ? -by : by;
	else
		set(walk, &operands[0], OTHER);
}

static void forget_written(
    struct walk *walk, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands)
{
	for (unsigned i = 0; i < z->operand_count; i++) {
		if (!(operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    ZydisRegisterGetClass(operands[i].reg.value) == ZYDIS_REGCLASS_GPR8)
			walk->held[ZydisRegisterGetId(ZydisRegisterGetLargestEnclosing(
			    ZYDIS_MACHINE_MODE_LONG_64, operands[i].reg.value))] = OTHER;
		else
			set(walk, &operands[i], OTHER);
	}
}

/* What a function that is called on the way may change. */
static void forget_call(struct walk *walk)
{
	static const uint8_t changed[] = {RAX, 1, 2, 6, 7, 8, 9, 10, 11};

	for (unsigned i = 0; i < sizeof(changed); i++)
		walk->held[changed[i]] = OTHER;
}

static void branch(struct walk *walk, const ZydisDecodedInstruction *z,
    const ZydisDecodedOperand *operands, uint64_t at)
{
	uint64_t target;

	walk->lost |= z->meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
		      !ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(z, &operands[0], at, &target)) ||
		      target <= at;
}

static void follow(struct walk *walk, const ZydisDecodedInstruction *z,
    const ZydisDecodedOperand *operands, uint64_t at)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVSXD:
		move(walk, operands);
		return;
	case ZYDIS_MNEMONIC_CDQE: /* makes an int in rax wider */
		return;
	case ZYDIS_MNEMONIC_XOR:
		set(walk, &operands[0],
		    number_of(&operands[0]) == number_of(&operands[1]) ? CONSTANT : OTHER);
		return;
	case ZYDIS_MNEMONIC_PUSH:
		push(walk, &operands[0]);
		return;
	case ZYDIS_MNEMONIC_POP:
		pop(walk, &operands[0]);
		return;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		add(walk, operands, z->mnemonic == ZYDIS_MNEMONIC_SUB);
		return;
	default:
		break;
	}
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_CALL:
		forget_call(walk);
		return;
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
		branch(walk, z, operands, at);
		return;
	case ZYDIS_CATEGORY_RET:
		walk->lost = true;
		return;
	default:
		forget_written(walk, z, operands);
		return;
	}
}

unsigned forwards_arguments(
    const uint8_t *code, size_t length, uint64_t entry, uint64_t call, unsigned wanted)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;
	struct walk walk;
	size_t at = 0;
	unsigned handed = 0;

	if (call < entry || call - entry >= length || call - entry > FORWARDS_BYTES_MAX)
		return 0;
	for (begin(&walk); entry + at < call && !walk.lost; at += z.length) {
		if (!ZYAN_SUCCESS(
			ZydisDecoderDecodeFull(decoder(), code + at, length - at, &z, operands)))
			return 0;
		follow(&walk, &z, operands, entry + at);
	}
	if (walk.lost || entry + at != call)
		return 0;
	for (unsigned i = 0; i < ARGUMENTS; i++) {
		uint8_t held = walk.held[arguments[i]];

		if (!(wanted & 1u << i))
			continue;
		if (held == OTHER)
			return 0;
		if (held >= FIRST)
			handed |= 1u << (held - FIRST);
	}
	return handed;
}
