/*
 * Branch conditions, against the processor itself: every condition, on every combination of flags.
 */
#include <check.h>
#include <stdlib.h>

#include "worker/x86/branch.h"
#include "tests/runner.h"

/* Runs one conditional jump on this processor with the flags set. */
#define JUMPS(jump, flags)                                                                         \
	({                                                                                         \
		uint64_t taken_ = 1;                                                               \
		__asm__ volatile("sub $128, %%rsp\n\tpush %1\n\tpopfq\n\t" jump                    \
				 " 1f\n\tmov $0, %0\n1:\tadd $128, %%rsp"                          \
				 : "+r"(taken_)                                                    \
				 : "r"((uint64_t)(flags))                                          \
				 : "cc", "memory");                                                \
		taken_ != 0;                                                                       \
	})

static bool processor_takes(enum branch_condition condition, uint64_t flags)
{
	switch (condition) {
	case BRANCH_O:
		return JUMPS("jo", flags);
	case BRANCH_NO:
		return JUMPS("jno", flags);
	case BRANCH_B:
		return JUMPS("jb", flags);
	case BRANCH_NB:
		return JUMPS("jnb", flags);
	case BRANCH_Z:
		return JUMPS("jz", flags);
	case BRANCH_NZ:
		return JUMPS("jnz", flags);
	case BRANCH_BE:
		return JUMPS("jbe", flags);
	case BRANCH_NBE:
		return JUMPS("jnbe", flags);
	case BRANCH_S:
		return JUMPS("js", flags);
	case BRANCH_NS:
		return JUMPS("jns", flags);
	case BRANCH_P:
		return JUMPS("jp", flags);
	case BRANCH_NP:
		return JUMPS("jnp", flags);
	case BRANCH_L:
		return JUMPS("jl", flags);
	case BRANCH_NL:
		return JUMPS("jnl", flags);
	case BRANCH_LE:
		return JUMPS("jle", flags);
	case BRANCH_NLE:
		return JUMPS("jnle", flags);
	case BRANCH_LOOPNE:
	case BRANCH_LOOPE:
	case BRANCH_LOOP:
	case BRANCH_CXZ:
		break;
	}
	ck_abort_msg("not a jump on flags");
	return false;
}

/* Spreads the low bits of n over CF, PF, ZF, SF and OF. */
static uint64_t flags_of(int n)
{
	static const uint64_t flag[] = {1 << 0, 1 << 2, 1 << 6, 1 << 7, 1 << 11};
	uint64_t flags = 0x202;

	for (int bit = 0; bit < 5; bit++)
		flags |= n & (1 << bit) ? flag[bit] : 0;
	return flags;
}

START_TEST(every_condition_goes_as_on_the_processor)
{
	enum branch_condition condition = (enum branch_condition)_i;

	for (int n = 0; n < 32; n++)
		ck_assert_msg(branch_is_taken(condition, flags_of(n), 0, 64) ==
				  processor_takes(condition, flags_of(n)),
		    "condition %d with flags 0x%lx", _i, (unsigned long)flags_of(n));
}
END_TEST

START_TEST(loop_is_taken_unless_the_count_ends)
{
	ck_assert(branch_is_taken(BRANCH_LOOP, 0, 2, 64));
	ck_assert(!branch_is_taken(BRANCH_LOOP, 0, 1, 64));
	ck_assert(branch_is_taken(BRANCH_LOOP, 0, 0, 64)); /* wraps round */
}
END_TEST

START_TEST(loope_and_loopne_also_look_at_the_zero_flag)
{
	ck_assert(branch_is_taken(BRANCH_LOOPE, 1 << 6, 2, 64));
	ck_assert(!branch_is_taken(BRANCH_LOOPE, 0, 2, 64));
	ck_assert(!branch_is_taken(BRANCH_LOOPE, 1 << 6, 1, 64));
	ck_assert(branch_is_taken(BRANCH_LOOPNE, 0, 2, 64));
	ck_assert(!branch_is_taken(BRANCH_LOOPNE, 1 << 6, 2, 64));
}
END_TEST

START_TEST(jrcxz_looks_at_rcx_and_jecxz_at_ecx)
{
	ck_assert(branch_is_taken(BRANCH_CXZ, 0, 0, 64));
	ck_assert(!branch_is_taken(BRANCH_CXZ, 0, 1ull << 32, 64));
	ck_assert(branch_is_taken(BRANCH_CXZ, 0, 1ull << 32, 32));
	ck_assert(!branch_is_taken(BRANCH_LOOP, 0, (1ull << 32) + 1, 32));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {every_condition_goes_as_on_the_processor, BRANCH_NLE + 1},
	    {loop_is_taken_unless_the_count_ends, 1},
	    {loope_and_loopne_also_look_at_the_zero_flag, 1},
	    {jrcxz_looks_at_rcx_and_jecxz_at_ecx, 1},
	    {NULL, 0},
	};

	return run_loops("softpmu branch", tests, NULL, NULL);
}
