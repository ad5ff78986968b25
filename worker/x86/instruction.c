/*
 * See instruction.h: tables of mnemonics.
 */
#include "worker/x86/instruction.h"

#include <string.h>

#include "worker/x86/decoder.h"

bool instruction_decode(const uint8_t *bytes, size_t length, struct decoded *decoded)
{
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(
	    decoder(), bytes, length, &decoded->instruction, decoded->operands));
}

bool instruction_is_vex(const struct decoded *decoded)
{
	return decoded->instruction.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY;
}

bool instruction_is_masked(const struct decoded *decoded)
{
	return decoded->instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
	       decoded->instruction.avx.mask.reg > ZYDIS_REGISTER_K0;
}

static bool moves_by_vector(const struct decoded *decoded)
{
	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_VMASKMOVPS:
	case ZYDIS_MNEMONIC_VMASKMOVPD:
	case ZYDIS_MNEMONIC_VPMASKMOVD:
	case ZYDIS_MNEMONIC_VPMASKMOVQ:
		return true;
	default:
		return false;
	}
}

/* By its name. */
static bool moves(const struct decoded *decoded)
{
	const unsigned visible = decoded->instruction.operand_count_visible;
	const ZydisDecodedOperand *to = &decoded->operands[0], *from = instruction_moved(decoded);

	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_MOVNTI:
	case ZYDIS_MNEMONIC_MOVD:
	case ZYDIS_MNEMONIC_MOVQ:
	case ZYDIS_MNEMONIC_MOVAPS:
	case ZYDIS_MNEMONIC_MOVAPD:
	case ZYDIS_MNEMONIC_MOVUPS:
	case ZYDIS_MNEMONIC_MOVUPD:
	case ZYDIS_MNEMONIC_MOVDQA:
	case ZYDIS_MNEMONIC_MOVDQU:
	case ZYDIS_MNEMONIC_LDDQU:
	case ZYDIS_MNEMONIC_MOVNTDQ:
	case ZYDIS_MNEMONIC_MOVNTDQA:
	case ZYDIS_MNEMONIC_MOVNTPS:
	case ZYDIS_MNEMONIC_MOVNTPD:
	case ZYDIS_MNEMONIC_VMOVD:
	case ZYDIS_MNEMONIC_VMOVQ:
	case ZYDIS_MNEMONIC_VMOVAPS:
	case ZYDIS_MNEMONIC_VMOVAPD:
	case ZYDIS_MNEMONIC_VMOVUPS:
	case ZYDIS_MNEMONIC_VMOVUPD:
	case ZYDIS_MNEMONIC_VMOVDQA:
	case ZYDIS_MNEMONIC_VMOVDQU:
	case ZYDIS_MNEMONIC_VMOVDQU8:
	case ZYDIS_MNEMONIC_VMOVDQU16:
	case ZYDIS_MNEMONIC_VMOVDQU32:
	case ZYDIS_MNEMONIC_VMOVDQU64:
	case ZYDIS_MNEMONIC_VMOVDQA32:
	case ZYDIS_MNEMONIC_VMOVDQA64:
	case ZYDIS_MNEMONIC_VLDDQU:
	case ZYDIS_MNEMONIC_VMOVNTDQ:
	case ZYDIS_MNEMONIC_VMOVNTDQA:
	case ZYDIS_MNEMONIC_VMOVNTPS:
	case ZYDIS_MNEMONIC_VMOVNTPD:
		return true;
	case ZYDIS_MNEMONIC_MOVSS:
	case ZYDIS_MNEMONIC_MOVSD:
	case ZYDIS_MNEMONIC_VMOVSS:
	case ZYDIS_MNEMONIC_VMOVSD:
		/* Not the string instruction, and not from register to register, which merges. */
		return visible >= 2 && from == &decoded->operands[visible - 1] &&
		       (to->type == ZYDIS_OPERAND_TYPE_MEMORY ||
			   from->type == ZYDIS_OPERAND_TYPE_MEMORY);
	default:
		return false;
	}
}

const ZydisDecodedOperand *instruction_moved(const struct decoded *decoded)
{
	const ZydisDecodedOperand *second = &decoded->operands[1];
	const bool is_mask = decoded->instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
			     second->type == ZYDIS_OPERAND_TYPE_REGISTER &&
			     ZydisRegisterGetClass(second->reg.value) == ZYDIS_REGCLASS_MASK;

	return is_mask || moves_by_vector(decoded) ? second + 1 : second;
}

bool instruction_is_move(const struct decoded *decoded)
{
	switch (decoded->instruction.encoding) {
	case ZYDIS_INSTRUCTION_ENCODING_LEGACY:
	case ZYDIS_INSTRUCTION_ENCODING_VEX:
	case ZYDIS_INSTRUCTION_ENCODING_EVEX:
		return !instruction_is_masked(decoded) && moves(decoded);
	default:
		return false;
	}
}

bool instruction_is_masked_move(const struct decoded *decoded)
{
	return moves_by_vector(decoded) || (instruction_is_masked(decoded) && moves(decoded));
}

unsigned instruction_most_moved(const struct decoded *decoded)
{
	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_MOVD:
	case ZYDIS_MNEMONIC_VMOVD:
		return 4;
	case ZYDIS_MNEMONIC_MOVQ:
	case ZYDIS_MNEMONIC_VMOVQ:
		return 8;
	default:
		return 64;
	}
}

