/*
 * Makes thunks. Only instructions on the lists here are taken; it must never take one that can
 * fault, that touches memory other than its one explicit operand, or that the kernel has a say in.
 */
#include "worker/softpmu/thunk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	ARENA_BYTES = 1 << 19,
	THUNK_MAX = 1024, /* bytes of one, at most */
	KNOWN = 4096,	  /* a power of two */
	RSP = 4,
};

/* All that a thunk depends on: the instruction as it is put into it, and what stands in for what.
 */
struct recipe {
	uint8_t length; /* 0: none */
	int8_t memory, stack;
	uint8_t code[ZYDIS_MAX_INSTRUCTION_LENGTH];
};

/* The state stands at the start of the arena, in reach of 32-bit rip-relative addresses. */
struct thunks {
	uint8_t *arena;
	size_t used;
	struct {
		struct recipe recipe;
		struct thunk thunk;
	} known[KNOWN];
};

struct emitter {
	uint8_t *at;
	const struct thunk_state *state;
};

/* What an instruction uses. */
struct uses {
	uint16_t gpr, gpr_written; /* bits by number, rsp replaced already */
	uint16_t vector, vector_written;
	bool flags, flags_written, mxcsr, memory, high_byte;
};

static size_t state_size(void)
{
	return (sizeof(struct thunk_state) + 63) & ~(size_t)63;
}

struct thunks *thunks_new(void)
{
	struct thunks *thunks = calloc(1, sizeof *thunks);

	if (!thunks)
		return NULL;
	thunks->arena = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (thunks->arena == MAP_FAILED) {
		free(thunks);
		return NULL;
	}
	thunks->used = state_size();
	return thunks;
}

struct thunk_state *thunks_state(struct thunks *thunks)
{
	return (struct thunk_state *)thunks->arena;
}

void thunks_clear(struct thunks *thunks)
{
	thunks->used = state_size();
	memset(thunks->known, 0, sizeof thunks->known);
}

/* Emitting. */

static void emit_bytes(struct emitter *emitter, const void *bytes, size_t length)
{
	memcpy(emitter->at, bytes, length);
	emitter->at += length;
}

static void emit_byte(struct emitter *emitter, unsigned byte)
{
	*emitter->at++ = (uint8_t)byte;
}

/* A rip-relative displacement that ends the instruction. */
static void emit_state(struct emitter *emitter, const void *field)
{
	int32_t displacement = (int32_t)((const uint8_t *)field - (emitter->at + 4));

	emit_bytes(emitter, &displacement, sizeof displacement);
}

/* mov between register n and a field: opcode 0x8b loads, 0x89 stores. */
static void emit_move(struct emitter *emitter, unsigned opcode, unsigned n, const void *field)
{
	emit_byte(emitter, 0x48 | (n >= 8 ? 4 : 0));
	emit_byte(emitter, opcode);
	emit_byte(emitter, 0x05 | (n & 7) << 3);
	emit_state(emitter, field);
}

/* vmovdqu between ymm n and its field: opcode 0x6f loads, 0x7f stores. */
static void emit_vector(struct emitter *emitter, unsigned opcode, unsigned n)
{
	emit_byte(emitter, 0xc5);
	emit_byte(emitter, n >= 8 ? 0x7e : 0xfe);
	emit_byte(emitter, opcode);
	emit_byte(emitter, 0x05 | (n & 7) << 3);
	emit_state(emitter, emitter->state->vector[n]);
}

static void emit_push(struct emitter *emitter, unsigned base, unsigned n)
{
	if (n >= 8)
		emit_byte(emitter, 0x41);
	emit_byte(emitter, base + (n & 7));
}

static void emit_flags(struct emitter *emitter, bool load)
{
	if (load) {
		emit_byte(emitter, 0xff); /* push field; popf */
		emit_byte(emitter, 0x35);
		emit_state(emitter, &emitter->state->eflags);
		emit_byte(emitter, 0x9d);
	} else {
		emit_byte(emitter, 0x9c); /* pushf; pop field */
		emit_byte(emitter, 0x8f);
		emit_byte(emitter, 0x05);
		emit_state(emitter, &emitter->state->eflags);
	}
}

/* ldmxcsr (/2) or stmxcsr (/3) of a field. */
static void emit_mxcsr(struct emitter *emitter, unsigned extension, const void *field)
{
	emit_byte(emitter, 0x0f);
	emit_byte(emitter, 0xae);
	emit_byte(emitter, 0x05 | extension << 3);
	emit_state(emitter, field);
}

