/*
 * Decodes with Zydis. Includes operands that Zydis calls hidden or implicit, because rep movs, push
 * and call access memory through them.
 */
#include "worker/session/operand.h"

#include <stdio.h>
#include <string.h>
#include <Zydis/Zydis.h>

/* Old loads and stores fault if the address is not a multiple of their size. The VEX forms do so
 * only if their name says aligned. */
static bool must_align(const ZydisDecodedInstruction *instruction)
{
	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_MOVAPS:
	case ZYDIS_MNEMONIC_MOVAPD:
	case ZYDIS_MNEMONIC_MOVDQA:
	case ZYDIS_MNEMONIC_MOVNTDQ:
	case ZYDIS_MNEMONIC_MOVNTDQA:
	case ZYDIS_MNEMONIC_MOVNTPS:
	case ZYDIS_MNEMONIC_MOVNTPD:
	case ZYDIS_MNEMONIC_VMOVAPS:
	case ZYDIS_MNEMONIC_VMOVAPD:
	case ZYDIS_MNEMONIC_VMOVDQA:
	case ZYDIS_MNEMONIC_VMOVDQA32:
	case ZYDIS_MNEMONIC_VMOVDQA64:
	case ZYDIS_MNEMONIC_VMOVNTDQ:
	case ZYDIS_MNEMONIC_VMOVNTPS:
	case ZYDIS_MNEMONIC_VMOVNTPD:
	case ZYDIS_MNEMONIC_CMPXCHG16B:
		return true;
	case ZYDIS_MNEMONIC_MOVUPS:
	case ZYDIS_MNEMONIC_MOVUPD:
	case ZYDIS_MNEMONIC_MOVDQU:
	case ZYDIS_MNEMONIC_LDDQU:
		return false;
	default:
		/* Arithmetic of SSE on whole registers: paddd (%rax),%xmm0. */
		return instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
		       (instruction->meta.isa_set == ZYDIS_ISA_SET_SSE ||
			   instruction->meta.isa_set == ZYDIS_ISA_SET_SSE2);
	}
}

static void name_register(char name[OPERAND_REGISTER_MAX], ZydisRegister reg)
{
	const char *text = reg == ZYDIS_REGISTER_NONE ? "" : ZydisRegisterGetString(reg);

	snprintf(name, OPERAND_REGISTER_MAX, "%s", text ? text : "");
}

static bool is_relative(ZydisRegister reg)
{
	return reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP;
}

static void name_segment(struct memory_operand *operand, ZydisRegister segment)
{
	if (segment == ZYDIS_REGISTER_FS || segment == ZYDIS_REGISTER_GS)
		snprintf(operand->segment, sizeof(operand->segment), "%s_base",
		    ZydisRegisterGetString(segment));
}

/* A gather's index: each lane is a separate address. */
static void note_lanes(
    struct memory_operand *operand, const ZydisDecodedInstruction *instruction, ZydisRegister index)
{
	const char *mnemonic = ZydisMnemonicGetString(instruction->mnemonic);
	ZyanU16 bits = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, index);

	/* vpgatherdq, vgatherqps: the letter after gather or scatter is the size of the index. */
	mnemonic = mnemonic ? strstr(mnemonic, "er") : NULL;
	operand->lane_bits = mnemonic && mnemonic[2] == 'q' ? 64 : 32;
	operand->lanes = bits / operand->lane_bits;
}

static void write_text(struct memory_operand *operand, const ZydisDecodedOperandMem *memory)
{
	char segment[8] = "", displacement[24] = "", index[24] = "", base[16] = "";
	int64_t value = memory->disp.has_displacement ? memory->disp.value : 0;
	bool absolute = !operand->index[0] && memory->base == ZYDIS_REGISTER_NONE;

	if (operand->segment[0])
		snprintf(segment, sizeof(segment), "%%%.2s:", operand->segment);
	if (value || absolute)
		snprintf(displacement, sizeof(displacement), "%s0x%llx", value < 0 ? "-" : "",
		    value < 0 ? -(unsigned long long)value : (unsigned long long)value);
	if (operand->index[0])
		snprintf(index, sizeof(index), ",%%%.7s,%u", operand->index, operand->scale);
	if (memory->base != ZYDIS_REGISTER_NONE)
		snprintf(base, sizeof(base), "%%%s", ZydisRegisterGetString(memory->base));
	snprintf(operand->text, sizeof(operand->text), absolute ? "%s%s" : "%s%s(%s%s)", segment,
	    displacement, base, index);
}

/* The stack pointer moves before push, call and enter write, and before pop knows where its operand
 * is. */
