/*
 * Block ends and regions: from bytes of code to where it may run, and with which counts.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/base/region.h"
#include "tests/runner.h"

#define BASE 0x401000ull

/* Code that stands at BASE; nothing is readable outside. */
struct code {
	const uint8_t *bytes;
	size_t length;
};

static size_t read_code(void *context, uint64_t address, uint8_t *bytes, size_t length)
{
	const struct code *code = context;

	if (address < BASE || address - BASE >= code->length)
		return 0;
	if (length > code->length - (address - BASE))
		length = code->length - (address - BASE);
	memcpy(bytes, code->bytes + (address - BASE), length);
	return length;
}

#define CODE(...)                                                                                  \
	(struct code)                                                                              \
	{                                                                                          \
		(const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})             \
	}

static struct block block_at(struct code code, uint64_t offset)
{
	struct block block;

	decode_block(read_code, &code, BASE + offset, false, &block);
	return block;
}

static struct region *region_of(struct code code, unsigned stops)
{
	struct region_key key = {.root = BASE, .stops = (uint8_t)stops, .lookahead = 1};

	return region_build(&key, false, read_code, &code);
}

START_TEST(a_block_ends_at_its_conditional_branch)
{
	/* nop; xor eax,eax; jz +2 */
	struct block block = block_at(CODE(0x90, 0x31, 0xc0, 0x74, 0x02, 0x90, 0x90, 0xc3), 0);

	ck_assert_uint_eq(block.end, BASE + 3);
	ck_assert_int_eq(block.ending.kind, END_CONDITIONAL);
	ck_assert(block.ending.counts);
	ck_assert_int_eq(block.ending.condition, BRANCH_Z);
	ck_assert_uint_eq(block.ending.target, BASE + 7);
}
END_TEST

START_TEST(a_block_goes_on_over_direct_jumps_and_calls)
{
	/* jmp +2; (2 bytes) call +0 -> next; ret */
	struct block block =
	    block_at(CODE(0xeb, 0x02, 0xcc, 0xcc, 0xe8, 0x00, 0x00, 0x00, 0x00, 0xc3), 0);

	ck_assert_uint_eq(block.end, BASE + 9);
	ck_assert_int_eq(block.ending.kind, END_INDIRECT);
	ck_assert_int_eq(block.ending.indirect.source, INDIRECT_RETURN);
	ck_assert_uint_eq(block.segments, 2);
}
END_TEST

START_TEST(loop_and_jrcxz_are_conditional_branches)
{
	struct block loop = block_at(CODE(0xe2, 0xfe), 0),
		     jecxz = block_at(CODE(0x67, 0xe3, 0x00), 0);

	ck_assert(loop.ending.counts);
	ck_assert_int_eq(loop.ending.condition, BRANCH_LOOP);
	ck_assert_uint_eq(loop.ending.target, BASE);
	ck_assert_int_eq(jecxz.ending.condition, BRANCH_CXZ);
	ck_assert_uint_eq(jecxz.ending.address_bits, 32);
}
END_TEST

START_TEST(what_is_not_understood_is_stepped)
{
	ck_assert_int_eq(block_at(CODE(0x06), 0).ending.kind, END_STEP);       /* invalid */
	ck_assert_int_eq(block_at(CODE(0x0f), 0).ending.kind, END_STEP);       /* cut off */
	ck_assert_int_eq(block_at(CODE(0x90), 8).ending.kind, END_STEP);       /* unreadable */
	ck_assert_int_eq(block_at(CODE(0xcd, 0x80), 0).ending.kind, END_STEP); /* int 0x80 */
	ck_assert_int_eq(block_at(CODE(0x8e, 0xd0), 0).ending.kind, END_STEP); /* mov ss,eax */
	ck_assert_int_eq(block_at(CODE(0x66, 0xc3), 0).ending.kind, END_STEP); /* 16-bit ret */
	ck_assert_int_eq(
	    block_at(CODE(0xc7, 0xf8, 0, 0, 0, 0), 0).ending.kind, END_STEP); /* xbegin */
}
END_TEST

START_TEST(a_prefixed_branch_is_stepped_but_counts)
{
	struct block block = block_at(CODE(0x66, 0x74, 0x00), 0);

	ck_assert_int_eq(block.ending.kind, END_STEP);
	ck_assert(block.ending.counts);
}
END_TEST

START_TEST(syscall_and_int3_end_a_block)
{
	ck_assert_int_eq(block_at(CODE(0x90, 0x0f, 0x05), 0).ending.kind, END_SYSCALL);
	ck_assert_int_eq(block_at(CODE(0x90, 0xcc), 0).ending.kind, END_TRAP);
}
END_TEST

START_TEST(an_endless_jump_is_cut)
{
	struct block block = block_at(CODE(0xeb, 0xfe), 0);

	ck_assert_int_eq(block.ending.kind, END_CUT);
	ck_assert_uint_eq(block.end, BASE);
}
END_TEST

