/*
 * Takes an instruction's memory operands from Zydis and corrects those that it describes loosely.
 */
#include "worker/x86/accesses.h"

#include <string.h>

#include "worker/x86/decoder.h"

enum {
	RAX = 0,
	RSP = 4,
	RBP = 5,
	LEVELS = 31, /* mask of enter's second operand */
	CACHE_LINE = 64,
};

static uint8_t general(ZydisRegister name)
{
	switch (ZydisRegisterGetClass(name)) {
	case ZYDIS_REGCLASS_GPR16:
	case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64:
		return (uint8_t)ZydisRegisterGetId(name);
	default:
		return ACCESS_NO_REGISTER;
	}
}

/* Hints to the caches, and what only looks like an access. */
static bool touches_nothing(const ZydisDecodedInstruction *z)
{
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_PREFETCH:
	case ZYDIS_CATEGORY_PREFETCHWT1:
	case ZYDIS_CATEGORY_CLDEMOTE:
		return true;
	default:
		return z->mnemonic == ZYDIS_MNEMONIC_NOP;
	}
}

static bool flushes(const ZydisDecodedInstruction *z)
{
	return z->meta.category == ZYDIS_CATEGORY_CLFLUSHOPT ||
	       z->meta.category == ZYDIS_CATEGORY_CLWB || z->mnemonic == ZYDIS_MNEMONIC_CLFLUSH;
}

