/*
 * Decodes with Zydis. Only what instruction.c names is a copy, or arithmetic.
 */
#include "worker/x86/flow.h"

#include "worker/x86/branch.h"
#include "worker/x86/instruction.h"

#define VECTOR_BYTES 64

const char *flow_register_name(unsigned number)
{
	static const char *const names[FLOW_REGISTERS] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp",
	    "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};

	return number < FLOW_REGISTERS ? names[number] : "";
}

bool flow_is_preserved(const struct piece *piece)
{
	return !piece->vector && ((piece->number >= 3 && piece->number <= 5) ||
				     (piece->number >= 12 && piece->number <= 15));
}

/* The bytes that writing to a register really writes: 32 bits clear the upper half, VEX forms the
 * rest of the vector. */
static bool written_of(const struct decoded *decoded, ZydisRegister reg, struct piece *piece)
{
	if (!instruction_piece(reg, piece))
		return false;
	if (!piece->vector && piece->size == 4)
		piece->size = 8;
	if (piece->vector && instruction_is_vex(decoded))
		piece->size = VECTOR_BYTES;
	return true;
}

static bool overlaps(const struct piece *a, const struct piece *b)
{
	return a->vector == b->vector && a->number == b->number &&
	       a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

static bool is_within(const struct piece *inner, const struct piece *outer)
{
	return inner->offset >= outer->offset &&
	       inner->offset + inner->size <= outer->offset + outer->size;
}

/* Copies the wanted bytes, counted from the destination's first, from an operand. */
static void copy_from(const struct decoded *decoded, const ZydisDecodedOperand *source,
    unsigned offset, unsigned size, struct flow *flow)
{
	const unsigned in_source = source->size / 8u, most = instruction_most_moved(decoded);
	const unsigned available = in_source < most ? in_source : most;
	bool fills = offset + size > available;

	flow->offset = offset;
	flow->is_signed = instruction_extends_sign(decoded);
	flow->size = fills && offset < available ? available - offset : size;
	if (source->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		uint64_t value =
		    source->imm.is_signed ? (uint64_t)source->imm.value.s : source->imm.value.u;
		flow->kind = FLOW_CONSTANT;
		flow->size = size;
		for (unsigned i = 0; i < size; i++)
			flow->bytes[i] =
			    offset + i < 8 ? (uint8_t)(value >> (8 * (offset + i))) : 0;
	} else if (offset >= available) {
		/* Above the source: zeros, or a sign, which is no copy. */
		flow->kind = flow->is_signed ? FLOW_OTHER : FLOW_CONSTANT;
		flow->size = size;
	} else if (source->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		flow->kind = FLOW_MEMORY;
	} else if (source->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		   instruction_piece(source->reg.value, &flow->piece)) {
		flow->kind = FLOW_REGISTER;
		flow->piece.offset += offset;
		flow->piece.size = flow->size;
	} else {
		flow->kind = FLOW_OTHER;
	}
}

/* lea with nothing but a base copies it. */
static void address_flow(
    const struct decoded *decoded, unsigned offset, unsigned size, struct flow *flow)
{
	const ZydisDecodedOperandMem *memory = &decoded->operands[1].mem;
	bool bare = memory->index == ZYDIS_REGISTER_NONE &&
		    (!memory->disp.has_displacement || memory->disp.value == 0) &&
		    instruction_piece(memory->base, &flow->piece) && flow->piece.size == 8 &&
		    decoded->operands[0].size == 64;

	flow->kind = bare ? FLOW_REGISTER : FLOW_ADDRESS;
	flow->size = size;
	flow->piece.offset = offset;
	flow->piece.size = size;
}

/* Two halves of 8 bytes from two operands. */
static bool halves_flow(
    const struct decoded *decoded, unsigned offset, unsigned size, struct flow *flow)
{
	const ZydisDecodedOperand *low = &decoded->operands[0], *high = &decoded->operands[1];
	bool upper = offset >= 8;

	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_VPUNPCKLQDQ:
	case ZYDIS_MNEMONIC_VMOVLHPS:
	case ZYDIS_MNEMONIC_VMOVHPS:
	case ZYDIS_MNEMONIC_VMOVHPD:
		if (decoded->instruction.operand_count_visible != 3 || low->size != 128)
			return false;
		low = &decoded->operands[1];
		high = &decoded->operands[2];
		break;
	case ZYDIS_MNEMONIC_PUNPCKLQDQ:
	case ZYDIS_MNEMONIC_MOVLHPS:
	case ZYDIS_MNEMONIC_MOVHPS:
	case ZYDIS_MNEMONIC_MOVHPD:
		if (low->type == ZYDIS_OPERAND_TYPE_REGISTER)
			break;
		return false;
	default:
		return false;
	}
	if (offset + size > 16 || (!upper && offset + size > 8))
		flow->kind = FLOW_PART;
	else if (!upper && !instruction_is_vex(decoded))
		flow->kind = FLOW_NONE;
	else
		copy_from(decoded, upper ? high : low, upper ? offset - 8 : offset, size, flow);
	return true;
}

