/*
 * What single instructions make of undefined bits, and which conditions depend on them.
 */
#include <check.h>
#include <string.h>

#include "tests/runner.h"
#include "worker/softpmu/follow/joined.h"
#include "worker/softpmu/follow/stackroom.h"
#include "worker/softpmu/follow/undefined.h"
#include "worker/x86/decoder.h"
#include "worker/x86/eflags.h"

enum { RAX = 0, RCX = 1, RDX = 2, MEMORY = 4096, HERE = 7, THERE = 9 };

static struct undefined state;
static struct user_regs_struct regs;
static uint8_t bytes[MEMORY], shadow[MEMORY];

static void read_bytes(void *context, uint64_t address, void *into, size_t size)
{
	(void)context;
	memcpy(into, bytes + address, size);
}

static uint16_t load(void *context, uint64_t address, uint8_t *undefined, size_t size)
{
	uint16_t from = 0;

	(void)context;
	memcpy(undefined, shadow + address, size);
	for (size_t i = 0; i < size; i++)
		from = undefined[i] ? THERE : from;
	return from;
}

static void store(
    void *context, uint64_t address, const uint8_t *undefined, size_t size, uint16_t from)
{
	(void)context;
	(void)from;
	memcpy(shadow + address, undefined, size);
}

static uint64_t mask; /* every register's */

static bool select_bytes(void *context, const struct access *access, uint64_t *selected)
{
	(void)context;
	*selected = accesses_selected(access, mask);
	return true;
}

static const struct undefined_memory memory = {NULL, read_bytes, load, store, select_bytes};

static void set_up(void)
{
	memset(&state, 0, sizeof state);
	memset(shadow, 0, sizeof shadow);
	memset(bytes, 0, sizeof bytes);
	regs = (struct user_regs_struct){.rsp = 1024, .rdi = 512, .rsi = 256, .rip = 64};
	for (unsigned i = 0; i < UNDEFINED_GENERAL; i++)
		state.general_from[i] = HERE;
}

#define CODE(code) code, sizeof(code) - 1

static struct undefined_step step_of(const char *code, size_t length)
{
	struct undefined_step step = {.state = &state, .regs = &regs, .memory = &memory};

	ck_assert(undefined_decode(&step, (const uint8_t *)code, length));
	return step;
}

static void run(const char *code, size_t length)
{
	struct undefined_step step = step_of(code, length);

	undefined_apply(&step);
}

static enum undefined_use use(const char *code, size_t length)
{
	const struct undefined_step step = step_of(code, length);
	uint16_t from;

	return undefined_use(&step, &from);
}

/* One instruction, with rax and rcx undefined in these bits. */
struct row {
	const char *code;
	size_t length;
	uint64_t rax, rax_undefined, rcx, rcx_undefined; /* before */
	uint64_t result;				 /* the undefined bits of rax */
};