static bool is_callee_saved(unsigned n)
{
	return n == 3 || n == 5 || n >= 12;
}

static void emit_prologue(struct emitter *emitter, const struct uses *uses, int scratch)
{
	const struct thunk_state *state = emitter->state;

	for (unsigned n = 0; n < 16; n++) {
		if (is_callee_saved(n) && ((uses->gpr >> n & 1) || (int)n == scratch))
			emit_push(emitter, 0x50, n);
	}
	if (uses->mxcsr) {
		emit_mxcsr(emitter, 3, &state->host_mxcsr);
		emit_mxcsr(emitter, 2, &state->mxcsr);
	}
	for (unsigned n = 0; n < 16; n++) {
		if (uses->vector >> n & 1)
			emit_vector(emitter, 0x6f, n);
	}
	if (uses->flags)
		emit_flags(emitter, true);
	if (uses->memory)
		emit_move(emitter, 0x8b, (unsigned)scratch, &state->memory);
}

static void emit_epilogue(struct emitter *emitter, const struct uses *uses, int scratch)
{
	const struct thunk_state *state = emitter->state;

	if (uses->flags) {
		if (uses->flags_written)
			emit_flags(emitter, false);
		emit_byte(emitter, 0xfc); /* cld: what C code expects */
	}
	for (unsigned n = 0; n < 16; n++) {
		if (uses->vector_written >> n & 1)
			emit_vector(emitter, 0x7f, n);
	}
	if (uses->vector)
		emit_bytes(emitter, "\xc5\xf8\x77", 3); /* vzeroupper */
	if (uses->mxcsr) {
		emit_mxcsr(emitter, 3, &state->mxcsr);
		emit_mxcsr(emitter, 2, &state->host_mxcsr);
	}
	for (unsigned n = 16; n-- > 0;) {
		if (is_callee_saved(n) && ((uses->gpr >> n & 1) || (int)n == scratch))
			emit_push(emitter, 0x58, n);
	}
	emit_byte(emitter, 0xc3);
}

/* What may be taken. */

static bool category_is_plain(ZydisInstructionCategory category)
{
	switch (category) {
	case ZYDIS_CATEGORY_AES:
	case ZYDIS_CATEGORY_AVX:
	case ZYDIS_CATEGORY_AVX2:
	case ZYDIS_CATEGORY_BINARY:
	case ZYDIS_CATEGORY_BITBYTE:
	case ZYDIS_CATEGORY_BMI1:
	case ZYDIS_CATEGORY_BMI2:
	case ZYDIS_CATEGORY_BROADCAST:
	case ZYDIS_CATEGORY_CMOV:
	case ZYDIS_CATEGORY_CONVERT:
	case ZYDIS_CATEGORY_DATAXFER:
	case ZYDIS_CATEGORY_LOGICAL:
	case ZYDIS_CATEGORY_LOGICAL_FP:
	case ZYDIS_CATEGORY_LZCNT:
	case ZYDIS_CATEGORY_PCLMULQDQ:
	case ZYDIS_CATEGORY_ROTATE:
	case ZYDIS_CATEGORY_SEMAPHORE:
	case ZYDIS_CATEGORY_SETCC:
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_SSE:
	case ZYDIS_CATEGORY_VFMA:
		return true;
	default:
		return false;
	}
}

static bool mnemonic_is_special(const ZydisDecodedInstruction *instruction)
{
	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_LDMXCSR:
	case ZYDIS_MNEMONIC_STMXCSR:
	case ZYDIS_MNEMONIC_VLDMXCSR:
	case ZYDIS_MNEMONIC_VSTMXCSR:
	case ZYDIS_MNEMONIC_VZEROALL:
	case ZYDIS_MNEMONIC_VZEROUPPER:
	case ZYDIS_MNEMONIC_XLAT:
		return true;
	default:
		return false;
	}
}