static int64_t stack_correction(
    const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *from, unsigned size)
{
	bool hidden = from->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;

	if (from->mem.base != ZYDIS_REGISTER_RSP && from->mem.base != ZYDIS_REGISTER_ESP)
		return 0;
	if (hidden && (from->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
		return -(int64_t)size;
	return !hidden && instruction->mnemonic == ZYDIS_MNEMONIC_POP ? (int64_t)size : 0;
}

static void note_bits(struct memory_operand *operand, const ZydisDecodedInstruction *instruction,
    const ZydisDecodedOperand *operands)
{
	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTS:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTC:
		if (operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER)
			name_register(operand->bit_number, operands[1].reg.value);
		break;
	case ZYDIS_MNEMONIC_XLAT:
		operand->plus_al = true;
		operand->size = 1;
		break;
	default:
		break;
	}
}

/* vpgather and vpmaskmov of AVX2 have their mask as a vector. */
static ZydisRegister vector_mask(
    const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operands)
{
	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_VMASKMOVPS:
	case ZYDIS_MNEMONIC_VMASKMOVPD:
	case ZYDIS_MNEMONIC_VPMASKMOVD:
	case ZYDIS_MNEMONIC_VPMASKMOVQ:
	case ZYDIS_MNEMONIC_MASKMOVDQU:
	case ZYDIS_MNEMONIC_VMASKMOVDQU:
		return operands[1].reg.value;
	default:
		return instruction->meta.category == ZYDIS_CATEGORY_AVX2GATHER
			   ? operands[2].reg.value
			   : ZYDIS_REGISTER_NONE;
	}
}

static void note_mask(struct memory_operand *operand, const ZydisDecodedInstruction *instruction,
    const ZydisDecodedOperand *from, const ZydisDecodedOperand *operands)
{
	operand->element = from->element_size / 8;
	operand->masked = instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
			  instruction->avx.mask.reg > ZYDIS_REGISTER_K0 &&
			  instruction->avx.mask.reg <= ZYDIS_REGISTER_K7;
	if (operand->masked)
		name_register(operand->mask, instruction->avx.mask.reg);
	else
		name_register(operand->mask, vector_mask(instruction, operands));
	if (instruction->mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU ||
	    instruction->mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU)
		operand->element = 1;
}

/* With the others, a broadcast or a sum of products for instance, elements in memory are not those
 * of the mask, or the mask does not keep the processor from reading them. */
static bool is_by_element(const struct memory_operand *operand,
    const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *to)
{
	if (!operand->mask[0] || !operand->element || operand->size <= operand->element)
		return false;
	if (!operand->masked)
		return true;
	switch (instruction->meta.exception_class) {
	case ZYDIS_EXCEPTION_CLASS_E1:
	case ZYDIS_EXCEPTION_CLASS_E2:
	case ZYDIS_EXCEPTION_CLASS_E4:
		break;
	default:
		return false;
	}
	return instruction->meta.category != ZYDIS_CATEGORY_COMPRESS &&
	       instruction->meta.category != ZYDIS_CATEGORY_EXPAND &&
	       (to->element_size == operand->element * 8 ||
		   (to->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		       ZydisRegisterGetClass(to->reg.value) == ZYDIS_REGCLASS_MASK));
}

static bool is_part_of(ZydisRegister reg, ZydisRegister written)
{
	return reg != ZYDIS_REGISTER_NONE && written != ZYDIS_REGISTER_NONE &&
	       ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg) !=
		   ZYDIS_REGISTER_NONE &&
	       ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg) ==
		   ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, written);
}

