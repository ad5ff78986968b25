/*
 * Decodes with Zydis. What an instruction accesses comes from accesses.c; this adds the words.
 */
#include "worker/x86/operand.h"

#include <stdio.h>
#include <string.h>
#include <Zydis/Zydis.h>

static void name_register(char name[OPERAND_REGISTER_MAX], ZydisRegister reg)
{
	const char *text = reg == ZYDIS_REGISTER_NONE ? "" : ZydisRegisterGetString(reg);

	snprintf(name, OPERAND_REGISTER_MAX, "%s", text ? text : "");
}

static bool is_relative(ZydisRegister reg)
{
	return reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP;
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
		snprintf(index, sizeof(index), ",%%%.7s,%u", operand->index, operand->access.scale);
	if (memory->base != ZYDIS_REGISTER_NONE)
		snprintf(base, sizeof(base), "%%%s", ZydisRegisterGetString(memory->base));
	snprintf(operand->text, sizeof(operand->text), absolute ? "%s%s" : "%s%s(%s%s)", segment,
	    displacement, base, index);
}

/* enter and clzero name no operand; the register is as wide as an address. */
static void name_implied(struct memory_operand *operand, const ZydisDecodedInstruction *z)
{
	ZydisRegisterClass wide =
	    z->address_width == 64 ? ZYDIS_REGCLASS_GPR64 : ZYDIS_REGCLASS_GPR32;
	ZydisRegister base = ZydisRegisterEncode(wide, operand->access.base);

	name_register(operand->base, base);
	snprintf(operand->text, sizeof(operand->text), "(%%%s)", ZydisRegisterGetString(base));
}

static void name_mask(struct memory_operand *operand, const ZydisDecodedInstruction *z,
    const ZydisDecodedOperand *operands)
{
	if (operand->access.mask)
		name_register(operand->mask, z->avx.mask.reg);
	else if (operand->access.vector_mask)
		name_register(operand->mask, accesses_vector_mask(z, operands));
}

static void describe_operand(struct memory_operand *operand, const struct access *access,
    const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands)
{
	const ZydisDecodedOperandMem *memory;

	*operand = (struct memory_operand){.access = *access};
	if (access->operand == ACCESS_NO_OPERAND) {
		name_implied(operand, z);
		return;
	}
	memory = &operands[access->operand].mem;
	if (!is_relative(memory->base))
		name_register(operand->base, memory->base);
	name_register(operand->index, memory->index);
	if (access->segment)
		snprintf(operand->segment, sizeof(operand->segment), "%cs_base", access->segment);
	if (access->kind == ACCESS_BITS)
		name_register(operand->number, operands[1].reg.value);
	else if (access->kind == ACCESS_TABLE)
		name_register(operand->number, ZYDIS_REGISTER_AL);
	name_mask(operand, z, operands);
	write_text(operand, memory);
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
	instruction->branches = decoded->meta.category == ZYDIS_CATEGORY_COND_BR;
	instruction->privileged = decoded->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED ||
				  decoded->meta.category == ZYDIS_CATEGORY_IO ||
				  decoded->meta.category == ZYDIS_CATEGORY_IOSTRINGOP ||
				  decoded->mnemonic == ZYDIS_MNEMONIC_CLI ||
				  decoded->mnemonic == ZYDIS_MNEMONIC_STI;
	instruction->is_signed = decoded->mnemonic == ZYDIS_MNEMONIC_IDIV;
	instruction->divides = instruction->is_signed || decoded->mnemonic == ZYDIS_MNEMONIC_DIV;
	if ((instruction->calls || instruction->jumps || instruction->branches ||
		instruction->divides) &&
	    decoded->operand_count_visible)
		describe_source(instruction, decoded, &operands[0], pc);
}

bool operand_decode(const uint8_t *bytes, size_t length, uint64_t pc, bool is_64_bit,
    struct instruction *instruction)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction decoded;
	ZydisDecoder decoder;
	struct accesses accesses;

	*instruction = (struct instruction){0};
	if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder,
		is_64_bit ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
		is_64_bit ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, length, &decoded, operands)))
		return false;
	instruction->length = decoded.length;
	write_instruction(instruction, &decoded, operands, pc);
	accesses_decoded(&decoded, operands, pc, &accesses);
	for (; instruction->count < accesses.count; instruction->count++)
		describe_operand(&instruction->operands[instruction->count],
		    &accesses.list[instruction->count], &decoded, operands);
	describe_kind(instruction, &decoded, operands, pc);
	return true;
}
