/*
 * Branch conditions as in the processor's manual. Pure arithmetic, without tracees.
 */
#include "worker/x86/branch.h"

#include "worker/x86/eflags.h"

bool branch_is_taken(
    enum branch_condition condition, uint64_t eflags, uint64_t rcx, unsigned address_bits)
{
	bool zero = eflags & FLAG_ZERO;
	bool less = !(eflags & FLAG_SIGN) != !(eflags & FLAG_OVERFLOW);
	uint64_t count = address_bits == 64 ? rcx : (uint32_t)rcx;

	switch (condition) {
	case BRANCH_O:
		return eflags & FLAG_OVERFLOW;
	case BRANCH_NO:
		return !(eflags & FLAG_OVERFLOW);
	case BRANCH_B:
		return eflags & FLAG_CARRY;
	case BRANCH_NB:
		return !(eflags & FLAG_CARRY);
	case BRANCH_Z:
		return zero;
	case BRANCH_NZ:
		return !zero;
	case BRANCH_BE:
		return zero || (eflags & FLAG_CARRY);
	case BRANCH_NBE:
		return !zero && !(eflags & FLAG_CARRY);
	case BRANCH_S:
		return eflags & FLAG_SIGN;
	case BRANCH_NS:
		return !(eflags & FLAG_SIGN);
	case BRANCH_P:
		return eflags & FLAG_PARITY;
	case BRANCH_NP:
		return !(eflags & FLAG_PARITY);
	case BRANCH_L:
		return less;
	case BRANCH_NL:
		return !less;
	case BRANCH_LE:
		return zero || less;
	case BRANCH_NLE:
		return !zero && !less;
	case BRANCH_LOOPNE:
		return count != 1 && !zero;
	case BRANCH_LOOPE:
		return count != 1 && zero;
	case BRANCH_LOOP:
		return count != 1;
	case BRANCH_CXZ:
		return count == 0;
	}
	return false;
}