static const struct row rows[] = {
    /* mov %ecx,%eax; mov %cl,%al; mov %cl,%ah */
    {CODE("\x89\xc8"), 0, UINT64_MAX, 0, 0xff, 0xff},
    {CODE("\x88\xc8"), 0, 0xff00, 0, 0xf, 0xff0f},
    {CODE("\x88\xcc"), 0, 0, 0, 0xf, 0xf00},
    /* movzbl %cl,%eax; movsbl %cl,%eax; movslq %ecx,%rax */
    {CODE("\x0f\xb6\xc1"), 0, 0, 0, 0x80, 0x80},
    {CODE("\x0f\xbe\xc1"), 0, 0, 0, 0x80, 0xffffff80},
    {CODE("\x48\x63\xc1"), 0, 0, 0, 0x80000000, 0xffffffff80000000},
    /* and %rcx,%rax: zeros define; or: ones */
    {CODE("\x48\x21\xc8"), 0, 0xff, 0xf, 0, 0xf},
    {CODE("\x48\x09\xc8"), 0, 0xff, 0xf, 0, 0xf0},
    /* and $7,%eax; xor %rax,%rax; sub %rax,%rax; sbb %eax,%eax */
    {CODE("\x83\xe0\x07"), 0, UINT64_MAX, 0, 0, 7},
    {CODE("\x48\x31\xc0"), 0, UINT64_MAX, 0, 0, 0},
    {CODE("\x48\x29\xc0"), 0, UINT64_MAX, 0, 0, 0},
    {CODE("\x19\xc0"), 0, UINT64_MAX, 0, 0, 0},
    /* and $-2,%eax; or $-1,%eax: a constant of one byte has its sign in all others */
    {CODE("\x83\xe0\xfe"), 0, UINT64_MAX, 0, 0, 0xfffffffe},
    {CODE("\x83\xc8\xff"), 0, UINT64_MAX, 0, 0, 0},
    /* add %rcx,%rax: the carry ends at a zero that is defined */
    {CODE("\x48\x01\xc8"), 0, 1, 1, 0, 3},
    {CODE("\x48\x01\xc8"), 0, 1, 0, 0, 1},
    {CODE("\x48\x01\xc8"), 0xff, 0, 0, 1, 0x1ff},
    /* lea 0x10(%rax,%rcx,4),%rax */
    {CODE("\x48\x8d\x44\x88\x10"), 0, 0, 0, 1, 4},
    /* shl $4,%rax; shr $4,%rax; sar $4,%eax; rol $8,%eax; shl %cl,%eax */
    {CODE("\x48\xc1\xe0\x04"), 0, 0xf, 0, 0, 0xf0},
    {CODE("\x48\xc1\xe8\x04"), 0, 0xff, 0, 0, 0xf},
    {CODE("\xc1\xf8\x04"), 0, 0x80000000, 0, 0, 0xf8000000},
    {CODE("\xc1\xc0\x08"), 0, 0xff000000, 0, 0, 0xff},
    {CODE("\xd3\xe0"), 0, 0, 0, 1, 0xffffffff},
    {CODE("\xd3\xe0"), 0, 1, 3, 0x100, 8},
    /* imul %ecx,%eax; with a zero */
    {CODE("\x0f\xaf\xc1"), 0, 4, 3, 0, 0xfffffffc},
    {CODE("\x0f\xaf\xc1"), 0, 4, 0, 0, 0},
    /* not %eax; neg %rax; bswap %eax; cltq; popcnt %ecx,%eax */
    {CODE("\xf7\xd0"), 0, 0xf0, 0, 0, 0xf0},
    {CODE("\x48\xf7\xd8"), 0, 1ull << 63, 0, 0, 1ull << 63},
    {CODE("\x0f\xc8"), 0, 0xff, 0, 0, 0xff000000},
    {CODE("\x48\x98"), 0, 0x80000000, 0, 0, 0xffffffff80000000},
    {CODE("\xf3\x0f\xb8\xc1"), 0, 0, 0, 1, 0x7f},
    /* tzcnt %ecx,%eax: decided by what is lower */
    {CODE("\xf3\x0f\xbc\xc1"), 0, 0, 2, 0xff0, 0},
    {CODE("\xf3\x0f\xbc\xc1"), 0, 0, 0x100, 0xff, 0x7f},
    /* mul %ecx of bytes and the processor's clock are defined */
    {CODE("\x0f\x31"), 0, UINT64_MAX, 0, 0, 0},
    /* mov (%rdi),%eax; movzwl 2(%rdi),%eax: 4 undefined bytes at 512 */
    {CODE("\x8b\x07"), 0, 0, 0, 0, 0xffffffff},
    {CODE("\x0f\xb7\x47\x03"), 0, 0, 0, 0, 0xff},
    /* xchg %rcx,%rax; cmovne %ecx,%eax, with zero set */
    {CODE("\x48\x91"), 0, 1, 0, 2, 2},
    {CODE("\x0f\x45\xc1"), 0, 1, 0, 2, 1},
};