static enum flow_kind other_kind(const struct decoded *decoded)
{
	return instruction_is_arithmetic(decoded) ? FLOW_COMPUTED : FLOW_OTHER;
}

/* What goes into the explicit first operand, from its byte `offset` on. */
static void first_flow(
    const struct decoded *decoded, unsigned offset, unsigned size, struct flow *flow)
{
	flow->kind = other_kind(decoded);
	flow->size = size;
	if (halves_flow(decoded, offset, size, flow))
		return;
	if (instruction_is_zero(decoded)) {
		flow->kind = FLOW_CONSTANT;
	} else if (decoded->instruction.mnemonic == ZYDIS_MNEMONIC_LEA) {
		address_flow(decoded, offset, size, flow);
	} else if (instruction_is_move(decoded)) {
		copy_from(decoded, instruction_moved(decoded), offset, size, flow);
	} else if (instruction_is_cmov(decoded)) {
		copy_from(decoded, &decoded->operands[1], offset, size, flow);
		flow->from_memory = flow->kind == FLOW_MEMORY;
		/* 32 bits clear the upper half even if they are not moved. */
		flow->kind = flow->size == size && decoded->operands[0].size >= 32 &&
				     offset + size <= decoded->operands[0].size / 8u
				 ? FLOW_MAYBE
				 : FLOW_OTHER;
		flow->condition = decoded->instruction.opcode & 0xf;
	}
}

static const ZydisDecodedOperand *operand_that(
    const struct decoded *decoded, ZydisOperandType type, bool writes)
{
	for (size_t i = 0; i < decoded->instruction.operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];
		bool does = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;

		if (operand->type == type && does == writes)
			return operand;
	}
	return NULL;
}

/* Writes of instructions that have the source or the destination in an operand of their own kind.
 */
static bool special_flow(const struct decoded *decoded, const ZydisDecodedOperand *to,
    unsigned offset, unsigned size, struct flow *flow)
{
	const ZydisDecodedOperand *operands = decoded->operands, *from = NULL;

	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_POP:
		if (to->type == ZYDIS_OPERAND_TYPE_REGISTER && to != &operands[0])
			return false; /* rsp */
		from = decoded->instruction.mnemonic == ZYDIS_MNEMONIC_PUSH
			   ? &operands[0]
			   : operand_that(decoded, ZYDIS_OPERAND_TYPE_MEMORY, false);
		break;
	case ZYDIS_MNEMONIC_CWDE:
	case ZYDIS_MNEMONIC_CDQE:
		from = operand_that(decoded, ZYDIS_OPERAND_TYPE_REGISTER, false);
		break;
	case ZYDIS_MNEMONIC_XCHG:
		from = to == &operands[0] ? &operands[1] : &operands[0];
		break;
	case ZYDIS_MNEMONIC_MOVSB:
	case ZYDIS_MNEMONIC_MOVSW:
	case ZYDIS_MNEMONIC_MOVSD:
	case ZYDIS_MNEMONIC_MOVSQ:
	case ZYDIS_MNEMONIC_LODSB:
	case ZYDIS_MNEMONIC_LODSW:
	case ZYDIS_MNEMONIC_LODSD:
	case ZYDIS_MNEMONIC_LODSQ:
		if (decoded->instruction.meta.category == ZYDIS_CATEGORY_STRINGOP &&
		    to == &operands[0])
			from = &operands[1];
		break;
	case ZYDIS_MNEMONIC_STOSB:
	case ZYDIS_MNEMONIC_STOSW:
	case ZYDIS_MNEMONIC_STOSD:
	case ZYDIS_MNEMONIC_STOSQ:
		if (to == &operands[0])
			from = &operands[1];
		break;
	default:
		break;
	}
	if (from)
		copy_from(decoded, from, offset, size, flow);
	return from != NULL;
}

