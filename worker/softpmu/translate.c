/*
 * Tells apart the instructions that control flow and the stack are made of, the plain ones that
 * become thunks, and the rest, which it must leave to the tracee.
 */
#include "worker/softpmu/translate.h"

#include "worker/softpmu/branch.h"

static const ZydisDecoder *decoder(void)
{
	static ZydisDecoder instance;
	static bool ready;

	if (!ready) {
		ZydisDecoderInit(&instance, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
		ready = true;
	}
	return &instance;
}

static uint8_t number_of(ZydisRegister reg)
{
	return reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15
		   ? (uint8_t)(reg - ZYDIS_REGISTER_RAX)
		   : 0xff;
}

/* Takes in the memory operand; false when its address is not of the usual form. */
static bool take_memory(
    const ZydisDecodedOperand *operand, uint64_t next, unsigned address_width, struct operation *op)
{
	const ZydisDecodedOperandMem *mem = &operand->mem;

	op->base = number_of(mem->base);
	op->index = number_of(mem->index);
	op->scale = mem->scale;
	op->value = mem->disp.has_displacement ? mem->disp.value : 0;
	if (mem->base == ZYDIS_REGISTER_RIP)
		op->value += (int64_t)next;
	else if (mem->base != ZYDIS_REGISTER_NONE && op->base == 0xff)
		return false;
	if (mem->index != ZYDIS_REGISTER_NONE && op->index == 0xff)
		return false;
	if (mem->segment == ZYDIS_REGISTER_FS)
		op->segment = 'f';
	else if (mem->segment == ZYDIS_REGISTER_GS)
		op->segment = 'g';
	op->size = (uint8_t)(operand->size / 8);
	op->reads = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
	op->writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	return address_width == 64 && operand->size % 8 == 0 && operand->size / 8 <= 32;
}

/* The alignment without which the instruction faults; rather too much than too little. */
static uint8_t alignment_of(const ZydisDecodedInstruction *instruction, unsigned size)
{
	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_MOVUPS:
	case ZYDIS_MNEMONIC_MOVUPD:
	case ZYDIS_MNEMONIC_MOVDQU:
	case ZYDIS_MNEMONIC_LDDQU:
		return 1;
	case ZYDIS_MNEMONIC_VMOVAPS:
	case ZYDIS_MNEMONIC_VMOVAPD:
	case ZYDIS_MNEMONIC_VMOVDQA:
	case ZYDIS_MNEMONIC_VMOVNTDQ:
	case ZYDIS_MNEMONIC_VMOVNTDQA:
	case ZYDIS_MNEMONIC_VMOVNTPS:
	case ZYDIS_MNEMONIC_VMOVNTPD:
		return (uint8_t)size;
	default:
		return size >= 16 && instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY ? 16
												: 1;
	}
}

/* The conditional branches; those with a prefix that cuts rcx or the target are not for here. */
static bool is_branch(const ZydisDecodedInstruction *instruction, uint8_t *condition)
{
	bool first = instruction->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
	bool second = instruction->opcode_map == ZYDIS_OPCODE_MAP_0F;

	if (instruction->meta.category != ZYDIS_CATEGORY_COND_BR)
		return false;
	if (first && instruction->opcode >= 0xe0 && instruction->opcode <= 0xe3) {
		*condition = (uint8_t)(BRANCH_LOOPNE + (instruction->opcode - 0xe0));
		return true;
	}
	*condition = instruction->opcode & 0x0f;
	return (first && (instruction->opcode & 0xf0) == 0x70) ||
	       (second && (instruction->opcode & 0xf0) == 0x80);
}

/* Operations that take a memory operand in a certain place, or none. */
static enum operation_kind with_memory(const ZydisDecodedOperand *operand, uint64_t next,
    enum operation_kind kind, struct operation *op)
{
	if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		op->reg = number_of(operand->reg.value);
		return op->reg != 0xff ? kind : OP_END;
	}
	if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->size != 64 ||
	    !take_memory(operand, next, 64, op))
		return OP_END;
	return kind;
}