static bool repeats(const ZydisDecodedInstruction *z)
{
	return z->attributes &
	       (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

/* Old loads and stores fault if the address is not a multiple of their size. The VEX forms do so
 * only if their name says aligned. */
static bool must_align(const ZydisDecodedInstruction *z)
{
	switch (z->mnemonic) {
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
		return z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
		       (z->meta.isa_set == ZYDIS_ISA_SET_SSE ||
			   z->meta.isa_set == ZYDIS_ISA_SET_SSE2);
	}
}

/* The stack pointer moves before push, call and enter write, and before pop knows where its operand
 * is. */
static int64_t stack_correction(
    const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operand, uint32_t size)
{
	bool hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;

	if (operand->mem.base != ZYDIS_REGISTER_RSP && operand->mem.base != ZYDIS_REGISTER_ESP)
		return 0;
	if (hidden && (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
		return -(int64_t)size;
	return !hidden && z->mnemonic == ZYDIS_MNEMONIC_POP ? (int64_t)size : 0;
}

static bool is_state(const ZydisDecodedInstruction *z)
{
	return z->meta.category == ZYDIS_CATEGORY_XSAVE ||
	       z->meta.category == ZYDIS_CATEGORY_XSAVEOPT;
}

/* A gather's index: each lane is a separate address. */
static void describe_lanes(
    const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operand, struct access *access)
{
	const char *mnemonic = ZydisMnemonicGetString(z->mnemonic);
	ZyanU16 bits = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, operand->mem.index);

	/* vpgatherdq, vgatherqps: the letter after gather or scatter is the size of the index. */
	mnemonic = mnemonic ? strstr(mnemonic, "er") : NULL;
	access->kind = ACCESS_VECTOR;
	access->lane_bits = mnemonic && mnemonic[2] == 'q' ? 64 : 32;
	access->lanes = (uint8_t)(bits / access->lane_bits);
	access->size = operand->element_size / 8;
}

static bool is_of_bits(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTS:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTC:
		return operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
	default:
		return false;
	}
}

static void describe_kind(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands,
    const ZydisDecodedOperand *operand, struct access *access)
{
	if (operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
		describe_lanes(z, operand, access);
	} else if (z->meta.category == ZYDIS_CATEGORY_STRINGOP && repeats(z)) {
		access->kind = ACCESS_STRING;
		access->counted = (z->attributes & ZYDIS_ATTRIB_HAS_REP) && !access->short_address;
	} else if (z->mnemonic == ZYDIS_MNEMONIC_XLAT) {
		access->kind = ACCESS_TABLE;
		access->number = RAX;
		access->size = 1;
		access->lost = true;
	} else if (is_of_bits(z, operands)) {
		access->kind = ACCESS_BITS;
		access->number = (uint8_t)ZydisRegisterGetId(operands[1].reg.value);
	}
	if (access->size >= 16 && access->kind != ACCESS_VECTOR && must_align(z))
		access->align = access->size;
}

ZydisRegister accesses_vector_mask(
    const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_VMASKMOVPS:
	case ZYDIS_MNEMONIC_VMASKMOVPD:
	case ZYDIS_MNEMONIC_VPMASKMOVD:
	case ZYDIS_MNEMONIC_VPMASKMOVQ:
	case ZYDIS_MNEMONIC_MASKMOVDQU:
	case ZYDIS_MNEMONIC_VMASKMOVDQU:
		return operands[1].reg.value;
	default:
		return z->meta.category == ZYDIS_CATEGORY_AVX2GATHER ? operands[2].reg.value
								     : ZYDIS_REGISTER_NONE;
	}
}

/* With the others, a broadcast or a sum of products for instance, elements in memory are not those
 * of the mask, or the mask does not keep the processor from reading them. A store writes what its
 * mask selects, except that some move it together. */
static bool is_by_element(
    const ZydisDecodedInstruction *z, const ZydisDecodedOperand *to, const struct access *access)
{
	if (!access->element || !accesses_is_masked(access))
		return false;
	if (access->packed)
		return false;
	if (access->vector_mask || access->writes)
		return access->writes || access->size > access->element;
	switch (z->meta.exception_class) {
	case ZYDIS_EXCEPTION_CLASS_E1:
	case ZYDIS_EXCEPTION_CLASS_E2:
	case ZYDIS_EXCEPTION_CLASS_E4:
		break;
	default:
		return false;
	}
	return access->size > access->element &&
	       (to->element_size == access->element * 8 ||
		   (to->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		       ZydisRegisterGetClass(to->reg.value) == ZYDIS_REGCLASS_MASK));
}

static void describe_mask(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands,
    const ZydisDecodedOperand *operand, struct access *access)
{
	const ZydisRegister vector = accesses_vector_mask(z, operands);

	access->element = (uint8_t)(operand->element_size / 8);
	if (z->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && z->avx.mask.reg > ZYDIS_REGISTER_K0 &&
	    z->avx.mask.reg <= ZYDIS_REGISTER_K7)
		access->mask = (uint8_t)ZydisRegisterGetId(z->avx.mask.reg);
	else
		access->vector_mask = vector != ZYDIS_REGISTER_NONE;
	if (access->vector_mask)
		access->vector = (uint8_t)ZydisRegisterGetId(vector);
	if (z->mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU || z->mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU)
		access->element = 1;
	access->packed =
	    accesses_is_masked(access) && (z->meta.category == ZYDIS_CATEGORY_COMPRESS ||
					      z->meta.category == ZYDIS_CATEGORY_EXPAND);
	access->by_element = is_by_element(z, &operands[0], access);
}

static bool is_part_of(ZydisRegister reg, ZydisRegister written)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	return reg == written ||
	       (whole != ZYDIS_REGISTER_NONE &&
		   whole == ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, written));
}