START_TEST(the_slot_of_an_indirect_branch_follows_from_the_registers)
{
	/* jmp [rip+0x10]; call fs:[rax+rbx*8-8] */
	struct block plt = block_at(CODE(0xff, 0x25, 0x10, 0, 0, 0), 0);
	struct block table = block_at(CODE(0x64, 0xff, 0x54, 0xd8, 0xf8), 0);
	struct user_regs_struct regs = {.rax = 0x1000, .rbx = 2, .fs_base = 0x70000000};

	ck_assert_uint_eq(decode_indirect_slot(&plt.ending.indirect, &regs), BASE + 6 + 0x10);
	ck_assert_uint_eq(
	    decode_indirect_slot(&table.ending.indirect, &regs), 0x70000000 + 0x1000 + 16 - 8);
}
END_TEST

START_TEST(writable_code_is_cut_behind_each_write)
{
	struct code code =
	    CODE(0x50, 0x88, 0x07, 0x90, 0xc3); /* push rax; mov [rdi],al; nop; ret */
	struct block block;

	decode_block(read_code, &code, BASE, true, &block);
	ck_assert_int_eq(block.ending.kind, END_CUT);
	ck_assert_uint_eq(block.end, BASE + 3);
}
END_TEST

START_TEST(both_ways_round_a_skip_need_one_stop)
{
	/* jz +1; nop; nop; ret: either way, one branch has retired at the ret */
	struct code code = CODE(0x90, 0x74, 0x01, 0x90, 0x90, 0xc3);
	struct region *region = region_of(code, 4);

	ck_assert(region->runnable);
	ck_assert_uint_eq(region->stops, 1);
	ck_assert_uint_eq(region->stop[0], BASE + 5);
	ck_assert_int_eq(region_count_at(region, BASE), 0);
	ck_assert_int_eq(region_count_at(region, BASE + 1), 0);
	ck_assert_int_eq(region_count_at(region, BASE + 3), 1);
	ck_assert_int_eq(region_count_at(region, BASE + 5), 1);
	free(region);
}
END_TEST

START_TEST(a_loop_is_never_run_round_unseen)
{
	/* nop; dec eax; jnz back: the second time round the same code would have another count */
	struct code code = CODE(0x90, 0xff, 0xc8, 0x75, 0xfb, 0xc3);
	struct region *region = region_of(code, 4);

	ck_assert_uint_eq(region->stops, 1);
	ck_assert_uint_eq(region->stop[0], BASE + 3);
	ck_assert_uint_eq(region->max_count, 0);
	free(region);
}
END_TEST

START_TEST(with_few_registers_the_region_is_smaller)
{
	/* nop; jz A; jz B; ret; A: ret; B: ret */
	struct code code = CODE(0x90, 0x74, 0x03, 0x74, 0x02, 0xc3, 0xc3, 0xc3);
	struct region *four = region_of(code, 4), *one = region_of(code, 1);

	ck_assert_uint_eq(four->stops, 3);
	ck_assert_uint_eq(four->max_count, 2);
	ck_assert_uint_eq(one->stops, 1);
	ck_assert_uint_eq(one->stop[0], BASE + 1);
	free(four);
	free(one);
}
END_TEST

START_TEST(paths_of_different_length_to_one_place_are_kept_apart)
{
	/* nop; jz +2 -> X; jz +0 -> X; X: ret. X would be reached with one branch, or with two. */
	struct code code = CODE(0x90, 0x74, 0x02, 0x74, 0x00, 0xc3);
	struct region *region = region_of(code, 4);

	ck_assert_int_eq(region_count_at(region, BASE + 5), 1);
	for (unsigned i = 0; i < region->stops; i++)
		ck_assert(region->stop[i] == BASE + 3 || region->stop[i] == BASE + 5);
	ck_assert_uint_eq(region->stops, 2);
	free(region);
}
END_TEST

START_TEST(nothing_outside_the_region_has_a_count)
{
	struct region *region = region_of(CODE(0x90, 0xc3, 0x90), 4);

	ck_assert_int_eq(region_count_at(region, BASE + 2), -1);
	ck_assert_int_eq(region_count_at(region, BASE - 1), -1);
	free(region);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_block_ends_at_its_conditional_branch,
	    a_block_goes_on_over_direct_jumps_and_calls,
	    loop_and_jrcxz_are_conditional_branches,
	    what_is_not_understood_is_stepped,
	    a_prefixed_branch_is_stepped_but_counts,
	    syscall_and_int3_end_a_block,
	    an_endless_jump_is_cut,
	    the_slot_of_an_indirect_branch_follows_from_the_registers,
	    writable_code_is_cut_behind_each_write,
	    both_ways_round_a_skip_need_one_stop,
	    a_loop_is_never_run_round_unseen,
	    with_few_registers_the_region_is_smaller,
	    paths_of_different_length_to_one_place_are_kept_apart,
	    nothing_outside_the_region_has_a_count,
	    NULL,
	};

	return run_tests("softpmu region", tests, NULL, NULL);
}