START_TEST(an_instruction_moves_undefined_bits)
{
	const struct row *row = &rows[_i];

	regs.rax = row->rax;
	regs.rcx = row->rcx;
	regs.eflags = FLAG_ZERO;
	state.general[RAX] = row->rax_undefined;
	state.general[RCX] = row->rcx_undefined;
	memset(shadow + 512, 0xff, 4);
	run(row->code, row->length);
	ck_assert_msg(state.general[RAX] == row->result, "row %d: 0x%llx, not 0x%llx", _i,
	    (unsigned long long)state.general[RAX], (unsigned long long)row->result);
}
END_TEST

/* adc %rcx,%rax; sbb %rcx,%rax */
START_TEST(an_undefined_carry_brings_where_it_was_loaded)
{
	static const char *const codes[] = {"\x48\x11\xc8", "\x48\x19\xc8"};

	state.flags = FLAG_CARRY;
	state.flags_from = THERE;
	run(codes[_i], 3);
	ck_assert_uint_eq(state.general[RAX], _i == 0 ? 1 : UINT64_MAX);
	ck_assert_uint_eq(state.general_from[RAX], THERE);
	ck_assert(state.flags & FLAG_ZERO);
	ck_assert_uint_eq(state.flags_from, THERE);
}
END_TEST

/* cmp $value,%eax, or test; then which conditions are undefined. */
struct comparison {
	const char *code;
	size_t length;
	uint64_t rax, undefined;
	bool equal, below, below_or_equal, less, less_or_equal, sign;
};

static const struct comparison comparisons[] = {
    /* cmp $5,%eax: nothing is known; the low byte; a higher byte that differs */
    {CODE("\x83\xf8\x05"), 0, UINT32_MAX, true, true, true, true, true, true},
    {CODE("\x83\xf8\x05"), 0, 0xff, true, true, true, true, true, true},
    {CODE("\x83\xf8\x05"), 0x100, 0xff, false, false, false, false, false, false},
    /* cmp $0,%eax: never below; not equal with one bit that is set */
    {CODE("\x83\xf8\x00"), 0, UINT32_MAX, true, false, true, true, true, true},
    {CODE("\x83\xf8\x00"), 0x10, 0xf, false, false, false, false, false, false},
    /* cmp $-1,%eax, which is no byte */
    {CODE("\x83\xf8\xff"), 0, 0xff, false, false, false, false, false, false},
    {CODE("\x83\xf8\xff"), 0xffffff00, 0xff, true, true, false, true, false, true},
    /* test %eax,%eax: negative in any case */
    {CODE("\x85\xc0"), 0x80000000, 0xff, false, false, false, false, false, false},
    {CODE("\x85\xc0"), 0, 0xff, true, false, true, false, true, false},
};

static bool branches(unsigned condition)
{
	const char code[] = {(char)(0x70 | condition), 0x10};

	return use(code, sizeof code) == UNDEFINED_BRANCH;
}

START_TEST(a_condition_is_undefined_where_it_can_be_either)
{
	const struct comparison *row = &comparisons[_i];

	regs.rax = row->rax;
	state.general[RAX] = row->undefined;
	run(row->code, row->length);
	regs.eflags = row->rax >> 31 ? FLAG_SIGN : 0;
	ck_assert_int_eq(branches(4), row->equal);
	ck_assert_int_eq(branches(2), row->below);
	ck_assert_int_eq(branches(6), row->below_or_equal);
	ck_assert_int_eq(branches(12), row->less);
	ck_assert_int_eq(branches(14), row->less_or_equal);
	ck_assert_int_eq(branches(8), row->sign);
}
END_TEST