bool instruction_extends_sign(const struct decoded *decoded)
{
	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_CWDE:
	case ZYDIS_MNEMONIC_CDQE:
		return true;
	default:
		return false;
	}
}

bool instruction_is_cmov(const struct decoded *decoded)
{
	return decoded->instruction.meta.category == ZYDIS_CATEGORY_CMOV &&
	       decoded->instruction.opcode_map == ZYDIS_OPCODE_MAP_0F;
}

bool instruction_is_zero(const struct decoded *decoded)
{
	const ZydisDecodedOperand *operands = decoded->operands;
	unsigned last = decoded->instruction.operand_count_visible;

	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_PXOR:
	case ZYDIS_MNEMONIC_XORPS:
	case ZYDIS_MNEMONIC_XORPD:
	case ZYDIS_MNEMONIC_VPXOR:
	case ZYDIS_MNEMONIC_VPXORD:
	case ZYDIS_MNEMONIC_VPXORQ:
	case ZYDIS_MNEMONIC_VXORPS:
	case ZYDIS_MNEMONIC_VXORPD:
		return last >= 2 && !instruction_is_masked(decoded) &&
		       operands[last - 1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		       operands[last - 2].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		       operands[last - 1].reg.value == operands[last - 2].reg.value;
	default:
		return false;
	}
}

/* Arithmetic with vectors, by the beginning of its name. The others may be shuffles, which copy. */
static bool is_vector_arithmetic(const struct decoded *decoded)
{
	static const char *const names[] = {"add", "sub", "mul", "div", "sqrt", "min", "max", "avg",
	    "abs", "cvt", "hadd", "hsub", "round", "fmadd", "fmsub", "fnmadd", "fnmsub", "rcp",
	    "rsqrt", "madd", "sad", "sll", "srl", "sra", "cmp"};
	const char *name = ZydisMnemonicGetString(decoded->instruction.mnemonic);

	if (!name)
		return false;
	name += name[0] == 'v';
	name += name[0] == 'p';
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

bool instruction_is_arithmetic(const struct decoded *decoded)
{
	if (decoded->instruction.mnemonic == ZYDIS_MNEMONIC_XADD)
		return true;
	switch (decoded->instruction.meta.category) {
	case ZYDIS_CATEGORY_BINARY:
	case ZYDIS_CATEGORY_LOGICAL:
	case ZYDIS_CATEGORY_LOGICAL_FP:
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_ROTATE:
	case ZYDIS_CATEGORY_SETCC:
	case ZYDIS_CATEGORY_CONVERT:
	case ZYDIS_CATEGORY_BITBYTE:
	case ZYDIS_CATEGORY_BMI1:
	case ZYDIS_CATEGORY_BMI2:
	case ZYDIS_CATEGORY_DECIMAL:
		return true;
	case ZYDIS_CATEGORY_SSE:
	case ZYDIS_CATEGORY_AVX:
	case ZYDIS_CATEGORY_AVX2:
	case ZYDIS_CATEGORY_AVX512:
	case ZYDIS_CATEGORY_VFMA:
	case ZYDIS_CATEGORY_IFMA:
		return is_vector_arithmetic(decoded);
	default:
		return false;
	}
}

bool instruction_asks_machine(const struct decoded *decoded)
{
	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_RDTSC:
	case ZYDIS_MNEMONIC_RDTSCP:
	case ZYDIS_MNEMONIC_RDRAND:
	case ZYDIS_MNEMONIC_RDSEED:
	case ZYDIS_MNEMONIC_CPUID:
	case ZYDIS_MNEMONIC_XGETBV:
	case ZYDIS_MNEMONIC_RDPID:
		return true;
	default:
		return false;
	}
}

bool instruction_writes_all_vectors(const struct decoded *decoded)
{
	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_XRSTOR:
	case ZYDIS_MNEMONIC_XRSTOR64:
	case ZYDIS_MNEMONIC_XRSTORS:
	case ZYDIS_MNEMONIC_FXRSTOR:
	case ZYDIS_MNEMONIC_FXRSTOR64:
	case ZYDIS_MNEMONIC_VZEROALL:
		return true;
	default:
		return false;
	}
}

bool instruction_piece(ZydisRegister reg, struct piece *piece)
{
	ZyanI8 id = ZydisRegisterGetId(reg);

	*piece = (struct piece){
	    .size = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg) / 8u,
	    .number = id < 0 ? FLOW_VECTORS : (unsigned)id,
	};
	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_GPR8:
		if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH)
			piece->offset = 1;
		/* Zydis counts ah to bh between bl and spl. */
		if (reg >= ZYDIS_REGISTER_AL && reg <= ZYDIS_REGISTER_BL)
			piece->number = (unsigned)(reg - ZYDIS_REGISTER_AL);
		else if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH)
			piece->number = (unsigned)(reg - ZYDIS_REGISTER_AH);
		else
			piece->number = 4 + (unsigned)(reg - ZYDIS_REGISTER_SPL);
		return piece->number < FLOW_REGISTERS;
	case ZYDIS_REGCLASS_GPR16:
	case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64:
		return piece->number < FLOW_REGISTERS;
	case ZYDIS_REGCLASS_XMM:
	case ZYDIS_REGCLASS_YMM:
	case ZYDIS_REGCLASS_ZMM:
		piece->vector = true;
		return piece->number < FLOW_VECTORS;
	default:
		return false;
	}
}
