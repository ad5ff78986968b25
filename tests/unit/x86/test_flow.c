/*
 * Where instructions take the value from that they write: copies, constants, arithmetic.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "worker/x86/flow.h"
#include "tests/runner.h"

#define RAX 0
#define RCX 1
#define RBX 3
#define RDI 7

/* The bytes of a register that a case is about, and where they come from. */
struct row {
	const char *code;
	size_t length;
	struct piece wanted;
	enum flow_kind kind;
	struct piece piece;    /* with FLOW_REGISTER and FLOW_MAYBE */
	unsigned offset, size; /* with FLOW_MEMORY */
};

#define CODE(bytes) bytes, sizeof(bytes) - 1
#define GENERAL(number, from, size)                                                                \
	{                                                                                          \
		false, number, from, size                                                          \
	}
#define VECTOR(number, from, size)                                                                 \
	{                                                                                          \
		true, number, from, size                                                           \
	}
#define NOWHERE                                                                                    \
	{                                                                                          \
		false, 0, 0, 0                                                                     \
	}

static const struct row registers[] = {
    /* mov %rdi,%rbx */
    {CODE("\x48\x89\xfb"), GENERAL(RBX, 0, 8), FLOW_REGISTER, GENERAL(RDI, 0, 8), 0, 8},
    /* the same, for its third byte */
    {CODE("\x48\x89\xfb"), GENERAL(RBX, 2, 1), FLOW_REGISTER, GENERAL(RDI, 2, 1), 0, 1},
    /* mov %edi,%ebx: the upper half becomes zero */
    {CODE("\x89\xfb"), GENERAL(RBX, 0, 8), FLOW_REGISTER, GENERAL(RDI, 0, 4), 0, 4},
    {CODE("\x89\xfb"), GENERAL(RBX, 4, 4), FLOW_CONSTANT, NOWHERE, 0, 4},
    /* mov %edi,%ebx leaves rax */
    {CODE("\x89\xfb"), GENERAL(RAX, 0, 8), FLOW_NONE, NOWHERE, 0, 8},
    /* mov 0x8(%rdi),%rax */
    {CODE("\x48\x8b\x47\x08"), GENERAL(RAX, 4, 4), FLOW_MEMORY, NOWHERE, 4, 4},
    /* movzbl (%rdi),%eax; movsbl (%rdi),%eax */
    {CODE("\x0f\xb6\x07"), GENERAL(RAX, 0, 4), FLOW_MEMORY, NOWHERE, 0, 1},
    {CODE("\x0f\xbe\x07"), GENERAL(RAX, 0, 4), FLOW_MEMORY, NOWHERE, 0, 1},
    /* cdqe: the sign of eax */
    {CODE("\x48\x98"), GENERAL(RAX, 0, 8), FLOW_REGISTER, GENERAL(RAX, 0, 4), 0, 4},
    /* mov %cl,%ah: byte 1 of rax, and only that */
    {CODE("\x88\xcc"), GENERAL(RAX, 1, 1), FLOW_REGISTER, GENERAL(RCX, 0, 1), 0, 1},
    {CODE("\x88\xcc"), GENERAL(RAX, 0, 1), FLOW_NONE, NOWHERE, 0, 1},
    {CODE("\x88\xcc"), GENERAL(RAX, 0, 8), FLOW_PART, NOWHERE, 0, 8},
    /* mov %dil,%bl */
    {CODE("\x40\x88\xfb"), GENERAL(RBX, 0, 1), FLOW_REGISTER, GENERAL(RDI, 0, 1), 0, 1},
    /* lea (%rdi),%rax; lea 0x8(%rdi),%rax */
    {CODE("\x48\x8d\x07"), GENERAL(RAX, 0, 8), FLOW_REGISTER, GENERAL(RDI, 0, 8), 0, 8},
    {CODE("\x48\x8d\x47\x08"), GENERAL(RAX, 0, 8), FLOW_ADDRESS, NOWHERE, 0, 8},
    /* xor %eax,%eax; xor %ecx,%eax */
    {CODE("\x31\xc0"), GENERAL(RAX, 0, 8), FLOW_CONSTANT, NOWHERE, 0, 8},
    {CODE("\x31\xc8"), GENERAL(RAX, 0, 8), FLOW_COMPUTED, NOWHERE, 0, 8},
    /* pop %rbx; and rsp */
    {CODE("\x5b"), GENERAL(RBX, 0, 8), FLOW_MEMORY, NOWHERE, 0, 8},
    {CODE("\x5b"), GENERAL(4, 0, 8), FLOW_OTHER, NOWHERE, 0, 8},
    /* cmovne %edi,%eax */
    {CODE("\x0f\x45\xc7"), GENERAL(RAX, 0, 4), FLOW_MAYBE, GENERAL(RDI, 0, 4), 0, 4},
    /* cmovne %edi,%eax clears the upper half in any case */
    {CODE("\x0f\x45\xc7"), GENERAL(RAX, 0, 8), FLOW_OTHER, NOWHERE, 0, 4},
    /* xchg %rax,%rdi */
    {CODE("\x48\x97"), GENERAL(RDI, 0, 8), FLOW_REGISTER, GENERAL(RAX, 0, 8), 0, 8},
    /* syscall; rdtsc */
    {CODE("\x0f\x05"), GENERAL(RAX, 0, 8), FLOW_KERNEL, NOWHERE, 0, 8},
    {CODE("\x0f\x31"), GENERAL(RAX, 0, 8), FLOW_MACHINE, NOWHERE, 0, 8},
    /* imul %rdi,%rax */
    {CODE("\x48\x0f\xaf\xc7"), GENERAL(RAX, 0, 8), FLOW_COMPUTED, NOWHERE, 0, 8},
    /* movq %rdi,%xmm1: zero above */
    {CODE("\x66\x48\x0f\x6e\xcf"), VECTOR(1, 0, 8), FLOW_REGISTER, GENERAL(RDI, 0, 8), 0, 8},
    {CODE("\x66\x48\x0f\x6e\xcf"), VECTOR(1, 8, 8), FLOW_CONSTANT, NOWHERE, 0, 8},
    /* movq %xmm2,%xmm1 takes the lower half only */
    {CODE("\xf3\x0f\x7e\xca"), VECTOR(1, 0, 8), FLOW_REGISTER, VECTOR(2, 0, 8), 0, 8},
    {CODE("\xf3\x0f\x7e\xca"), VECTOR(1, 8, 8), FLOW_CONSTANT, NOWHERE, 0, 8},
    /* punpcklqdq %xmm2,%xmm1 */
    {CODE("\x66\x0f\x6c\xca"), VECTOR(1, 8, 8), FLOW_REGISTER, VECTOR(2, 0, 8), 0, 8},
    {CODE("\x66\x0f\x6c\xca"), VECTOR(1, 0, 8), FLOW_NONE, NOWHERE, 0, 8},
    /* movhps 0x10(%rdi),%xmm1 */
    {CODE("\x0f\x16\x4f\x10"), VECTOR(1, 12, 4), FLOW_MEMORY, NOWHERE, 4, 4},
    /* movdqu (%rdi),%xmm1 leaves what AVX has above; vmovdqu clears it */
    {CODE("\xf3\x0f\x6f\x0f"), VECTOR(1, 8, 8), FLOW_MEMORY, NOWHERE, 8, 8},
    {CODE("\xf3\x0f\x6f\x0f"), VECTOR(1, 16, 8), FLOW_NONE, NOWHERE, 0, 8},
    {CODE("\xc5\xfa\x6f\x0f"), VECTOR(1, 16, 8), FLOW_CONSTANT, NOWHERE, 16, 8},
    /* pshufd $0x4e,%xmm2,%xmm1: a shuffle is no arithmetic, and not followed */
    {CODE("\x66\x0f\x70\xca\x4e"), VECTOR(1, 0, 8), FLOW_OTHER, NOWHERE, 0, 8},
    /* paddq %xmm2,%xmm1 */
    {CODE("\x66\x0f\xd4\xca"), VECTOR(1, 0, 8), FLOW_COMPUTED, NOWHERE, 0, 8},
    /* vmovdqu64 (%rdi),%zmm1{%k1} merges */
    {CODE("\x62\xf1\xfe\x49\x6f\x0f"), VECTOR(1, 0, 8), FLOW_OTHER, NOWHERE, 0, 8},
    /* vmovdqu64 (%rdi),%zmm17; vmovdqa64 %zmm18,%zmm30; vmovdqu8 (%rdi),%ymm20{%k1}{z} */
    {CODE("\x62\xe1\xfe\x48\x6f\x0f"), VECTOR(17, 40, 8), FLOW_MEMORY, NOWHERE, 40, 8},
    {CODE("\x62\x21\xfd\x48\x6f\xf2"), VECTOR(30, 8, 8), FLOW_REGISTER, VECTOR(18, 8, 8), 8, 8},
    {CODE("\x62\xe1\x7f\xa9\x6f\x27"), VECTOR(20, 0, 8), FLOW_OTHER, NOWHERE, 0, 8},
    /* vmovsd (%rdi),%xmm17; vpxorq of one register, and what merges by a mask */
    {CODE("\x62\xe1\xff\x08\x10\x0f"), VECTOR(17, 0, 8), FLOW_MEMORY, NOWHERE, 0, 8},
    {CODE("\x62\xa1\xf5\x40\xef\xc9"), VECTOR(17, 0, 8), FLOW_CONSTANT, NOWHERE, 0, 8},
    {CODE("\x62\xf1\xf5\x49\xef\xc9"), VECTOR(1, 0, 8), FLOW_COMPUTED, NOWHERE, 0, 8},
};