START_TEST(uses_are_branches_addresses_and_targets)
{
	state.general[RAX] = 1;
	ck_assert_int_eq(use(CODE("\x48\x8b\x08")), UNDEFINED_ADDRESS); /* mov (%rax),%rcx */
	ck_assert_int_eq(use(CODE("\x48\x8d\x08")), UNDEFINED_NO_USE);	/* lea (%rax),%rcx */
	ck_assert_int_eq(use(CODE("\xff\xe0")), UNDEFINED_JUMP);	/* jmp *%rax */
	ck_assert_int_eq(use(CODE("\x48\x89\xc1")), UNDEFINED_NO_USE);	/* mov %rax,%rcx */
	ck_assert_int_eq(use(CODE("\xe3\x02")), UNDEFINED_NO_USE);	/* jrcxz */
	state.general[RCX] = 1;
	ck_assert_int_eq(use(CODE("\xe3\x02")), UNDEFINED_BRANCH);
	ck_assert_int_eq(use(CODE("\xf3\xa4")), UNDEFINED_BRANCH); /* rep movsb */
}
END_TEST

START_TEST(memory_keeps_undefined_bits)
{
	state.general[RAX] = 0xff00;
	run(CODE("\x89\x07")); /* mov %eax,(%rdi) */
	ck_assert_uint_eq(shadow[512], 0);
	ck_assert_uint_eq(shadow[513], 0xff);
	run(CODE("\x50")); /* push %rax */
	ck_assert_uint_eq(shadow[1017], 0xff);
	run(CODE("\xc6\x47\x01\x05")); /* movb $5,1(%rdi) */
	ck_assert_uint_eq(shadow[513], 0);
	shadow[514] = 0xff;
	run(CODE("\x80\x67\x02\x0f")); /* andb $15,2(%rdi) */
	ck_assert_uint_eq(shadow[514], 0x0f);
}
END_TEST

START_TEST(vectors_are_copied_and_not_computed)
{
	memset(shadow + 512, 0xff, 32);
	run(CODE("\xc5\xfe\x6f\x07")); /* vmovdqu (%rdi),%ymm0 */
	ck_assert(!undefined_is_clear(&state));
	run(CODE("\xc5\xfe\x7f\x06")); /* vmovdqu %ymm0,(%rsi) */
	ck_assert_uint_eq(shadow[287], 0xff);
	run(CODE("\xc5\xfd\x74\xc8")); /* vpcmpeqb %ymm0,%ymm0,%ymm1 */
	ck_assert(undefined_is_clear(&state));
	run(CODE("\xf3\x0f\x7e\x07")); /* movq (%rdi),%xmm0 */
	ck_assert_uint_eq(state.vector[0][7], 0xff);
	ck_assert_uint_eq(state.vector[0][8], 0);
	run(CODE("\x66\x48\x0f\x7e\xc0")); /* movq %xmm0,%rax */
	ck_assert_uint_eq(state.general[RAX], UINT64_MAX);
	run(CODE("\x66\x0f\x2e\xc1")); /* ucomisd %xmm1,%xmm0 */
	ck_assert(branches(4));
	run(CODE("\x0f\x57\xc0")); /* xorps %xmm0,%xmm0 */
	ck_assert_uint_eq(state.vector[0][0], 0);
}
END_TEST

START_TEST(the_vectors_of_avx_512_are_copied_too)
{
	memset(shadow + 512, 0xff, 64);
	run(CODE("\x62\xe1\xfe\x48\x6f\x07")); /* vmovdqu64 (%rdi),%zmm16 */
	ck_assert_uint_eq(state.vector[16][0], 0xff);
	run(CODE("\x62\xe1\xfe\x48\x7f\x06")); /* vmovdqu64 %zmm16,(%rsi) */
	ck_assert_uint_eq(shadow[256], 0xff);
	ck_assert_uint_eq(shadow[319], 0xff);
	run(CODE("\x62\xb2\x7e\x40\x26\xc0")); /* vptestnmb %zmm16,%zmm16,%k0 */
	ck_assert(undefined_is_clear(&state));
	run(CODE("\x62\xe1\xff\x08\x10\x07")); /* vmovsd (%rdi),%xmm16 */
	ck_assert_uint_eq(state.vector[16][7], 0xff);
	ck_assert_uint_eq(state.vector[16][8], 0);
	run(CODE("\x62\xa1\xfd\x40\xef\xc0")); /* vpxorq %zmm16,%zmm16,%zmm16 */
	ck_assert(undefined_is_clear(&state));
}
END_TEST

