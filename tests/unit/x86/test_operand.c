/*
 * Bytes of instructions, and the memory that they read and write: explicit, implicit, or of a
 * vector.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "worker/x86/operand.h"
#include "tests/runner.h"

#define PC 0x1000

static struct instruction decode(const char *bytes, size_t length)
{
	struct instruction instruction;

	ck_assert(operand_decode((const uint8_t *)bytes, length, PC, true, &instruction));
	return instruction;
}

#define DECODE(bytes) decode(bytes, sizeof(bytes) - 1)

START_TEST(an_operand_in_memory_has_its_registers_and_its_access)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *text, *base, *index;
		unsigned scale, size;
		int64_t displacement;
		bool reads, writes;
	} cases[] = {
	    /* mov (%rax),%eax */
	    {"\x8b\x00", 2, "(%rax)", "rax", "", 0, 4, 0, true, false},
	    /* mov %eax,0x8(%rdx) */
	    {"\x89\x42\x08", 3, "0x8(%rdx)", "rdx", "", 0, 4, 8, false, true},
	    /* movl $1,-0x10(%rbp,%rcx,4) */
	    {"\xc7\x44\x8d\xf0\x01\x00\x00\x00", 8, "-0x10(%rbp,%rcx,4)", "rbp", "rcx", 4, 4, -16,
		false, true},
	    /* cmp %al,(%rdi) */
	    {"\x38\x07", 2, "(%rdi)", "rdi", "", 0, 1, 0, true, false},
	    /* lock cmpxchg %rcx,(%rdi) */
	    {"\xf0\x48\x0f\xb1\x0f", 5, "(%rdi)", "rdi", "", 0, 8, 0, true, true},
	    /* xadd %eax,(%rbx) */
	    {"\x0f\xc1\x03", 3, "(%rbx)", "rbx", "", 0, 4, 0, true, true},
	    /* rep stos %al,(%rdi) */
	    {"\xf3\xaa", 2, "(%rdi)", "rdi", "", 0, 1, 0, false, true},
	    /* mov %fs:0x28,%rax */
	    {"\x64\x48\x8b\x04\x25\x28\x00\x00\x00", 9, "%fs:0x28", "", "", 0, 8, 0x28, true,
		false},
	    /* mov 0x10(%rip),%eax: counted from the next instruction */
	    {"\x8b\x05\x10\x00\x00\x00", 6, "0x10(%rip)", "", "", 0, 4, PC + 6 + 0x10, true, false},
	    /* push %rax */
	    {"\x50", 1, "(%rsp)", "rsp", "", 0, 8, -8, false, true},
	    /* vmovdqu %ymm0,(%rdi) */
	    {"\xc5\xfe\x7f\x07", 4, "(%rdi)", "rdi", "", 0, 32, 0, false, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct instruction instruction = decode(cases[i].bytes, cases[i].length);
		const struct memory_operand *operand = &instruction.operands[0];
		ck_assert_uint_eq(instruction.count, 1);
		ck_assert_uint_eq(instruction.length, cases[i].length);
		ck_assert_str_eq(operand->text, cases[i].text);
		ck_assert_str_eq(operand->base, cases[i].base);
		ck_assert_str_eq(operand->index, cases[i].index);
		if (cases[i].index[0])
			ck_assert_uint_eq(operand->access.scale, cases[i].scale);
		ck_assert_uint_eq(operand->access.size, cases[i].size);
		ck_assert_int_eq(operand->access.displacement, cases[i].displacement);
		ck_assert_int_eq(operand->access.reads, cases[i].reads);
		ck_assert_int_eq(operand->access.writes, cases[i].writes);
		ck_assert_uint_eq(operand->access.align, 1);
	}
}
END_TEST

START_TEST(a_copy_of_strings_has_two_operands)
{
	struct instruction instruction = DECODE("\xf3\xa4");

	ck_assert_uint_eq(instruction.count, 2);
	for (int i = 0; i < 2; i++)
		ck_assert(strcmp(instruction.operands[i].base,
			      instruction.operands[i].access.writes ? "rdi" : "rsi") == 0);
	ck_assert_ptr_nonnull(strstr(instruction.text, "rep movsb"));
}
END_TEST

START_TEST(calls_and_returns_are_known_in_every_form)
{
	ck_assert(DECODE("\xe8\x00\x01\x00\x00").calls);
	ck_assert(DECODE("\xff\xd0").calls);
	ck_assert(DECODE("\xff\x54\x24\x08").calls);
	ck_assert(DECODE("\xc3").returns);
	ck_assert(DECODE("\xf3\xc3").returns);
	ck_assert(DECODE("\xc2\x08\x00").returns);
	ck_assert(!DECODE("\xff\xe0").calls); /* jmp *%rax */
	ck_assert(!DECODE("\xff\xe0").returns);
	ck_assert(DECODE("\xff\xe0").jumps && !DECODE("\xff\xe0").branches);
	ck_assert(DECODE("\x75\x10").branches && !DECODE("\x75\x10").jumps); /* jne */
	ck_assert(DECODE("\x75\x10").is_direct);
	ck_assert_uint_eq(DECODE("\x75\x10").target, PC + 2 + 0x10);
	ck_assert(!DECODE("\x50").calls);
}
END_TEST