static void describe_lost(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands,
    const ZydisDecodedOperandMem *memory, struct access *access)
{
	ZydisRegister mask = z->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX
				 ? z->avx.mask.reg
				 : accesses_vector_mask(z, operands);

	for (size_t i = 0; i < z->operand_count; i++) {
		ZydisRegister reg = operands[i].reg.value;

		if (operands[i].type != ZYDIS_OPERAND_TYPE_REGISTER || reg == ZYDIS_REGISTER_NONE ||
		    !(operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		access->lost |= is_part_of(memory->base, reg) || is_part_of(memory->index, reg);
		access->mask_lost |= is_part_of(mask, reg);
	}
}

static char segment_of(ZydisRegister segment)
{
	if (segment == ZYDIS_REGISTER_FS)
		return 'f';
	return segment == ZYDIS_REGISTER_GS ? 'g' : 0;
}

static void describe(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands,
    const ZydisDecodedOperand *operand, uint64_t address, struct access *access)
{
	const ZydisDecodedOperandMem *memory = &operand->mem;

	*access = (struct access){
	    .reads = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
	    .writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
	    .operand = operand->id,
	    .base = general(memory->base),
	    .index = general(memory->index),
	    .scale = memory->scale,
	    .number = ACCESS_NO_REGISTER,
	    .short_address = z->address_width == 32,
	    .relative = memory->base == ZYDIS_REGISTER_RIP || memory->base == ZYDIS_REGISTER_EIP,
	    .segment = segment_of(memory->segment),
	    .size = is_state(z) ? 0 : operand->size / 8u,
	    .align = 1,
	    .displacement = memory->disp.has_displacement ? memory->disp.value : 0,
	};
	if (access->relative)
		access->displacement += (int64_t)(address + z->length);
	describe_kind(z, operands, operand, access);
	describe_mask(z, operands, operand, access);
	describe_lost(z, operands, memory, access);
	if (flushes(z)) {
		access->flushes = access->reads = true;
		access->writes = false;
	}
	access->displacement += stack_correction(z, operand, access->size);
}

static void add_implied(struct accesses *accesses, bool writes, uint8_t base, uint32_t size)
{
	accesses->list[accesses->count++] = (struct access){.reads = !writes,
	    .writes = writes,
	    .operand = ACCESS_NO_OPERAND,
	    .base = base,
	    .index = ACCESS_NO_REGISTER,
	    .number = ACCESS_NO_REGISTER,
	    .size = size,
	    .align = 1,
	    .displacement = -(int64_t)size};
}

static void add_cleared_line(struct accesses *accesses)
{
	/* At rax, down to the line's start: said to be twice as long. */
	add_implied(accesses, true, RAX, 2 * CACHE_LINE - 1);
	accesses->list[accesses->count - 1].displacement = -(CACHE_LINE - 1);
}

/* enter pushes rbp, and for each level a frame pointer more, most of them copied from below rbp. */
static void add_frames(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands,
    struct accesses *accesses)
{
	const uint32_t levels = operands[1].imm.value.u & LEVELS, word = z->stack_width / 8u;

	add_implied(accesses, true, RSP, word * (levels + 1));
	if (levels > 1)
		add_implied(accesses, false, RBP, word * (levels - 1));
	for (unsigned i = 0; i < accesses->count; i++)
		accesses->list[i].lost = true;
}

static bool is_access(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
	       operand->mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
	       (operand->actions &
		   (ZYDIS_OPERAND_ACTION_MASK_READ | ZYDIS_OPERAND_ACTION_MASK_WRITE));
}

void accesses_decoded(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands,
    uint64_t address, struct accesses *accesses)
{
	accesses->count = 0;
	if (touches_nothing(z))
		return;
	if (z->mnemonic == ZYDIS_MNEMONIC_ENTER) {
		add_frames(z, operands, accesses);
		return;
	}
	if (z->mnemonic == ZYDIS_MNEMONIC_CLZERO)
		add_cleared_line(accesses);
	for (unsigned i = 0; i < z->operand_count && accesses->count < ACCESSES_MAX; i++)
		if (is_access(&operands[i]))
			describe(
			    z, operands, &operands[i], address, &accesses->list[accesses->count++]);
}

void accesses_of(const uint8_t *bytes, size_t length, uint64_t address, struct accesses *accesses)
{
	ZydisDecodedInstruction z;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	accesses->count = 0;
	if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder(), bytes, length, &z, operands)))
		accesses_decoded(&z, operands, address, accesses);
}