static void expect_piece(const struct piece *piece, const struct piece *expected, int row)
{
	ck_assert_msg(piece->vector == expected->vector && piece->number == expected->number &&
			  piece->offset == expected->offset && piece->size == expected->size,
	    "row %d: register %u, byte %u, %u bytes", row, piece->number, piece->offset,
	    piece->size);
}

START_TEST(a_register_gets_its_bytes_from_there)
{
	const struct row *row = &registers[_i];
	struct flow flow;

	ck_assert(flow_of_register((const uint8_t *)row->code, row->length, &row->wanted, &flow));
	ck_assert_msg(flow.kind == row->kind, "row %d: kind %d", _i, flow.kind);
	if (row->kind == FLOW_REGISTER || row->kind == FLOW_MAYBE)
		expect_piece(&flow.piece, &row->piece, _i);
	if (row->kind == FLOW_MEMORY || row->kind == FLOW_REGISTER)
		ck_assert_uint_eq(flow.size, row->size);
	if (row->kind == FLOW_MEMORY)
		ck_assert_uint_eq(flow.offset, row->offset);
}
END_TEST

static const struct {
	const char *code;
	size_t length;
	unsigned offset, size;
	enum flow_kind kind;
	struct piece piece;
	uint8_t first; /* of a constant */
} stores[] = {
    /* mov %rdi,(%rax), and its upper half */
    {CODE("\x48\x89\x38"), 0, 8, FLOW_REGISTER, GENERAL(RDI, 0, 8), 0},
    {CODE("\x48\x89\x38"), 4, 4, FLOW_REGISTER, GENERAL(RDI, 4, 4), 0},
    /* movq $-2,(%rax): the sign fills up */
    {CODE("\x48\xc7\x00\xfe\xff\xff\xff"), 4, 4, FLOW_CONSTANT, NOWHERE, 0xff},
    /* push %rdi; push $5 */
    {CODE("\x57"), 0, 8, FLOW_REGISTER, GENERAL(RDI, 0, 8), 0},
    {CODE("\x6a\x05"), 0, 8, FLOW_CONSTANT, NOWHERE, 5},
    /* call: a return address */
    {CODE("\xe8\x00\x00\x00\x00"), 0, 8, FLOW_CALL, NOWHERE, 0},
    /* movsb */
    {CODE("\xa4"), 0, 1, FLOW_MEMORY, NOWHERE, 0},
    /* stos %rax */
    {CODE("\x48\xab"), 0, 8, FLOW_REGISTER, GENERAL(RAX, 0, 8), 0},
    /* movups %xmm1,(%rax), its upper half */
    {CODE("\x0f\x11\x08"), 8, 8, FLOW_REGISTER, VECTOR(1, 8, 8), 0},
    /* vmovdqu64 %xmm19,-0xf(%rdi,%rdx,1) */
    {CODE("\x62\xe1\xfe\x08\x7f\x9c\x17\xf1\xff\xff\xff"), 7, 8, FLOW_REGISTER, VECTOR(19, 7, 8),
	0},
    /* movhps %xmm1,(%rax) */
    {CODE("\x0f\x17\x08"), 0, 8, FLOW_REGISTER, VECTOR(1, 8, 8), 0},
    /* add %edi,(%rax); sete (%rax) */
    {CODE("\x01\x38"), 0, 4, FLOW_COMPUTED, NOWHERE, 0},
    {CODE("\x0f\x94\x00"), 0, 1, FLOW_COMPUTED, NOWHERE, 0},
    /* lock cmpxchg %edi,(%rax): may store or not */
    {CODE("\xf0\x0f\xb1\x38"), 0, 4, FLOW_OTHER, NOWHERE, 0},
    /* mov %edi,(%rax) stores only half of it */
    {CODE("\x89\x38"), 0, 8, FLOW_PART, NOWHERE, 0},
    /* mov (%rax),%edi stores nothing */
    {CODE("\x8b\x38"), 0, 4, FLOW_NONE, NOWHERE, 0},
};