START_TEST(aligned_forms_say_what_they_need)
{
	/* movaps %xmm0,(%rdi); movups; vmovaps %ymm0,(%rdi); paddd (%rax),%xmm0; vpaddd of it */
	ck_assert_uint_eq(DECODE("\x0f\x29\x07").operands[0].access.align, 16);
	ck_assert_uint_eq(DECODE("\x0f\x11\x07").operands[0].access.align, 1);
	ck_assert_uint_eq(DECODE("\xc5\xfc\x29\x07").operands[0].access.align, 32);
	ck_assert_uint_eq(DECODE("\x66\x0f\xfe\x00").operands[0].access.align, 16);
	ck_assert_uint_eq(DECODE("\xc5\xf9\xfe\x00").operands[0].access.align, 1);
}
END_TEST

START_TEST(a_gather_has_as_many_addresses_as_lanes)
{
	/* vpgatherdd %ymm1,(%rax,%ymm2,4),%ymm0 */
	struct instruction instruction = DECODE("\xc4\xe2\x75\x90\x04\x90");
	const struct memory_operand *operand = &instruction.operands[0];

	ck_assert_uint_eq(instruction.count, 1);
	ck_assert_str_eq(operand->index, "ymm2");
	ck_assert_uint_eq(operand->access.lanes, 8);
	ck_assert_uint_eq(operand->access.lane_bits, 32);
	ck_assert_uint_eq(operand->access.scale, 4);
	/* vpgatherqq %ymm1,(%rax,%ymm2,8),%ymm0 */
	instruction = DECODE("\xc4\xe2\xf5\x91\x04\xd0");
	ck_assert_uint_eq(instruction.operands[0].access.lanes, 4);
	ck_assert_uint_eq(instruction.operands[0].access.lane_bits, 64);
}
END_TEST

START_TEST(a_mask_decides_about_elements_where_it_has_one_for_each)
{
	static const struct {
		const char *bytes;
		bool by_element, lost, mask_lost;
	} cases[] = {
	    /* vmovdqu8 (%rsi),%ymm18{%k2}{z} and back */
	    {"\x62\xe1\x7f\xaa\x6f\x16", true, false, false},
	    {"\x62\xe1\x7f\x2a\x7f\x16", true, false, false},
	    /* vpcmpeqb (%rsi),%ymm18,%k1{%k2}, and into its own mask */
	    {"\x62\xf1\x6d\x22\x74\x0e", true, false, false},
	    {"\x62\xf1\x6d\x22\x74\x16", true, false, true},
	    /* vaddps of 8 numbers, and of one */
	    {"\x62\xe1\x6c\x22\x58\x1e", true, false, false},
	    {"\x62\xe1\x6c\x32\x58\x1e", false, false, false},
	    /* vpermd, vpcompressd, vpexpandd, vbroadcastf32x4, vdbpsadbw */
	    {"\x62\xe2\x6d\x22\x36\x1e", false, false, false},
	    {"\x62\xe2\x7d\x2a\x8b\x16", false, false, false},
	    {"\x62\xe2\x7d\x2a\x89\x16", false, false, false},
	    {"\x62\xe2\x7d\x2a\x1a\x16", false, false, false},
	    {"\x62\xf3\x6d\x22\x42\x1e\x01", false, false, false},
	    /* vmaskmovps (%rsi),%ymm1,%ymm2, and over its mask */
	    {"\xc4\xe2\x75\x2c\x16", true, false, false},
	    {"\xc4\xe2\x75\x2c\x0e", true, false, true},
	    /* vmovdqu (%rsi),%ymm2; mov (%rsi),%esi; rep movsb */
	    {"\xc5\xfe\x6f\x16", false, false, false},
	    {"\x8b\x36", false, true, false},
	    {"\xf3\xa4", false, true, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct instruction instruction = decode(cases[i].bytes, strlen(cases[i].bytes));
		const struct memory_operand *operand = &instruction.operands[0];

		ck_assert_uint_ge(instruction.count, 1);
		ck_assert_msg(operand->access.by_element == cases[i].by_element &&
				  operand->access.lost == cases[i].lost &&
				  operand->access.mask_lost == cases[i].mask_lost,
		    "%s: %d %d %d", instruction.text, operand->access.by_element,
		    operand->access.lost, operand->access.mask_lost);
	}
}
END_TEST

static struct user_regs_struct registers(void)
{
	return (struct user_regs_struct){.rax = 0x10005,
	    .rcx = 3,
	    .rdx = (uint64_t)-65,
	    .rbx = 0x20000,
	    .rsp = 0x7000,
	    .rbp = 0x7100,
	    .fs_base = 0x900000};
}

/* What gdb would say of a register with that name. */
static uint64_t named(const char *name)
{
	static const struct user_regs_struct none;
	const struct user_regs_struct regs = registers();
	const struct {
		const char *name;
		uint64_t value;
	} all[] = {{"rax", regs.rax}, {"al", 5}, {"rdx", regs.rdx}, {"dx", (uint16_t)regs.rdx},
	    {"rbx", regs.rbx}, {"rsp", regs.rsp}, {"rbp", regs.rbp}, {"fs_base", regs.fs_base},
	    {"", none.rax}};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (strcmp(all[i].name, name) == 0)
			return all[i].value;
	ck_abort_msg("no register %s", name);
}

/* The worker asks gdb for registers by name, the counter has them all: the same address. */
START_TEST(names_and_numbers_lead_to_the_same_address)
{
	static const struct {
		const char *bytes;
		size_t length;
		uint64_t at;
		unsigned size;
	} cases[] = {
	    {"\x48\x0f\xab\x13", 4, 0x20000 - 16, 8},		      /* bts %rdx,(%rbx) */
	    {"\x66\x0f\xa3\x13", 4, 0x20000 - 10, 2},		      /* bt %dx,(%rbx) */
	    {"\xd7", 1, 0x20005, 1},				      /* xlat */
	    {"\x8f\x44\x24\x08", 4, 0x7010, 8},			      /* popq 0x8(%rsp) */
	    {"\xc8\x10\x00\x22", 4, 0x7000 - 24, 24},		      /* enter $16,$34 */
	    {"\x64\x48\x8b\x04\x25\x28\x00\x00\x00", 9, 0x900028, 8}, /* mov %fs:0x28,%rax */
	    {"\xff\x32", 2, (uint64_t)-65, 8},			      /* push (%rdx) */
	};
	const struct user_regs_struct regs = registers();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct instruction instruction = decode(cases[i].bytes, cases[i].length);
		const struct memory_operand *operand = &instruction.operands[0];
		const struct access_values values = {.base = named(operand->base),
		    .index = named(operand->index),
		    .number = named(operand->number),
		    .segment = named(operand->segment)};
		uint64_t start, end;

		accesses_range(&operand->access, &regs, NULL, false, &start, &end);
		ck_assert_msg(start == cases[i].at && end == start + cases[i].size, "%s: %#llx",
		    instruction.text, (unsigned long long)start);
		ck_assert_uint_eq(access_address(&operand->access, &values), start);
	}
}
END_TEST

