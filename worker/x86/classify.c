/*
 * Classifies instructions. A copy is right only if it does not depend on its address and does not
 * show it to the program. If that is not certain, the instruction must be CONTROL_NATIVE.
 */
#include "worker/x86/classify.h"
#include "worker/x86/decoder.h"
#include "worker/x86/x87.h"

enum {
	PREFIX_FS = 0x64,
	PREFIX_GS = 0x65,
	PREFIX_OPERAND = 0x66,
	PREFIX_ADDRESS = 0x67,
	OPCODE_MOV_TO_SEGMENT = 0x8e,
	SEGMENT_SS = 2,
	OPCODE_RETURN = 0xc3,
	RR_PAGE = 0x70000000,
	RR_PAGE_SIZE = 4096,
	RETURN_POPS_MAX = 4096,
};

static bool has_prefix(const ZydisDecodedInstruction *z, uint8_t first, uint8_t last)
{
	for (unsigned i = 0; i < z->raw.prefix_count; i++) {
		if (z->raw.prefixes[i].value >= first && z->raw.prefixes[i].value <= last)
			return true;
	}
	return false;
}

/* The prefix does not count where REX.W is too: compilers pad calls with both. */
static bool has_short_operand(const ZydisDecodedInstruction *z)
{
	return !z->raw.rex.W && has_prefix(z, PREFIX_OPERAND, PREFIX_OPERAND);
}

bool classify_is_rip_relative(const struct classified *in)
{
	return (in->z.attributes & ZYDIS_ATTRIB_HAS_MODRM) && in->z.raw.modrm.mod == 0 &&
	       in->z.raw.modrm.rm == 5;
}

bool classify_writes_memory(const struct classified *in)
{
	ZydisDecodedInstruction again;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	if (!ZYAN_SUCCESS(
		ZydisDecoderDecodeFull(decoder(), in->bytes, in->z.length, &again, operands)))
		return true;
	for (unsigned i = 0; i < again.operand_count; i++) {
		if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    (operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			return true;
	}
	return false;
}

uint64_t classify_target(const struct classified *in)
{
	return in->address + in->z.length + (uint64_t)in->z.raw.imm[0].value.s;
}

static enum control control_of_branch(const ZydisDecodedInstruction *z)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_LOOP:
	case ZYDIS_MNEMONIC_LOOPE:
	case ZYDIS_MNEMONIC_LOOPNE:
	case ZYDIS_MNEMONIC_JRCXZ:
	case ZYDIS_MNEMONIC_JECXZ:
		return has_prefix(z, PREFIX_FS, PREFIX_OPERAND) ? CONTROL_NATIVE : CONTROL_LOOP;
	default:
		break;
	}
	/* Besides the sixteen by flags there are transactions and things not made yet. */
	if ((z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && (z->opcode & 0xf0) == 0x70) ||
	    (z->opcode_map == ZYDIS_OPCODE_MAP_0F && (z->opcode & 0xf0) == 0x80))
		return has_prefix(z, PREFIX_FS, PREFIX_ADDRESS) ? CONTROL_NATIVE : CONTROL_BRANCH;
	return CONTROL_NATIVE;
}

static enum control control_of_jump(const ZydisDecodedInstruction *z)
{
	if (z->mnemonic != ZYDIS_MNEMONIC_JMP || has_prefix(z, PREFIX_FS, PREFIX_GS) ||
	    has_prefix(z, PREFIX_ADDRESS, PREFIX_ADDRESS) || has_short_operand(z))
		return CONTROL_NATIVE;
	if (z->raw.imm[0].is_relative)
		return CONTROL_JUMP;
	return z->opcode == 0xff && z->raw.modrm.reg == 4 ? CONTROL_JUMP_TO : CONTROL_NATIVE;
}

static enum control control_of_call(const ZydisDecodedInstruction *z)
{
	if (z->mnemonic != ZYDIS_MNEMONIC_CALL || has_short_operand(z) ||
	    has_prefix(z, PREFIX_ADDRESS, PREFIX_ADDRESS))
		return CONTROL_NATIVE;
	if (z->raw.imm[0].is_relative)
		return CONTROL_CALL;
	return z->opcode == 0xff && z->raw.modrm.reg == 2 ? CONTROL_CALL_TO : CONTROL_NATIVE;
}