START_TEST(memory_gets_its_bytes_from_there)
{
	struct flow flow;

	ck_assert(flow_of_memory((const uint8_t *)stores[_i].code, stores[_i].length,
	    stores[_i].offset, stores[_i].size, &flow));
	ck_assert_msg(flow.kind == stores[_i].kind, "row %d: kind %d", _i, flow.kind);
	if (flow.kind == FLOW_REGISTER)
		expect_piece(&flow.piece, &stores[_i].piece, _i);
	if (flow.kind == FLOW_CONSTANT)
		ck_assert_uint_eq(flow.bytes[0], stores[_i].first);
}
END_TEST

/* If its mask selects the byte, it is that of its register. */
START_TEST(a_masked_store_writes_its_register)
{
	static const struct {
		const char *code;
		size_t length;
		enum flow_kind kind;
		struct piece piece;
	} masked[] = {
	    /* vmovdqu8 %zmm19,(%rax){%k1}; vmaskmovps %ymm3,%ymm2,(%rax) */
	    {CODE("\x62\xe1\x7f\x49\x7f\x18"), FLOW_REGISTER, VECTOR(19, 9, 1)},
	    {CODE("\xc4\xe2\x6d\x2e\x18"), FLOW_REGISTER, VECTOR(3, 9, 1)},
	    /* vpcompressd %zmm3,(%rax){%k1}; movups %xmm1,(%rax) */
	    {CODE("\x62\xf2\x7d\x49\x8b\x18"), FLOW_OTHER, NOWHERE},
	    {CODE("\x0f\x11\x08"), FLOW_REGISTER, VECTOR(1, 9, 1)},
	};
	struct flow flow;

	for (int i = 0; i < TIMES(masked); i++) {
		const uint8_t *code = (const uint8_t *)masked[i].code;

		ck_assert(flow_of_selected(code, masked[i].length, 9, &flow));
		ck_assert_msg(flow.kind == masked[i].kind, "row %d: kind %d", i, flow.kind);
		if (flow.kind == FLOW_REGISTER)
			expect_piece(&flow.piece, &masked[i].piece, i);
	}
	/* Without that, it may be another's. */
	ck_assert(flow_of_memory((const uint8_t *)masked[0].code, masked[0].length, 9, 1, &flow));
	ck_assert_int_eq(flow.kind, FLOW_OTHER);
}
END_TEST

