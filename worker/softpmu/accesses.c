/*
 * Takes an instruction's memory operands from Zydis and corrects those that it describes loosely.
 * An access may be said to be larger than it is, never smaller: a watchpoint would be missed.
 */
#include "worker/softpmu/accesses.h"

#include "worker/softpmu/decode.h"
#include "worker/softpmu/decoder.h"
#include "worker/softpmu/eflags.h"

enum {
	RCX = 1,
	RSP = 4,
	RBP = 5,
	WORD = 8,
	LEVELS = 31,	       /* mask of enter's second operand */
	STATE_BYTES = 1 << 14, /* what xsave may write; more than any processor has */
	CACHE_LINE = 64,
	TRANSLATION_TABLE = 256, /* of xlat */
};

static uint8_t general(ZydisRegister name)
{
	switch (ZydisRegisterGetClass(name)) {
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
	case ZYDIS_CATEGORY_CLFLUSHOPT:
	case ZYDIS_CATEGORY_CLWB:
		return true;
	default:
		return z->mnemonic == ZYDIS_MNEMONIC_CLFLUSH;
	}
}

static bool repeats(const ZydisDecodedInstruction *z)
{
	return z->attributes &
	       (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

/* The stack pointer moves before a push writes, and before pop knows where its operand is. */
static int64_t stack_correction(
    const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operand, uint32_t size)
{
	bool hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;

	if (operand->mem.base != ZYDIS_REGISTER_RSP)
		return 0;
	if (hidden && (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
		return -(int64_t)size;
	if (!hidden && z->mnemonic == ZYDIS_MNEMONIC_POP)
		return size;
	return 0;
}

static void describe_size(const ZydisDecodedInstruction *z, struct access *access)
{
	if (z->meta.category == ZYDIS_CATEGORY_XSAVE || z->meta.category == ZYDIS_CATEGORY_XSAVEOPT)
		access->size = STATE_BYTES;
	if (z->mnemonic == ZYDIS_MNEMONIC_XLAT)
		access->size = TRANSLATION_TABLE;
	if (access->size == 0)
		access->size = STATE_BYTES;
}

static void describe_kind(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands,
    const ZydisDecodedOperand *operand, struct access *access)
{
	if (operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
		access->kind = ACCESS_VECTOR;
	} else if (z->meta.category == ZYDIS_CATEGORY_STRINGOP && repeats(z)) {
		access->kind = ACCESS_STRING;
		access->counted = (z->attributes & ZYDIS_ATTRIB_HAS_REP) && !access->short_address;
	} else if (z->meta.category == ZYDIS_CATEGORY_BITBYTE && operand == operands &&
		   z->operand_count_visible > 1 &&
		   operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		   (z->mnemonic == ZYDIS_MNEMONIC_BT || z->mnemonic == ZYDIS_MNEMONIC_BTS ||
		       z->mnemonic == ZYDIS_MNEMONIC_BTR || z->mnemonic == ZYDIS_MNEMONIC_BTC)) {
		access->kind = ACCESS_BITS;
		access->bit_number = (uint8_t)ZydisRegisterGetId(operands[1].reg.value);
	}
}

/* Of a store that AVX-512 masks. What reads with a mask may read the rest, too. */
static void describe_mask(
    const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operand, struct access *access)
{
	if (z->encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX || !access->writes ||
	    z->meta.category == ZYDIS_CATEGORY_COMPRESS || operand->element_size < 8)
		return;
	if (z->avx.mask.reg > ZYDIS_REGISTER_K0 && z->avx.mask.reg <= ZYDIS_REGISTER_K7) {
		access->mask = (uint8_t)ZydisRegisterGetId(z->avx.mask.reg);
		access->element = (uint8_t)(operand->element_size / 8);
	}
}

static void describe(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands,
    const ZydisDecodedOperand *operand, uint64_t address, struct access *access)
{
	*access = (struct access){
	    .reads = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
	    .writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
	    .base = general(operand->mem.base),
	    .index = general(operand->mem.index),
	    .scale = operand->mem.scale,
	    .short_address = z->address_width == 32,
	    .relative =
		operand->mem.base == ZYDIS_REGISTER_RIP || operand->mem.base == ZYDIS_REGISTER_EIP,
	    .size = operand->size / 8u,
	    .displacement = operand->mem.disp.value,
	};
	if (operand->mem.segment == ZYDIS_REGISTER_FS)
		access->segment = 'f';
	if (operand->mem.segment == ZYDIS_REGISTER_GS)
		access->segment = 'g';
	if (access->relative)
		access->displacement += (int64_t)(address + z->length);
	describe_size(z, access);
	describe_kind(z, operands, operand, access);
	describe_mask(z, operand, access);
	access->displacement += stack_correction(z, operand, access->size);
}

static void add_cleared_line(struct accesses *accesses)
{
	/* At rax, down to the line's start: said to be twice as long. */
	accesses->list[accesses->count++] = (struct access){.writes = true,
	    .base = 0,
	    .index = ACCESS_NO_REGISTER,
	    .size = 2 * CACHE_LINE - 1,
	    .displacement = -(CACHE_LINE - 1)};
}

/* enter pushes rbp, and for each level a frame pointer more, most of them copied from below rbp. */
static void add_frames(const ZydisDecodedOperand *operands, struct accesses *accesses)
{
	const uint32_t levels = operands[1].imm.value.u & LEVELS;

	accesses->list[accesses->count++] = (struct access){.writes = true,
	    .base = RSP,
	    .index = ACCESS_NO_REGISTER,
	    .size = WORD * (levels + 1),
	    .displacement = -(int64_t)(WORD * (levels + 1))};
	if (levels > 1)
		accesses->list[accesses->count++] = (struct access){.reads = true,
		    .base = RBP,
		    .index = ACCESS_NO_REGISTER,
		    .size = WORD * (levels - 1),
		    .displacement = -(int64_t)(WORD * (levels - 1))};
}

void accesses_of(const uint8_t *bytes, size_t length, uint64_t address, struct accesses *accesses)
{
	ZydisDecodedInstruction z;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	accesses->count = 0;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder(), bytes, length, &z, operands)) ||
	    touches_nothing(&z))
		return;
	if (z.mnemonic == ZYDIS_MNEMONIC_ENTER) {
		add_frames(operands, accesses);
		return;
	}
	if (z.mnemonic == ZYDIS_MNEMONIC_CLZERO)
		add_cleared_line(accesses);
	for (unsigned i = 0; i < z.operand_count && accesses->count < ACCESSES_MAX; i++) {
		if (operands[i].type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    !(operands[i].actions &
			(ZYDIS_OPERAND_ACTION_MASK_READ | ZYDIS_OPERAND_ACTION_MASK_WRITE)) ||
		    operands[i].mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			continue;
		describe(&z, operands, &operands[i], address, &accesses->list[accesses->count++]);
	}
}

/* The address of the bits in a string of bits where this one is. */
static int64_t bit_distance(const struct access *access, const struct user_regs_struct *regs)
{
	uint64_t number = decode_register(regs, access->bit_number);

	switch (access->size) {
	case 2:
		return ((int16_t)number >> 4) * 2;
	case 4:
		return ((int32_t)number >> 5) * (int64_t)4;
	default:
		return ((int64_t)number >> 6) * 8;
	}
}

static uint64_t register_or_nothing(const struct user_regs_struct *regs, uint8_t number)
{
	return number == ACCESS_NO_REGISTER ? 0 : decode_register(regs, number);
}

static void repeat(const struct access *access, const struct user_regs_struct *regs, bool all,
    uint64_t *start, uint64_t *end)
{
	uint64_t times = decode_register(regs, RCX), more;

	if (access->short_address)
		times = (uint32_t)times;
	if (times == 0) {
		*end = *start;
		return;
	}
	more = all ? (times - 1) * access->size : 0;
	if (times - 1 > UINT64_MAX / access->size) {
		*start = 0;
		*end = UINT64_MAX;
	} else if (regs->eflags & FLAG_DIRECTION) {
		*start = *start < more ? 0 : *start - more;
	} else {
		*end = *end > UINT64_MAX - more ? UINT64_MAX : *end + more;
	}
}

/* From the first element that is written to the last; between them may be others. */
static void select_elements(
    const struct access *access, uint64_t mask, uint64_t *start, uint64_t *end)
{
	const unsigned count = access->size / access->element;
	uint64_t first = *start;

	if (count < 64)
		mask &= (1ull << count) - 1;
	*end = first;
	if (mask == 0)
		return;
	*start = first + (uint64_t)__builtin_ctzll(mask) * access->element;
	*end = first + (64 - (uint64_t)__builtin_clzll(mask)) * access->element;
}

void accesses_range(const struct access *access, const struct user_regs_struct *regs,
    const uint64_t *masks, bool all, uint64_t *start, uint64_t *end)
{
	uint64_t address = (uint64_t)access->displacement;

	if (access->kind == ACCESS_VECTOR) {
		*start = 0;
		*end = UINT64_MAX;
		return;
	}
	address += register_or_nothing(regs, access->base);
	address += register_or_nothing(regs, access->index) * access->scale;
	if (access->kind == ACCESS_BITS)
		address += (uint64_t)bit_distance(access, regs);
	if (access->short_address)
		address = (uint32_t)address;
	if (access->segment == 'f')
		address += regs->fs_base;
	else if (access->segment == 'g')
		address += regs->gs_base;
	*start = address;
	*end = address > UINT64_MAX - access->size ? UINT64_MAX : address + access->size;
	if (access->mask && masks && *end == address + access->size)
		select_elements(access, masks[access->mask], start, end);
	if (access->kind == ACCESS_STRING)
		repeat(access, regs, all, start, end);
}

uint64_t accesses_first(
    const struct access *access, const struct user_regs_struct *regs, uint64_t start, uint64_t end)
{
	uint64_t first, last;

	accesses_range(access, regs, NULL, false, &first, &last);
	if (first < end && start < last)
		return 0;
	if (regs->eflags & FLAG_DIRECTION)
		return first < start ? UINT64_MAX : (first - end) / access->size + 1;
	return first > start ? UINT64_MAX : (start - first) / access->size;
}