static void note_lost(struct memory_operand *operand, const ZydisDecodedInstruction *instruction,
    const ZydisDecodedOperand *all, const ZydisDecodedOperandMem *memory)
{
	ZydisRegister mask = instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX
				 ? instruction->avx.mask.reg
				 : vector_mask(instruction, all);

	operand->lost = instruction->mnemonic == ZYDIS_MNEMONIC_XLAT;
	for (size_t i = 0; i < instruction->operand_count; i++) {
		ZydisRegister reg = all[i].reg.value;

		if (all[i].type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(all[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		operand->lost |= is_part_of(memory->base, reg) || is_part_of(memory->index, reg);
		operand->mask_lost |=
		    (mask != ZYDIS_REGISTER_NONE && mask == reg) || is_part_of(mask, reg);
	}
}

/* Describes one of `all` the operands of the instruction that ends at `next`. */
static void describe_operand(struct memory_operand *operand,
    const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *all,
    const ZydisDecodedOperand *from, uint64_t next)
{
	const ZydisDecodedOperandMem *memory = &from->mem;

	*operand = (struct memory_operand){
	    .reads = from->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
	    .writes = from->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
	    .size = from->size / 8,
	    .align = 1,
	    .scale = memory->scale,
	    .displacement = memory->disp.has_displacement ? memory->disp.value : 0,
	    .address_bits = instruction->address_width,
	};
	name_segment(operand, memory->segment);
	name_register(operand->index, memory->index);
	if (memory->type == ZYDIS_MEMOP_TYPE_VSIB) {
		note_lanes(operand, instruction, memory->index);
		operand->size = from->element_size / 8;
	} else if (operand->size >= 16 && must_align(instruction)) {
		operand->align = operand->size;
	}
	note_mask(operand, instruction, from, all);
	operand->by_element = is_by_element(operand, instruction, &all[0]);
	note_lost(operand, instruction, all, memory);
	write_text(operand, memory);
	if (is_relative(memory->base))
		operand->displacement += (int64_t)next;
	else
		name_register(operand->base, memory->base);
	operand->displacement += stack_correction(instruction, from, operand->size);
	note_bits(operand, instruction, all);
}

static bool touches_memory(
    const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
	       operand->mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
	       instruction->mnemonic != ZYDIS_MNEMONIC_NOP &&
	       instruction->meta.category != ZYDIS_CATEGORY_PREFETCH &&
	       (operand->actions &
		   (ZYDIS_OPERAND_ACTION_MASK_READ | ZYDIS_OPERAND_ACTION_MASK_WRITE));
}

static void write_instruction(struct instruction *instruction,
    const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands, uint64_t pc)
{
	ZydisFormatter formatter;

	instruction->text[0] = '\0';
	if (!ZYAN_SUCCESS(ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT)))
		return;
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
	ZydisFormatterSetProperty(
	    &formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(
	    &formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
	ZydisFormatterFormatInstruction(&formatter, decoded, operands,
	    decoded->operand_count_visible, instruction->text, sizeof(instruction->text), pc,
	    ZYAN_NULL);
}

/* Where a call or jump goes to, and what a division divides by: the first operand that is seen. */
static void describe_source(struct instruction *instruction, const ZydisDecodedInstruction *decoded,
    const ZydisDecodedOperand *from, uint64_t pc)
{
	instruction->source_size = from->size / 8;
	if (from->type == ZYDIS_OPERAND_TYPE_REGISTER)
		name_register(instruction->source_register, from->reg.value);
	else if (from->type == ZYDIS_OPERAND_TYPE_MEMORY && instruction->count)
		instruction->source_in_memory = true;
	else if (from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && from->imm.is_relative)
		instruction->is_direct =
		    ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(decoded, from, pc, &instruction->target));
}

static void describe_kind(struct instruction *instruction, const ZydisDecodedInstruction *decoded,
    const ZydisDecodedOperand *operands, uint64_t pc)
{
	instruction->calls = decoded->meta.category == ZYDIS_CATEGORY_CALL;
	instruction->returns = decoded->meta.category == ZYDIS_CATEGORY_RET;
	instruction->jumps = decoded->meta.category == ZYDIS_CATEGORY_UNCOND_BR;
	instruction->privileged = decoded->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED ||
				  decoded->meta.category == ZYDIS_CATEGORY_IO ||
				  decoded->meta.category == ZYDIS_CATEGORY_IOSTRINGOP ||
				  decoded->mnemonic == ZYDIS_MNEMONIC_CLI ||
				  decoded->mnemonic == ZYDIS_MNEMONIC_STI;
	instruction->is_signed = decoded->mnemonic == ZYDIS_MNEMONIC_IDIV;
	instruction->divides = instruction->is_signed || decoded->mnemonic == ZYDIS_MNEMONIC_DIV;
	if ((instruction->calls || instruction->jumps || instruction->divides) &&
	    decoded->operand_count_visible)
		describe_source(instruction, decoded, &operands[0], pc);
}

bool operand_decode(const uint8_t *bytes, size_t length, uint64_t pc, bool is_64_bit,
    struct instruction *instruction)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction decoded;
	ZydisDecoder decoder;

	*instruction = (struct instruction){0};
	if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder,
		is_64_bit ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
		is_64_bit ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, length, &decoded, operands)))
		return false;
	instruction->length = decoded.length;
	write_instruction(instruction, &decoded, operands, pc);
	for (size_t i = 0; i < decoded.operand_count && instruction->count < OPERANDS_MAX; i++)
		if (touches_memory(&decoded, &operands[i]))
			describe_operand(&instruction->operands[instruction->count++], &decoded,
			    operands, &operands[i], pc + decoded.length);
	describe_kind(instruction, &decoded, operands, pc);
	return true;
}
