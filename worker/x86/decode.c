/*
 * Finds block ends, with Zydis. An instruction that we do not fully understand ends the block as
 * END_STEP, so that the hardware decides. Must never guess a successor.
 */
#include "worker/x86/decode.h"
#include "worker/x86/decoder.h"
#include "worker/x86/x87.h"

#include <Zydis/Zydis.h>

enum { WINDOW_BYTES = 256 };

/* Code bytes read ahead, so that a block costs one or two reads and not one an instruction. */
struct window {
	code_reader reader;
	void *context;
	uint64_t base;
	size_t length;
	uint8_t bytes[WINDOW_BYTES];
	bool cut_writes;
};

static const uint8_t *window_at(struct window *window, uint64_t address, size_t *available)
{
	bool inside = address >= window->base && address - window->base < window->length;

	if (!inside || window->length - (address - window->base) < DECODE_INSTRUCTION_MAX) {
		window->base = address;
		window->length =
		    window->reader(window->context, address, window->bytes, WINDOW_BYTES);
	}
	*available = window->length - (address - window->base);
	return window->bytes + (address - window->base);
}

static bool condition_of(ZydisMnemonic mnemonic, enum branch_condition *condition)
{
	static const struct {
		ZydisMnemonic mnemonic;
		enum branch_condition condition;
	} rows[] = {
	    {ZYDIS_MNEMONIC_JO, BRANCH_O},
	    {ZYDIS_MNEMONIC_JNO, BRANCH_NO},
	    {ZYDIS_MNEMONIC_JB, BRANCH_B},
	    {ZYDIS_MNEMONIC_JNB, BRANCH_NB},
	    {ZYDIS_MNEMONIC_JZ, BRANCH_Z},
	    {ZYDIS_MNEMONIC_JNZ, BRANCH_NZ},
	    {ZYDIS_MNEMONIC_JBE, BRANCH_BE},
	    {ZYDIS_MNEMONIC_JNBE, BRANCH_NBE},
	    {ZYDIS_MNEMONIC_JS, BRANCH_S},
	    {ZYDIS_MNEMONIC_JNS, BRANCH_NS},
	    {ZYDIS_MNEMONIC_JP, BRANCH_P},
	    {ZYDIS_MNEMONIC_JNP, BRANCH_NP},
	    {ZYDIS_MNEMONIC_JL, BRANCH_L},
	    {ZYDIS_MNEMONIC_JNL, BRANCH_NL},
	    {ZYDIS_MNEMONIC_JLE, BRANCH_LE},
	    {ZYDIS_MNEMONIC_JNLE, BRANCH_NLE},
	    {ZYDIS_MNEMONIC_LOOPNE, BRANCH_LOOPNE},
	    {ZYDIS_MNEMONIC_LOOPE, BRANCH_LOOPE},
	    {ZYDIS_MNEMONIC_LOOP, BRANCH_LOOP},
	    {ZYDIS_MNEMONIC_JECXZ, BRANCH_CXZ},
	    {ZYDIS_MNEMONIC_JRCXZ, BRANCH_CXZ},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (rows[i].mnemonic == mnemonic) {
			*condition = rows[i].condition;
			return true;
		}
	}
	return false;
}

/* Instructions that the hardware must step, or that stop by themselves. */
static bool special_end(ZydisMnemonic mnemonic, enum block_end *kind)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_SYSCALL:
		*kind = END_SYSCALL;
		return true;
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_INT1:
		*kind = END_TRAP;
		return true;
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_INTO:
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_SYSEXIT:
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_POPF: /* it may set the trap flag, see trapflag.h */
	case ZYDIS_MNEMONIC_POPFD:
	case ZYDIS_MNEMONIC_POPFQ:
	case ZYDIS_MNEMONIC_UIRET:
	case ZYDIS_MNEMONIC_XBEGIN:
	case ZYDIS_MNEMONIC_XABORT:
	case ZYDIS_MNEMONIC_XEND:
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_RDTSC: /* see timestamp.h */
	case ZYDIS_MNEMONIC_RDTSCP:
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
		*kind = END_STEP;
		return true;
	default:
		*kind = END_STEP;
		return x87_stores_address(mnemonic); /* see x87address.h */
	}
}