START_TEST(what_flushes_a_line_can_fault_and_a_hint_cannot)
{
	/* clflush (%rax); cldemote (%rax); prefetchwt1 (%rax) */
	ck_assert(DECODE("\x0f\xae\x38").operands[0].access.flushes);
	ck_assert_uint_eq(DECODE("\x0f\x1c\x00").count, 0);
	ck_assert_uint_eq(DECODE("\x0f\x0d\x10").count, 0);
}
END_TEST

START_TEST(what_only_computes_an_address_touches_nothing)
{
	ck_assert_uint_eq(DECODE("\x48\x8d\x58\x08").count, 0); /* lea 0x8(%rax),%rbx */
	ck_assert_uint_eq(DECODE("\x0f\x1f\x00").count, 0);	/* nopl (%rax) */
	ck_assert_uint_eq(DECODE("\x0f\x18\x08").count, 0);	/* prefetcht0 (%rax) */
	ck_assert_uint_eq(DECODE("\x01\xd8").count, 0);		/* add %ebx,%eax */
}
END_TEST

START_TEST(any_bytes_are_taken)
{
	struct instruction instruction;
	uint8_t bytes[INSTRUCTION_BYTES_MAX] = {0};
	unsigned seed = 1;

	ck_assert(!operand_decode(bytes, 0, PC, true, &instruction));
	for (int round = 0; round < 200000; round++) {
		for (size_t i = 0; i < sizeof(bytes); i++) {
			seed = seed * 1103515245 + 12345;
			bytes[i] = (uint8_t)(seed >> 16);
		}
		if (!operand_decode(bytes, 1 + seed % sizeof(bytes), PC, round % 2, &instruction))
			continue;
		ck_assert_uint_le(instruction.count, OPERANDS_MAX);
		for (size_t i = 0; i < instruction.count; i++) {
			ck_assert_uint_gt(instruction.operands[i].access.align, 0);
			ck_assert_uint_lt(strlen(instruction.operands[i].text), OPERAND_TEXT_MAX);
		}
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    an_operand_in_memory_has_its_registers_and_its_access,
	    a_copy_of_strings_has_two_operands,
	    calls_and_returns_are_known_in_every_form,
	    aligned_forms_say_what_they_need,
	    a_gather_has_as_many_addresses_as_lanes,
	    a_mask_decides_about_elements_where_it_has_one_for_each,
	    names_and_numbers_lead_to_the_same_address,
	    what_flushes_a_line_can_fault_and_a_hint_cannot,
	    what_only_computes_an_address_touches_nothing,
	    any_bytes_are_taken,
	    NULL,
	};

	return run_tests("operand", tests, NULL, NULL);
}