static bool may_be_taken(const ZydisDecodedInstruction *instruction)
{
	return (instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY ||
		   instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX) &&
	       instruction->address_width == 64 &&
	       !(instruction->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED) &&
	       !(instruction->attributes &
		   (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) &&
	       category_is_plain(instruction->meta.category) && !mnemonic_is_special(instruction);
}

static int gpr_number(ZydisRegister reg)
{
	ZydisRegister full = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	return full >= ZYDIS_REGISTER_RAX && full <= ZYDIS_REGISTER_R15
		   ? (int)(full - ZYDIS_REGISTER_RAX)
		   : -1;
}

static bool use_register(ZydisRegister reg, bool writes, struct uses *uses)
{
	int n;

	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_GPR8:
		uses->high_byte |= reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH;
		/* fallthrough */
	case ZYDIS_REGCLASS_GPR16:
	case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64:
		n = gpr_number(reg);
		if (n < 0)
			return false;
		uses->gpr |= (uint16_t)(1u << n);
		uses->gpr_written |= (uint16_t)(writes ? 1u << n : 0);
		return true;
	case ZYDIS_REGCLASS_XMM:
		n = reg - ZYDIS_REGISTER_XMM0;
		break;
	case ZYDIS_REGCLASS_YMM:
		n = reg - ZYDIS_REGISTER_YMM0;
		break;
	case ZYDIS_REGCLASS_FLAGS:
		uses->flags = true;
		uses->flags_written |= writes;
		return true;
	default:
		if (reg != ZYDIS_REGISTER_MXCSR)
			return false;
		uses->mxcsr = true;
		return true;
	}
	if (n < 0 || n > 15)
		return false;
	uses->vector |= (uint16_t)(1u << n);
	uses->vector_written |= (uint16_t)(writes ? 1u << n : 0);
	return true;
}

/* Vector arithmetic, floating or not: the decoder's tables do not name mxcsr everywhere. */
static bool may_use_mxcsr(ZydisInstructionCategory category)
{
	return category == ZYDIS_CATEGORY_SSE || category == ZYDIS_CATEGORY_AVX ||
	       category == ZYDIS_CATEGORY_CONVERT || category == ZYDIS_CATEGORY_VFMA;
}

static bool find_uses(const ZydisDecodedInstruction *instruction,
    const ZydisDecodedOperand *operands, struct uses *uses)
{
	*uses = (struct uses){0};
	for (unsigned i = 0; i < instruction->operand_count; i++) {
		const ZydisDecodedOperand *operand = &operands[i];
		bool writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;

		switch (operand->type) {
		case ZYDIS_OPERAND_TYPE_REGISTER:
			if (!use_register(operand->reg.value, writes, uses))
				return false;
			break;
		case ZYDIS_OPERAND_TYPE_MEMORY:
			if (operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN ||
			    uses->memory || operand->mem.type != ZYDIS_MEMOP_TYPE_MEM)
				return false;
			uses->memory = true;
			break;
		case ZYDIS_OPERAND_TYPE_IMMEDIATE:
			break;
		default:
			return false;
		}
	}
	/* With a bit number in a register these reach beyond their memory operand. */
	if (uses->memory && instruction->meta.category == ZYDIS_CATEGORY_BITBYTE &&
	    operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	uses->mxcsr |= uses->vector && may_use_mxcsr(instruction->meta.category);
	return true;
}

/* A register the instruction does not use: a low one when high bytes rule out a REX prefix. */
static int choose_scratch(uint16_t taken, bool high_byte)
{
	static const uint8_t order[] = {8, 9, 10, 11, 6, 7, 2, 1, 0, 3, 12, 13, 14, 15};

	for (size_t i = 0; i < sizeof order; i++) {
		if (!(taken >> order[i] & 1) && !(high_byte && order[i] >= 8))
			return order[i];
	}
	return -1;
}

/* The register of the same width as reg with another number. */
static ZydisRegister renumber(ZydisRegister reg, int n)
{
	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_GPR64:
		return ZYDIS_REGISTER_RAX + n;
	case ZYDIS_REGCLASS_GPR32:
		return ZYDIS_REGISTER_EAX + n;
	case ZYDIS_REGCLASS_GPR16:
		return ZYDIS_REGISTER_AX + n;
	default: /* SPL: only with REX, where all low bytes can be named */
		return n < 4
			   ? ZYDIS_REGISTER_AL + n
			   : (n < 8 ? ZYDIS_REGISTER_SPL + (n - 4) : ZYDIS_REGISTER_R8B + (n - 8));
	}
}