/* Whether exactly those bytes are undefined. */
static void expect_bytes(const uint8_t *undefined, uint64_t bits)
{
	for (unsigned i = 0; i < 64; i++)
		ck_assert_msg((undefined[i] != 0) == (bits >> i & 1), "byte %u", i);
}

START_TEST(a_masked_store_defines_what_it_writes_and_no_more)
{
	memset(shadow + 256, 0xff, 64);
	mask = 0xff0;
	run(CODE("\x62\xe1\x7f\x49\x7f\x06")); /* vmovdqu8 %zmm16,(%rsi){%k1} */
	expect_bytes(shadow + 256, ~0xff0ull);
	mask = 0x5;
	run(CODE("\xc4\xe2\x7d\x2e\x0e")); /* vmaskmovps %ymm1,%ymm0,(%rsi) */
	expect_bytes(shadow + 256, ~0xfffull);
	mask = 0x8001;
	run(CODE("\x62\xf2\x7d\x49\x8b\x46\x04")); /* vpcompressd %zmm0,16(%rsi){%k1} */
	expect_bytes(shadow + 256, ~0xff0fffull);
}
END_TEST

START_TEST(a_masked_move_copies_what_it_selects)
{
	memset(shadow + 512, 0xff, 32);
	mask = 0xf0f;
	run(CODE("\x62\xe1\x7f\xc9\x6f\x07")); /* vmovdqu8 (%rdi),%zmm16{%k1}{z} */
	expect_bytes(state.vector[16], 0xf0f);
	mask = 0xf0f0;
	run(CODE("\x62\xe1\x7f\x49\x6f\x07")); /* vmovdqu8 (%rdi),%zmm16{%k1} */
	expect_bytes(state.vector[16], 0xffff);
	mask = 0x6;
	run(CODE("\x62\xa1\x7e\xc9\x6f\xc8")); /* vmovdqu32 %zmm16,%zmm17{%k1}{z} */
	expect_bytes(state.vector[17], 0xff0);
	mask = 0x3;
	run(CODE("\x62\xe1\x7f\x49\x7f\x06")); /* vmovdqu8 %zmm16,(%rsi){%k1} */
	expect_bytes(shadow + 256, 3);
	mask = 1;
	run(CODE("\xc4\xe2\x7d\x2c\x0f")); /* vmaskmovps (%rdi),%ymm0,%ymm1 */
	expect_bytes(state.vector[1], 0xf);
}
END_TEST

START_TEST(a_return_forgets_what_is_nothing_to_the_caller)
{
	state.general[RAX] = state.general[RCX] = 1;
	state.flags = FLAG_ZERO;
	run(CODE("\xc3"));
	ck_assert_uint_eq(state.general[RAX], 1);
	ck_assert_uint_eq(state.general[RCX], 0);
	ck_assert_uint_eq(state.flags, 0);
}
END_TEST

static size_t code_at(void *context, uint64_t address, uint8_t *into, size_t size)
{
	(void)context;
	memcpy(into, bytes + address, size);
	return size;
}

/* jne 8 bytes further, at 64; what follows it; and what is there then. */
static bool counts(const char *next, size_t length)
{
	struct undefined_step step;

	memset(bytes + 64, 0x90, 64);
	memcpy(bytes + 64, "\x75\x08", 2);
	memcpy(bytes + 66, next, length);
	bytes[74] = 0xc3;
	state.flags = FLAG_ZERO;
	step = step_of("\x75\x08", 2);
	return joined_counts(&step, code_at, NULL);
}