START_TEST(bytes_that_are_no_instruction_have_no_flow)
{
	const struct piece rax = GENERAL(RAX, 0, 8);
	struct flow flow;

	ck_assert(!flow_of_register((const uint8_t *)"\x06", 1, &rax, &flow));
	ck_assert(!flow_of_memory((const uint8_t *)"\x48", 1, 0, 8, &flow));
}
END_TEST

START_TEST(conditions_are_those_of_the_processor)
{
	/* carry 1, zero 0x40, sign 0x80, overflow 0x800 */
	ck_assert(flow_condition_holds(0x2, 1));      /* b */
	ck_assert(!flow_condition_holds(0x3, 1));     /* ae */
	ck_assert(flow_condition_holds(0x5, 0));      /* ne */
	ck_assert(flow_condition_holds(0xc, 0x80));   /* l */
	ck_assert(!flow_condition_holds(0xc, 0x880)); /* l: sign and overflow */
	ck_assert(flow_condition_holds(0xf, 0x880));  /* g */
	ck_assert(!flow_condition_holds(0xf, 0x40));  /* g */
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_register_gets_its_bytes_from_there, TIMES(registers)},
	    {memory_gets_its_bytes_from_there, TIMES(stores)},
	    {a_masked_store_writes_its_register, 1},
	    {bytes_that_are_no_instruction_have_no_flow, 1},
	    {conditions_are_those_of_the_processor, 1},
	    {NULL, 0},
	};

	return run_loops("flow", tests, NULL, NULL);
}