bool flow_of_register(
    const uint8_t *code, size_t length, const struct piece *wanted, struct flow *flow)
{
	const ZydisDecodedOperand *to = NULL;
	struct decoded decoded;
	struct piece written;

	*flow = (struct flow){.kind = FLOW_NONE, .size = wanted->size};
	if (wanted->size > sizeof(flow->bytes) || !instruction_decode(code, length, &decoded))
		return false;
	if (wanted->vector && (instruction_writes_all_vectors(&decoded) ||
				  (decoded.instruction.mnemonic == ZYDIS_MNEMONIC_VZEROUPPER &&
				      wanted->offset + wanted->size > 16)))
		flow->kind = FLOW_OTHER;
	/* The kernel writes the result, which is no operand of the instruction. */
	if (decoded.instruction.mnemonic == ZYDIS_MNEMONIC_SYSCALL && !wanted->vector &&
	    wanted->number == 0)
		flow->kind = FLOW_KERNEL;
	for (size_t i = 0; i < decoded.instruction.operand_count && !to; i++)
		if (decoded.operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    (decoded.operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
		    written_of(&decoded, decoded.operands[i].reg.value, &written) &&
		    overlaps(&written, wanted))
			to = &decoded.operands[i];
	if (!to)
		return true;
	if (decoded.instruction.mnemonic == ZYDIS_MNEMONIC_SYSCALL)
		flow->kind = FLOW_KERNEL;
	else if (instruction_asks_machine(&decoded))
		flow->kind = FLOW_MACHINE;
	else if (!is_within(wanted, &written))
		flow->kind = FLOW_PART;
	else if (special_flow(&decoded, to, wanted->offset - written.offset, wanted->size, flow))
		return true;
	else if (to == &decoded.operands[0])
		first_flow(&decoded, wanted->offset - written.offset, wanted->size, flow);
	else
		flow->kind = other_kind(&decoded);
	return true;
}

bool flow_of_memory(
    const uint8_t *code, size_t length, unsigned offset, unsigned size, struct flow *flow)
{
	const ZydisDecodedOperand *to;
	struct decoded decoded;

	*flow = (struct flow){.kind = FLOW_OTHER, .size = size};
	if (size > sizeof(flow->bytes) || !instruction_decode(code, length, &decoded))
		return false;
	to = operand_that(&decoded, ZYDIS_OPERAND_TYPE_MEMORY, true);
	if (!to)
		flow->kind = FLOW_NONE;
	else if (decoded.instruction.meta.category == ZYDIS_CATEGORY_CALL)
		flow->kind = FLOW_CALL;
	else if (offset + size > to->size / 8u)
		flow->kind = FLOW_PART;
	else if (!special_flow(&decoded, to, offset, size, flow) && to == &decoded.operands[0] &&
		 instruction_is_move(&decoded))
		copy_from(&decoded, instruction_moved(&decoded), offset, size, flow);
	else if (decoded.instruction.mnemonic == ZYDIS_MNEMONIC_MOVHPS ||
		 decoded.instruction.mnemonic == ZYDIS_MNEMONIC_MOVHPD ||
		 decoded.instruction.mnemonic == ZYDIS_MNEMONIC_VMOVHPS ||
		 decoded.instruction.mnemonic == ZYDIS_MNEMONIC_VMOVHPD)
		copy_from(&decoded, &decoded.operands[1], offset + 8, size, flow);
	else if (flow->kind == FLOW_OTHER)
		flow->kind = other_kind(&decoded);
	return true;
}

bool flow_of_selected(const uint8_t *code, size_t length, unsigned offset, struct flow *flow)
{
	const ZydisDecodedOperand *to;
	struct decoded decoded;

	if (!instruction_decode(code, length, &decoded))
		return false;
	to = &decoded.operands[0];
	if (!instruction_is_masked_move(&decoded) || to->type != ZYDIS_OPERAND_TYPE_MEMORY ||
	    offset >= to->size / 8u)
		return flow_of_memory(code, length, offset, 1, flow);
	*flow = (struct flow){.size = 1};
	copy_from(&decoded, instruction_moved(&decoded), offset, 1, flow);
	return true;
}

bool flow_condition_holds(unsigned condition, uint64_t eflags)
{
	return branch_is_taken((enum branch_condition)(condition & 0xf), eflags, 0, 64);
}

bool flow_jumps(const uint8_t *code, size_t length)
{
	struct decoded decoded;

	if (!instruction_decode(code, length, &decoded))
		return true;
	switch (decoded.instruction.meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_RET:
		return true;
	default:
		return decoded.instruction.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE;
	}
}