/* As of `a || b` where b was looked at first. */
START_TEST(a_condition_beside_it_can_decide)
{
	bytes[512] = 1;
	/* cmpb $0,(%rdi); jne to the same place: b is true, and the other does not matter */
	ck_assert(!counts(CODE("\x80\x3f\x00\x75\x03")));
	bytes[512] = 0;
	ck_assert(counts(CODE("\x80\x3f\x00\x75\x03")));
	/* The same, by a register: mov (%rdi),%eax; test %al,%al */
	ck_assert(counts(CODE("\x8b\x07\x84\xc0\x75\x02")));
	bytes[512] = 1;
	ck_assert(!counts(CODE("\x8b\x07\x84\xc0\x75\x02")));
	/* cmpb $0,(%rdi); jne elsewhere */
	ck_assert(counts(CODE("\x80\x3f\x00\x75\x20")));
	/* a call */
	ck_assert(counts(CODE("\xe8\x00\x00\x00\x00")));
	/* it is undefined itself */
	shadow[512] = 0xff;
	ck_assert(!counts(CODE("\x80\x3f\x00\x75\x03")));
}
END_TEST

static struct stackroom room_of(const char *code, size_t length)
{
	ZydisDecodedInstruction z;

	ck_assert(ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder(), NULL, code, length, &z)));
	return stackroom_of(&z);
}

static void expect_room(const char *code, size_t length, uint32_t size, int64_t offset)
{
	const struct stackroom room = room_of(code, length);

	ck_assert_uint_eq(room.size, size);
	ck_assert_int_eq(room.offset, offset);
}

START_TEST(the_stacks_room_is_what_moves_down)
{
	expect_room(CODE("\x48\x83\xec\x18"), 0x18, -0x18 - 128); /* sub $0x18,%rsp */
	expect_room(CODE("\x48\x81\xec\x00\x10\x00\x00"), 0x1000, -0x1000 - 128);
	expect_room(CODE("\x48\x83\xc4\x80"), 0x80, -0x80 - 128); /* add $-0x80,%rsp */
	expect_room(CODE("\x48\x83\xc4\x18"), 0, 0);		  /* add $0x18,%rsp */
	expect_room(CODE("\x48\x8d\x64\x24\xf8"), 8, -8 - 128);	  /* lea -8(%rsp),%rsp */
	expect_room(CODE("\x49\x83\xec\x18"), 0, 0);		  /* sub $0x18,%r12 */
	expect_room(CODE("\x53"), 8, -8 - 128);			  /* push %rbx */
	expect_room(CODE("\xe8\x10\x00\x00\x00"), 128, -8 - 128); /* call */
	ck_assert(room_of(CODE("\x48\x29\xc4")).by_register);	  /* sub %rax,%rsp */
	ck_assert(!room_of(CODE("\x48\x29\xe0")).by_register);	  /* sub %rsp,%rax */
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {an_instruction_moves_undefined_bits, TIMES(rows)},
	    {an_undefined_carry_brings_where_it_was_loaded, 2},
	    {a_condition_is_undefined_where_it_can_be_either, TIMES(comparisons)},
	    {uses_are_branches_addresses_and_targets, 1},
	    {memory_keeps_undefined_bits, 1},
	    {vectors_are_copied_and_not_computed, 1},
	    {the_vectors_of_avx_512_are_copied_too, 1},
	    {a_masked_store_defines_what_it_writes_and_no_more, 1},
	    {a_masked_move_copies_what_it_selects, 1},
	    {a_return_forgets_what_is_nothing_to_the_caller, 1},
	    {a_condition_beside_it_can_decide, 1},
	    {the_stacks_room_is_what_moves_down, 1},
	    {NULL, 0},
	};

	return run_loops("softpmu undefined", tests, set_up, NULL);
}