static enum operation_kind translate_jump(const ZydisDecodedInstruction *instruction,
    const ZydisDecodedOperand *operands, uint64_t next, struct operation *op)
{
	bool call = instruction->mnemonic == ZYDIS_MNEMONIC_CALL;

	if (instruction->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return OP_END;
	if (operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		op->value = (int64_t)next + operands[0].imm.value.s;
		return call ? OP_CALL : OP_JUMP;
	}
	return with_memory(&operands[0], next, call ? OP_CALL_INDIRECT : OP_JUMP_INDIRECT, op);
}

static enum operation_kind translate_push(
    const ZydisDecodedOperand *operands, uint64_t next, struct operation *op)
{
	if (operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		op->value = operands[0].imm.value.s;
		return OP_PUSH_IMMEDIATE;
	}
	return with_memory(&operands[0], next,
	    operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER ? OP_PUSH_REGISTER : OP_PUSH_MEMORY,
	    op);
}

static enum operation_kind translate_lea(const ZydisDecodedOperand *operands, uint64_t next,
    unsigned address_width, struct operation *op)
{
	ZydisRegister full =
	    ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operands[0].reg.value);

	if (!take_memory(&operands[1], next, address_width, op))
		return OP_END;
	op->size = 0;
	op->segment = 0;
	op->reads = op->writes = false;
	op->reg = number_of(full);
	op->width = (uint8_t)(operands[0].size / 8);
	return op->reg != 0xff && op->width >= 4 ? OP_LEA : OP_END;
}

/* movs and stos; the segment of the source of movs can be overridden: not here. */
static enum operation_kind translate_string(const ZydisDecodedInstruction *instruction,
    const ZydisDecodedOperand *operands, struct operation *op)
{
	bool stores = operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER;

	if (instruction->attributes & (ZYDIS_ATTRIB_HAS_SEGMENT | ZYDIS_ATTRIB_HAS_REPNE))
		return OP_END;
	op->repeats = instruction->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE);
	op->width = (uint8_t)(operands[0].size / 8);
	return stores ? OP_STORE_STRING : OP_MOVE_STRING;
}