static enum control control_of_return(const ZydisDecodedInstruction *z)
{
	if (z->mnemonic != ZYDIS_MNEMONIC_RET || (z->opcode != 0xc3 && z->opcode != 0xc2) ||
	    has_prefix(z, PREFIX_FS, PREFIX_GS) || has_prefix(z, PREFIX_ADDRESS, PREFIX_ADDRESS) ||
	    has_short_operand(z))
		return CONTROL_NATIVE;
	/* What it takes off the stack must fit into the record of the way back. */
	return z->opcode == 0xc2 && z->raw.imm[0].value.u > RETURN_POPS_MAX ? CONTROL_NATIVE
									    : CONTROL_RETURN;
}

/* Instructions that are in no class above, but must not be copied. */
static bool must_be_native(const struct classified *in)
{
	const ZydisDecodedInstruction *z = &in->z;

	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_POPFD:
		return true;
	case ZYDIS_MNEMONIC_MOV: /* shadows the next instruction from traps */
		if (z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
		    z->opcode == OPCODE_MOV_TO_SEGMENT && z->raw.modrm.reg == SEGMENT_SS)
			return true;
		break;
	default:
		break;
	}
	return x87_stores_address(z->mnemonic) ||
	       (classify_is_rip_relative(in) && has_prefix(z, PREFIX_ADDRESS, PREFIX_ADDRESS));
}

bool classify_is_in_rr_page(uint64_t address)
{
	return address >= RR_PAGE && address < RR_PAGE + RR_PAGE_SIZE;
}

/*
 * rr's filter stops the tracee at every call but those from rr's page, which are `syscall; ret`.
 */
static enum control control_of_syscall(const struct classified *in, size_t length)
{
	const ZydisDecodedInstruction *z = &in->z;

	if (z->mnemonic != ZYDIS_MNEMONIC_SYSCALL)
		return CONTROL_NATIVE;
	if (!classify_is_in_rr_page(in->address))
		return CONTROL_IN_PLACE;
	return length > z->length && in->bytes[z->length] == OPCODE_RETURN ? CONTROL_RR_CALL
									   : CONTROL_NATIVE;
}

/* length: of the bytes that are known. */
static enum control control_of(const struct classified *in, size_t length)
{
	const ZydisDecodedInstruction *z = &in->z;

	switch (z->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return control_of_branch(z);
	case ZYDIS_CATEGORY_UNCOND_BR:
		return control_of_jump(z);
	case ZYDIS_CATEGORY_CALL:
		return control_of_call(z);
	case ZYDIS_CATEGORY_RET:
		return control_of_return(z);
	case ZYDIS_CATEGORY_SYSCALL:
		return control_of_syscall(in, length);
	case ZYDIS_CATEGORY_INTERRUPT:
		return z->mnemonic == ZYDIS_MNEMONIC_INT3 ? CONTROL_IN_PLACE : CONTROL_NATIVE;
	case ZYDIS_CATEGORY_SYSRET:
		return CONTROL_NATIVE;
	default:
		if (z->mnemonic == ZYDIS_MNEMONIC_POPFQ || z->mnemonic == ZYDIS_MNEMONIC_POPF)
			return CONTROL_FLAGS;
		return must_be_native(in) ? CONTROL_NATIVE : CONTROL_ON;
	}
}

bool classify(uint64_t address, const uint8_t *bytes, size_t length, struct classified *in)
{
	in->address = address;
	in->bytes = bytes;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder(), NULL, bytes, length, &in->z)))
		return false;
	in->control = control_of(in, length);
	return true;
}

bool classify_loads_stack_pointer(const struct classified *in)
{
	enum { STORE = 0x89, LOAD = 0x8b, RSP = 4, RBP = 5, REGISTER = 3 };
	const ZydisDecodedInstruction *z = &in->z;

	if (z->mnemonic != ZYDIS_MNEMONIC_MOV || z->operand_width != 64)
		return false;
	if (z->opcode == STORE)
		return z->raw.modrm.mod == REGISTER && z->raw.modrm.rm == RSP && !z->raw.rex.B &&
		       (z->raw.modrm.reg != RBP || z->raw.rex.R);
	return z->opcode == LOAD && z->raw.modrm.reg == RSP && !z->raw.rex.R &&
	       (z->raw.modrm.mod != REGISTER || z->raw.modrm.rm != RBP || z->raw.rex.B);
}
