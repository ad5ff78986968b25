/*
 * By the bytes of the instruction: the translator has no operands.
 */
#include "worker/softpmu/follow/stackroom.h"

enum { RSP = 4, NONE = 4, REGISTER = 3, WORD = 8 };

static struct stackroom moved(int64_t down)
{
	if (down <= 0 || down > INT32_MAX)
		return (struct stackroom){0};
	return (struct stackroom){.size = (uint32_t)down, .offset = -down - STACKROOM_RED_ZONE};
}

/* Its register operand, or memory's base, is rsp. */
static bool is_to_rsp(const ZydisDecodedInstruction *z)
{
	return z->raw.rex.W && z->raw.modrm.mod == REGISTER && z->raw.modrm.rm == RSP &&
	       !z->raw.rex.B;
}

static struct stackroom by_number(const ZydisDecodedInstruction *z, int64_t sign)
{
	const bool is_number = z->opcode == 0x81 || z->opcode == 0x83;
	const bool from_register = z->opcode == 0x29 && is_to_rsp(z);
	const bool into_register =
	    z->opcode == 0x2b && z->raw.rex.W && z->raw.modrm.reg == RSP && !z->raw.rex.R;

	if (is_number && is_to_rsp(z))
		return moved(sign * z->raw.imm[0].value.s);
	return (struct stackroom){.by_register = sign > 0 && (from_register || into_register)};
}

static struct stackroom by_address(const ZydisDecodedInstruction *z)
{
	const bool is_rsp = z->raw.rex.W && z->raw.modrm.reg == RSP && !z->raw.rex.R;
	const bool from_rsp = z->raw.modrm.mod != REGISTER && z->raw.modrm.rm == RSP &&
			      z->raw.sib.base == RSP && z->raw.sib.index == NONE && !z->raw.rex.B &&
			      !z->raw.rex.X;

	return is_rsp && from_rsp ? moved(-z->raw.disp.value) : (struct stackroom){0};
}

struct stackroom stackroom_of(const ZydisDecodedInstruction *z)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_CALL:
		return (struct stackroom){
		    .size = STACKROOM_RED_ZONE, .offset = -WORD - STACKROOM_RED_ZONE};
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_PUSHFQ:
		return moved(WORD);
	case ZYDIS_MNEMONIC_SUB:
		return by_number(z, 1);
	case ZYDIS_MNEMONIC_ADD:
		return by_number(z, -1);
	case ZYDIS_MNEMONIC_LEA:
		return by_address(z);
	default:
		return (struct stackroom){0};
	}
}