/* A plain instruction becomes a thunk. */
static enum operation_kind translate_plain(struct thunks *thunks,
    const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operands,
    const uint8_t *bytes, uint64_t next, struct operation *op, bool *full)
{
	for (unsigned i = 0; i < instruction->operand_count; i++) {
		if (operands[i].type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		if (!take_memory(&operands[i], next, instruction->address_width, op) ||
		    op->size == 0)
			return OP_END;
		op->align = alignment_of(instruction, op->size);
		if (instruction->mnemonic == ZYDIS_MNEMONIC_CMPXCHG16B)
			op->align = 16;
	}
	if (instruction->mnemonic == ZYDIS_MNEMONIC_DIV ||
	    instruction->mnemonic == ZYDIS_MNEMONIC_IDIV) {
		op->divides = true;
		op->divides_signed = instruction->mnemonic == ZYDIS_MNEMONIC_IDIV;
		op->width = (uint8_t)(operands[0].size / 8);
		op->reg = operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER
			      ? number_of(ZydisRegisterGetLargestEnclosing(
				    ZYDIS_MACHINE_MODE_LONG_64, operands[0].reg.value))
			      : 0xff;
		if (op->width < 4)
			return OP_END;
	}
	return thunks_make(thunks, instruction, operands, bytes, &op->thunk, full) ? OP_THUNK
										   : OP_END;
}

static enum operation_kind translate_one(struct thunks *thunks,
    const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operands,
    const uint8_t *bytes, uint64_t next, struct operation *op, bool *full)
{
	bool odd = instruction->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE;

	if (instruction->address_width != 64)
		return OP_END;
	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_NOP:
	case ZYDIS_MNEMONIC_ENDBR64:
	case ZYDIS_MNEMONIC_PAUSE:
	case ZYDIS_MNEMONIC_PREFETCHT0:
	case ZYDIS_MNEMONIC_PREFETCHT1:
	case ZYDIS_MNEMONIC_PREFETCHT2:
	case ZYDIS_MNEMONIC_PREFETCHNTA:
	case ZYDIS_MNEMONIC_PREFETCHW:
	case ZYDIS_MNEMONIC_SFENCE:
	case ZYDIS_MNEMONIC_LFENCE:
	case ZYDIS_MNEMONIC_MFENCE:
		return OP_NOTHING;
	case ZYDIS_MNEMONIC_LEA:
		return translate_lea(operands, next, instruction->address_width, op);
	case ZYDIS_MNEMONIC_PUSH:
		return odd ? OP_END : translate_push(operands, next, op);
	case ZYDIS_MNEMONIC_POP:
		return odd || operands[0].type != ZYDIS_OPERAND_TYPE_REGISTER
			   ? OP_END
			   : with_memory(&operands[0], next, OP_POP_REGISTER, op);
	case ZYDIS_MNEMONIC_LEAVE:
		return odd ? OP_END : OP_LEAVE;
	case ZYDIS_MNEMONIC_JMP:
	case ZYDIS_MNEMONIC_CALL:
		return odd ? OP_END : translate_jump(instruction, operands, next, op);
	case ZYDIS_MNEMONIC_RET:
		if (odd || instruction->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
			return OP_END;
		op->value = operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE
				? (int64_t)operands[0].imm.value.u
				: 0;
		return OP_RETURN;
	case ZYDIS_MNEMONIC_VZEROUPPER:
		return OP_ZERO_UPPER;
	case ZYDIS_MNEMONIC_MOVSB:
	case ZYDIS_MNEMONIC_MOVSW:
	case ZYDIS_MNEMONIC_MOVSD:
	case ZYDIS_MNEMONIC_MOVSQ:
	case ZYDIS_MNEMONIC_STOSB:
	case ZYDIS_MNEMONIC_STOSW:
	case ZYDIS_MNEMONIC_STOSD:
	case ZYDIS_MNEMONIC_STOSQ:
		if (instruction->meta.category == ZYDIS_CATEGORY_STRINGOP)
			return translate_string(instruction, operands, op);
		break; /* movsd is also a vector instruction */
	default:
		break;
	}
	if (is_branch(instruction, &op->condition)) {
		op->value = (int64_t)next + operands[0].imm.value.s;
		return odd ? OP_END : OP_BRANCH;
	}
	return translate_plain(thunks, instruction, operands, bytes, next, op, full);
}

static bool ends_block(enum operation_kind kind)
{
	return kind == OP_END || kind == OP_BRANCH || kind == OP_RETURN ||
	       (kind >= OP_JUMP && kind <= OP_CALL_INDIRECT);
}

unsigned translate_block(struct thunks *thunks, uint64_t rip, const uint8_t *code, size_t available,
    struct operation *operation, size_t *length, bool *full)
{
	unsigned count = 0;

	*length = 0;
	*full = false;
	while (count < TRANSLATE_OPERATIONS) {
		struct operation *op = &operation[count++];
		ZydisDecodedInstruction instruction;
		ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

		*op = (struct operation){.base = 0xff, .index = 0xff, .reg = 0xff, .align = 1};
		op->kind = OP_END;
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(
			decoder(), code + *length, available - *length, &instruction, operands)))
			return count;
		op->length = instruction.length;
		op->kind = translate_one(thunks, &instruction, operands, code + *length,
		    rip + *length + instruction.length, op, full);
		if (*full)
			return 0;
		*length += instruction.length;
		if (ends_block(op->kind))
			break;
	}
	return count;
}