/* The instruction with its memory operand at [memory] and rsp replaced; its length, or 0. */
static size_t reencode(const ZydisDecodedInstruction *instruction,
    const ZydisDecodedOperand *operands, int memory, int stack, uint8_t *out)
{
	ZydisEncoderRequest request;
	ZyanUSize length = ZYDIS_MAX_INSTRUCTION_LENGTH;

	if (!ZYAN_SUCCESS(ZydisEncoderDecodedInstructionToEncoderRequest(
		instruction, operands, instruction->operand_count_visible, &request)))
		return 0;
	request.prefixes &= ~(ZydisInstructionAttributes)(ZYDIS_ATTRIB_HAS_SEGMENT);
	for (unsigned i = 0; i < request.operand_count; i++) {
		ZydisEncoderOperand *operand = &request.operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER && stack >= 0 &&
		    gpr_number(operand->reg.value) == RSP)
			operand->reg.value = renumber(operand->reg.value, stack);
		if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		operand->mem.base = ZYDIS_REGISTER_RAX + memory;
		operand->mem.index = ZYDIS_REGISTER_NONE;
		operand->mem.scale = 0;
		operand->mem.displacement = 0;
	}
	if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&request, out, &length)))
		return 0;
	return length;
}

/* The place of a recipe among those known, which is another's perhaps. */
static size_t place_of(const struct recipe *recipe)
{
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < sizeof recipe->code; i++)
		hash = (hash ^ recipe->code[i]) * 1099511628211u;
	hash ^= (uint64_t)(recipe->memory * 16 + recipe->stack);
	return (hash ^ hash >> 32) & (KNOWN - 1);
}

/* How to make a thunk of the instruction, and what it will use; false when it cannot be. */
static bool choose_recipe(const ZydisDecodedInstruction *instruction,
    const ZydisDecodedOperand *operands, const uint8_t *bytes, struct uses *uses,
    struct recipe *recipe)
{
	*recipe = (struct recipe){.length = instruction->length, .memory = -1, .stack = -1};
	if (uses->memory &&
	    (recipe->memory = (int8_t)choose_scratch(uses->gpr, uses->high_byte)) < 0)
		return false;
	if (uses->gpr >> RSP & 1) {
		uint16_t taken =
		    (uint16_t)(uses->gpr | (recipe->memory >= 0 ? 1u << recipe->memory : 0));

		recipe->stack = (int8_t)choose_scratch(taken, uses->high_byte);
		if (recipe->stack < 0)
			return false;
		uses->gpr = (uint16_t)((uses->gpr & ~(1u << RSP)) | 1u << recipe->stack);
	}
	if (recipe->memory < 0 && recipe->stack < 0)
		memcpy(recipe->code, bytes, recipe->length);
	else
		recipe->length = (uint8_t)reencode(
		    instruction, operands, recipe->memory, recipe->stack, recipe->code);
	return recipe->length > 0;
}

static void emit(struct emitter *emitter, const struct recipe *recipe, const struct uses *uses)
{
	const struct thunk_state *state = emitter->state;

	emit_prologue(emitter, uses, recipe->memory);
	for (unsigned n = 0; n < 16; n++) {
		if (uses->gpr >> n & 1)
			emit_move(
			    emitter, 0x8b, n, &state->gpr[(int)n == recipe->stack ? RSP : (int)n]);
	}
	emit_bytes(emitter, recipe->code, recipe->length);
	for (unsigned n = 0; n < 16; n++) {
		unsigned source = (int)n == recipe->stack ? RSP : n;

		if ((uses->gpr >> n & 1) && (uses->gpr_written >> source & 1))
			emit_move(emitter, 0x89, n, &state->gpr[source]);
	}
	emit_epilogue(emitter, uses, recipe->memory);
}

bool thunks_make(struct thunks *thunks, const ZydisDecodedInstruction *instruction,
    const ZydisDecodedOperand *operands, const uint8_t *bytes, struct thunk *thunk, bool *full)
{
	struct emitter emitter = {thunks->arena + thunks->used, thunks_state(thunks)};
	struct uses uses;
	struct recipe recipe;
	size_t place;

	*full = false;
	if (!may_be_taken(instruction) || !find_uses(instruction, operands, &uses) ||
	    !choose_recipe(instruction, operands, bytes, &uses, &recipe))
		return false;
	place = place_of(&recipe);
	if (memcmp(&thunks->known[place].recipe, &recipe, sizeof recipe) == 0) {
		*thunk = thunks->known[place].thunk;
		return true;
	}
	if (ARENA_BYTES - thunks->used < THUNK_MAX) {
		*full = true;
		return false;
	}
	*thunk = (struct thunk){.at = (uint32_t)thunks->used,
	    .vectors = uses.vector || uses.mxcsr,
	    .vectors_change = uses.vector_written || uses.mxcsr,
	    .floating = uses.mxcsr};
	emit(&emitter, &recipe, &uses);
	thunks->used = (size_t)(emitter.at - thunks->arena);
	thunks->known[place].recipe = recipe;
	thunks->known[place].thunk = *thunk;
	return true;
}