static uint8_t register_number(ZydisRegister reg)
{
	if (reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15)
		return (uint8_t)(reg - ZYDIS_REGISTER_RAX);
	return REGISTER_NONE;
}

static bool describe_memory(const ZydisDecodedOperand *operand, uint64_t next, struct indirect *out)
{
	out->source = INDIRECT_MEMORY;
	out->displacement = operand->mem.disp.has_displacement ? operand->mem.disp.value : 0;
	out->scale = operand->mem.scale;
	out->base = register_number(operand->mem.base);
	out->index = register_number(operand->mem.index);
	if (operand->mem.base == ZYDIS_REGISTER_RIP)
		out->displacement += (int64_t)next;
	else if (operand->mem.base != ZYDIS_REGISTER_NONE && out->base == REGISTER_NONE)
		return false;
	if (operand->mem.index != ZYDIS_REGISTER_NONE && out->index == REGISTER_NONE)
		return false;
	if (operand->mem.segment == ZYDIS_REGISTER_FS)
		out->segment = 'f';
	else if (operand->mem.segment == ZYDIS_REGISTER_GS)
		out->segment = 'g';
	return true;
}

/* A 66 prefix, where REX.W does not make it void. */
static bool has_short_operand(const ZydisDecodedInstruction *instruction)
{
	return (instruction->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) && !instruction->raw.rex.W;
}

/* False if the hardware must do it: far, 16-bit, or an address form that this does not cover. */
static bool describe_indirect(const ZydisDecodedInstruction *instruction,
    const ZydisDecoderContext *context, uint64_t next, struct indirect *out)
{
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];

	*out = (struct indirect){.base = REGISTER_NONE, .index = REGISTER_NONE};
	if (has_short_operand(instruction))
		return false;
	if (instruction->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return false;
	if (instruction->mnemonic == ZYDIS_MNEMONIC_RET) {
		out->source = INDIRECT_RETURN;
		return true;
	}
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeOperands(
		decoder(), context, instruction, operand, ZYDIS_MAX_OPERAND_COUNT)))
		return false;
	if (operand[0].type == ZYDIS_OPERAND_TYPE_REGISTER) {
		out->source = INDIRECT_REGISTER;
		out->base = register_number(operand[0].reg.value);
		return out->base != REGISTER_NONE;
	}
	return operand[0].type == ZYDIS_OPERAND_TYPE_MEMORY && operand[0].size == 64 &&
	       instruction->address_width == 64 && describe_memory(&operand[0], next, out);
}

static bool has_relative_target(const ZydisDecodedInstruction *instruction)
{
	return instruction->raw.imm[0].size != 0 && instruction->raw.imm[0].is_relative;
}

/* Memory other than the stack's top, which call and push write and which holds no code. */
static bool writes_memory(
    const ZydisDecodedInstruction *instruction, const ZydisDecoderContext *context)
{
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];

	if (instruction->meta.category == ZYDIS_CATEGORY_CALL ||
	    instruction->meta.category == ZYDIS_CATEGORY_PUSH)
		return false;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeOperands(
		decoder(), context, instruction, operand, instruction->operand_count)))
		return true;
	for (unsigned i = 0; i < instruction->operand_count; i++) {
		if (operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    (operand[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			return true;
	}
	return false;
}

/*
 * Decodes one instruction. True if execution surely continues at *next; false if the block ends
 * here, with *ending filled. *cuts: the block must end after this instruction.
 */
static bool decode_one(
    struct window *window, uint64_t address, struct ending *ending, uint64_t *next, bool *cuts)
{
	ZydisDecodedInstruction instruction;
	ZydisDecoderContext context;
	size_t available;
	const uint8_t *bytes = window_at(window, address, &available);

	*ending = (struct ending){.kind = END_STEP};
	if (available == 0 || !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
				  decoder(), &context, bytes, available, &instruction)))
		return false;
	ending->length = instruction.length;
	ending->address_bits = instruction.address_width;
	*next = address + instruction.length;
	if (instruction.meta.category == ZYDIS_CATEGORY_COND_BR &&
	    condition_of(instruction.mnemonic, &ending->condition)) {
		ending->counts = true;
		ending->target = *next + (uint64_t)instruction.raw.imm[0].value.s;
		/* With a 66 prefix AMD cuts the target to 16 bits and Intel does not. */
		if (!(instruction.attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE))
			ending->kind = END_CONDITIONAL;
		return false;
	}
	if (special_end(instruction.mnemonic, &ending->kind))
		return false;
	if (instruction.mnemonic == ZYDIS_MNEMONIC_MOV && instruction.opcode == 0x8e)
		return false; /* to a segment register: mov ss holds off breakpoints and traps */
	switch (instruction.mnemonic) {
	case ZYDIS_MNEMONIC_JMP:
	case ZYDIS_MNEMONIC_CALL:
		if (has_relative_target(&instruction)) {
			*next += (uint64_t)instruction.raw.imm[0].value.s;
			return !has_short_operand(&instruction);
		}
		/* fallthrough */
	case ZYDIS_MNEMONIC_RET:
		if (describe_indirect(&instruction, &context, *next, &ending->indirect))
			ending->kind = END_INDIRECT;
		return false;
	default:
		*cuts = window->cut_writes && writes_memory(&instruction, &context);
		return true;
	}
}

/* Grows the last segment to end, or opens a new one at start. False when the table is full. */
static bool extend(struct block *block, uint64_t start, uint64_t end)
{
	struct segment *last = &block->segment[block->segments - 1];

	if (block->segments > 0 && last->end == start) {
		last->end = end;
		return true;
	}
	if (block->segments == sizeof block->segment / sizeof block->segment[0])
		return false;
	block->segment[block->segments++] = (struct segment){start, end};
	return true;
}

static void decode(struct window *window, uint64_t start, unsigned limit, struct block *block)
{
	uint64_t address = start, next = start;

	block->start = start;
	block->segments = 0;
	for (unsigned count = 0;; count++) {
		bool cuts = false,
		     goes_on = decode_one(window, address, &block->ending, &next, &cuts);
		unsigned length = block->ending.length ? block->ending.length : 1;

		if (!extend(block, address, address + length) ||
		    (goes_on && (count + 1 >= limit || block->segments > DECODE_BLOCK_SEGMENTS))) {
			block->ending.kind = END_CUT;
			break;
		}
		if (!goes_on)
			break;
		address = next;
		if (cuts) {
			extend(block, address, address + 1);
			block->ending = (struct ending){.kind = END_CUT};
			break;
		}
	}
	block->end = address;
}

void decode_block(
    code_reader reader, void *context, uint64_t start, bool cut_writes, struct block *block)
{
	struct window window = {.reader = reader, .context = context, .cut_writes = cut_writes};

	decode(&window, start, DECODE_BLOCK_INSTRUCTIONS, block);
}

void decode_instruction(code_reader reader, void *context, uint64_t address, struct block *block)
{
	struct window window = {.reader = reader, .context = context};

	decode(&window, address, 1, block);
}

uint64_t decode_register(const struct user_regs_struct *regs, unsigned number)
{
	const unsigned long long value[16] = {regs->rax, regs->rcx, regs->rdx, regs->rbx, regs->rsp,
	    regs->rbp, regs->rsi, regs->rdi, regs->r8, regs->r9, regs->r10, regs->r11, regs->r12,
	    regs->r13, regs->r14, regs->r15};

	return number < 16 ? value[number] : 0;
}

bool decode_same_registers(const struct user_regs_struct *one, const struct user_regs_struct *other)
{
	for (unsigned i = 0; i < 16; i++)
		if (decode_register(one, i) != decode_register(other, i))
			return false;
	return one->rip == other->rip;
}

uint64_t decode_indirect_slot(const struct indirect *indirect, const struct user_regs_struct *regs)
{
	uint64_t slot = (uint64_t)indirect->displacement;

	if (indirect->source == INDIRECT_RETURN)
		return regs->rsp;
	slot += decode_register(regs, indirect->base);
	slot += decode_register(regs, indirect->index) * indirect->scale;
	if (indirect->segment == 'f')
		slot += regs->fs_base;
	else if (indirect->segment == 'g')
		slot += regs->gs_base;
	return slot;
}
