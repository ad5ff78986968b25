/*
 * What an instruction touches, and which watchpoints that meets.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/runner.h"
#include "worker/x86/accesses.h"
#include "worker/softpmu/traps/processor.h"
#include "worker/softpmu/cache/watches.h"

enum { HERE = 0x401000 };

static const struct conditions conditions;

struct touch {
	const char *what;
	uint8_t code[16];
	size_t length;
	bool all;
	uint64_t write_start, write_end; /* both 0: none */
	uint64_t read_start, read_end;
};

static struct user_regs_struct registers(void)
{
	return (struct user_regs_struct){.rip = HERE,
	    .rax = 0x10000,
	    .rcx = 3,
	    .rdx = (uint64_t)-65,
	    .rbx = 0x20000,
	    .rsp = 0x7000,
	    .rbp = 0x7100,
	    .rsi = 0x30000,
	    .rdi = 0x40000,
	    .r12 = 0x50000,
	    .r13 = 0x10,
	    .fs_base = 0x900000};
}

static const struct touch touches[] = {
    {"mov [rax], rcx", {0x48, 0x89, 0x08}, 3, false, 0x10000, 0x10008, 0, 0},
    {"mov cl, [rax + 5]", {0x8a, 0x48, 0x05}, 3, false, 0, 0, 0x10005, 0x10006},
    {"add [r12 + r13 * 4 - 1], eax", {0x43, 0x01, 0x44, 0xac, 0xff}, 5, false, 0x5003f, 0x50043,
	0x5003f, 0x50043},
    {"mov [rip + 0x10], eax", {0x89, 0x05, 0x10, 0, 0, 0}, 6, false, HERE + 0x16, HERE + 0x1a, 0,
	0},
    {"mov fs:[0x28], eax", {0x64, 0x89, 0x04, 0x25, 0x28, 0, 0, 0}, 8, false, 0x900028, 0x90002c, 0,
	0},
    {"mov [eax], ecx", {0x67, 0x89, 0x08}, 3, false, 0x10000, 0x10004, 0, 0},
    {"lea rax, [rax]", {0x48, 0x8d, 0x00}, 3, false, 0, 0, 0, 0},
    {"nop [rax]", {0x0f, 0x1f, 0x00}, 3, false, 0, 0, 0, 0},
    {"prefetch [rax]", {0x0f, 0x18, 0x08}, 3, false, 0, 0, 0, 0},
    {"push rax", {0x50}, 1, false, 0x6ff8, 0x7000, 0, 0},
    {"push [rsp + 8]", {0xff, 0x74, 0x24, 0x08}, 4, false, 0x6ff8, 0x7000, 0x7008, 0x7010},
    {"pop rax", {0x58}, 1, false, 0, 0, 0x7000, 0x7008},
    {"pop [rsp + 8]", {0x8f, 0x44, 0x24, 0x08}, 4, false, 0x7010, 0x7018, 0x7000, 0x7008},
    {"pushf", {0x9c}, 1, false, 0x6ff8, 0x7000, 0, 0},
    {"call", {0xe8, 0, 0, 0, 0}, 5, false, 0x6ff8, 0x7000, 0, 0},
    {"call [rax]", {0xff, 0x10}, 2, false, 0x6ff8, 0x7000, 0x10000, 0x10008},
    {"ret", {0xc3}, 1, false, 0, 0, 0x7000, 0x7008},
    {"leave", {0xc9}, 1, false, 0, 0, 0x7100, 0x7108},
    {"rep movsb, once", {0xf3, 0xa4}, 2, false, 0x40000, 0x40001, 0x30000, 0x30001},
    {"rep movsb, all", {0xf3, 0xa4}, 2, true, 0x40000, 0x40003, 0x30000, 0x30003},
    {"rep stosq, all", {0xf3, 0x48, 0xab}, 3, true, 0x40000, 0x40018, 0, 0},
    {"stosd", {0xab}, 1, true, 0x40000, 0x40004, 0, 0},
    {"bts [rbx], rdx", {0x48, 0x0f, 0xab, 0x13}, 4, false, 0x1fff0, 0x1fff8, 0x1fff0, 0x1fff8},
    {"bts [rbx], 5", {0x48, 0x0f, 0xba, 0x2b, 0x05}, 5, false, 0x20000, 0x20008, 0x20000, 0x20008},
    {"cmpxchg16b [rax]", {0x48, 0x0f, 0xc7, 0x08}, 4, false, 0x10000, 0x10010, 0x10000, 0x10010},
    {"fstp tbyte [rax]", {0xdb, 0x38}, 2, false, 0x10000, 0x1000a, 0, 0},
    {"vmovups [rax + 64], zmm0", {0x62, 0xf1, 0x7c, 0x48, 0x11, 0x40, 0x01}, 7, false, 0x10040,
	0x10080, 0, 0},
    {"enter 16, 0", {0xc8, 0x10, 0, 0}, 4, false, 0x6ff8, 0x7000, 0, 0},
    {"enter 16, 34", {0xc8, 0x10, 0, 0x22}, 4, false, 0x6fe8, 0x7000, 0x70f8, 0x7100},
    {"clzero", {0x0f, 0x01, 0xfc}, 3, false, 0xffc1, 0x10040, 0, 0},
};

/* A watchpoint of one byte at address. */
static unsigned meets(const struct touch *touch, uint64_t address, bool reads)
{
	struct debug_registers debug = {0};
	struct user_regs_struct regs = registers();

	debug.rr_address[1] = address;
	debug.rr_control = 1ull << 2 | (reads ? 3ull : 1ull) << 20;
	return watches_touched(&debug, touch->code, touch->length, &regs, NULL, touch->all);
}

#define EACH_TOUCH(touch)                                                                          \
	for (const struct touch *touch = touches;                                                  \
	     touch < touches + sizeof touches / sizeof *touches; touch++)

START_TEST(a_watchpoint_meets_just_the_bytes_that_are_written)
{
	EACH_TOUCH(touch)
	{
		if (touch->write_end == 0) {
			ck_assert_uint_eq(meets(touch, 0x10000, false), 0);
			continue;
		}
		ck_assert_uint_eq(meets(touch, touch->write_start, false), 2);
		ck_assert_uint_eq(meets(touch, touch->write_end - 1, false), 2);
		ck_assert_uint_eq(meets(touch, touch->write_start - 1, false), 0);
		ck_assert_uint_eq(meets(touch, touch->write_end, false), 0);
	}
}
END_TEST

START_TEST(a_watchpoint_for_reads_meets_what_is_read)
{
	EACH_TOUCH(touch)
	{
		bool written = touch->write_start <= 0x10000 && 0x10000 < touch->write_end;

		if (touch->read_end == 0) {
			ck_assert_uint_eq(meets(touch, 0x10000, true), written ? 2 : 0);
			continue;
		}
		ck_assert_uint_eq(meets(touch, touch->read_start, true), 2);
		ck_assert_uint_eq(meets(touch, touch->read_end - 1, true), 2);
		if (touch->write_end != 0)
			continue;
		ck_assert_uint_eq(meets(touch, touch->read_start - 1, true), 0);
		ck_assert_uint_eq(meets(touch, touch->read_end, true), 0);
	}
}
END_TEST

START_TEST(a_string_that_runs_backward_ends_at_its_register)
{
	const struct touch touch = {"rep stosq", {0xf3, 0x48, 0xab}, 3, true, 0, 0, 0, 0};
	struct debug_registers debug = {.rr_control = 1 | 1 << 16};
	struct user_regs_struct regs = registers();

	regs.eflags |= 1 << 10;
	debug.rr_address[0] = 0x40007;
	ck_assert_uint_eq(watches_touched(&debug, touch.code, 3, &regs, NULL, true), 1);
	debug.rr_address[0] = 0x3fff0;
	ck_assert_uint_eq(watches_touched(&debug, touch.code, 3, &regs, NULL, true), 1);
	debug.rr_address[0] = 0x3ffef;
	ck_assert_uint_eq(watches_touched(&debug, touch.code, 3, &regs, NULL, true), 0);
	regs.rcx = 0;
	debug.rr_address[0] = 0x40000;
	ck_assert_uint_eq(watches_touched(&debug, touch.code, 3, &regs, NULL, true), 0);
}
END_TEST

/* Counted repetition by repetition. */
START_TEST(the_part_before_a_watchpoint_ends_where_a_repetition_touches_it)
{
	static const uint8_t code[] = {0xf3, 0x66, 0xa5}, search[] = {0xf3, 0xa6};
	struct debug_registers debug = {.rr_control = 1 | 0x9 << 16 | 4 | 0xb << 20};
	struct user_regs_struct regs = registers(), at;
	struct accesses accesses;

	accesses_of(search, sizeof search, HERE, &accesses);
	ck_assert(!watches_can_part(&accesses)); /* may end before its count */
	accesses_of(code + 1, sizeof code - 1, HERE, &accesses);
	ck_assert(!watches_can_part(&accesses));
	accesses_of(code, sizeof code, HERE, &accesses);
	ck_assert(watches_can_part(&accesses));
	regs.rcx = 1000;
	regs.rdi = 0x40000;
	regs.rsi = 0x50001;
	for (unsigned i = 0; i < 400; i++) {
		const int64_t step = i % 2 ? -2 : 2;
		uint64_t part;

		regs.eflags = i % 2 ? 1 << 10 : 0;
		debug.rr_address[0] = 0x40000 + (uint64_t)((int64_t)i * 8 - 1600);
		debug.rr_address[1] = 0x50000 + (uint64_t)((int64_t)(i * 37 % 400) * 8 - 1600);
		part = watches_part(&debug, &accesses, &regs);
		at = regs;
		for (uint64_t n = 0; n < 1000 && n < part; n++) {
			ck_assert_uint_eq(
			    watches_touched(&debug, code, sizeof code, &at, NULL, false), 0);
			at.rdi += (uint64_t)step;
			at.rsi += (uint64_t)step;
		}
		if (part < 1000)
			ck_assert_uint_ne(
			    watches_touched(&debug, code, sizeof code, &at, NULL, false), 0);
	}
}
END_TEST

START_TEST(a_masked_store_meets_only_the_elements_that_it_writes)
{
	static const uint8_t bytes[] = {0x62, 0xe1, 0x7f, 0x49, 0x7f, 0x00};
	static const uint8_t ints[] = {0x62, 0xf1, 0x7e, 0x2f, 0x7f, 0x5b, 0x01};
	static const uint8_t compressed[] = {0x62, 0xf2, 0x7d, 0x49, 0x8b, 0x00};
	const uint64_t masks[8] = {[1] = 3ull << 4 | 1ull << 63, [7] = 0xf00 | 1 << 2};
	const uint64_t none[8] = {0};
	struct debug_registers debug = {.rr_control = 1 | 1 << 16};
	struct user_regs_struct regs = registers();
	const struct {
		const uint8_t *code;
		size_t length;
		const uint64_t *masks;
		uint64_t address;
		unsigned touched;
	} rows[] = {
	    {bytes, sizeof bytes, masks, 0x10003, 0}, /* vmovdqu8 [rax]{k1}, zmm16 */
	    {bytes, sizeof bytes, masks, 0x10004, 1}, {bytes, sizeof bytes, masks, 0x1003f, 1},
	    {bytes, sizeof bytes, masks, 0x10040, 0}, {bytes, sizeof bytes, none, 0x10004, 0},
	    {bytes, sizeof bytes, NULL, 0x10000, 1},
	    {ints, sizeof ints, masks, 0x20027, 0}, /* vmovdqu32 [rbx + 32]{k7}, ymm3 */
	    {ints, sizeof ints, masks, 0x20028, 1}, {ints, sizeof ints, masks, 0x2002b, 1},
	    {ints, sizeof ints, masks, 0x2002c, 0}, /* a mask's bits above the last element */
	    {compressed, sizeof compressed, masks, 0x10000, 1}, /* vpcompressd [rax]{k1}, zmm0 */
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		debug.rr_address[0] = rows[i].address;
		ck_assert_msg(watches_touched(&debug, rows[i].code, rows[i].length, &regs,
				  rows[i].masks, false) == rows[i].touched,
		    "row %zu", i);
	}
}
END_TEST

/* An access of the instruction, with this mask. */
static uint64_t selected(const uint8_t *code, size_t length, uint64_t elements)
{
	struct accesses accesses;

	accesses_of(code, length, HERE, &accesses);
	ck_assert_uint_eq(accesses.count, 1);
	ck_assert(accesses_is_masked(&accesses.list[0]));
	return accesses_selected(&accesses.list[0], elements);
}

START_TEST(a_mask_selects_the_bytes_that_are_accessed)
{
	static const uint8_t bytes[] = {0x62, 0xe1, 0x7f, 0xc9, 0x6f, 0x07};
	static const uint8_t ints[] = {0x62, 0xf1, 0x7e, 0x2f, 0x7f, 0x5b, 0x01};
	static const uint8_t packed[] = {0x62, 0xf2, 0x7d, 0x49, 0x8b, 0x00};
	static const uint8_t by_signs[] = {0xc4, 0xe2, 0x7d, 0x2c, 0x0f};
	static const uint8_t scalar[] = {0x62, 0xe1, 0x7e, 0x89, 0x10, 0x00};
	static const uint8_t sums[] = {0x62, 0xf2, 0x7d, 0x49, 0x31, 0x10};

	/* vmovdqu8 zmm16{k1}{z}, [rdi] */
	ck_assert_uint_eq(selected(bytes, sizeof bytes, 0x8000000000000003), 0x8000000000000003);
	/* vmovdqu32 [rbx + 32]{k7}, ymm3: a mask's bits above the last element */
	ck_assert_uint_eq(selected(ints, sizeof ints, 0xf82), 0xf00000f0);
	/* vpcompressd [rax]{k1}, zmm0 */
	ck_assert_uint_eq(selected(packed, sizeof packed, 0x10101), 0xff);
	ck_assert_uint_eq(selected(packed, sizeof packed, UINT64_MAX), UINT64_MAX);
	/* vmaskmovps ymm1, ymm0, [rdi] */
	ck_assert_uint_eq(selected(by_signs, sizeof by_signs, 0x81), 0xf000000f);
	/* vmovss xmm16{k1}{z}, [rax] */
	ck_assert_uint_eq(selected(scalar, sizeof scalar, 1), 0xf);
	ck_assert_uint_eq(selected(scalar, sizeof scalar, 0), 0);
	/* vpmovzxbd zmm2{k1}, [rax]: which bytes that are is not known */
	ck_assert_uint_eq(selected(sums, sizeof sums, 3), 0);
}
END_TEST

START_TEST(runs_of_bits_are_taken_in_their_order)
{
	uint64_t bits = 0xf0000000000000e1, all = UINT64_MAX;
	unsigned first, count;

	ck_assert(accesses_next_run(&bits, &first, &count));
	ck_assert_uint_eq(first, 0);
	ck_assert_uint_eq(count, 1);
	ck_assert(accesses_next_run(&bits, &first, &count));
	ck_assert_uint_eq(first, 5);
	ck_assert_uint_eq(count, 3);
	ck_assert(accesses_next_run(&bits, &first, &count));
	ck_assert_uint_eq(first, 60);
	ck_assert_uint_eq(count, 4);
	ck_assert(!accesses_next_run(&bits, &first, &count));
	ck_assert(accesses_next_run(&all, &first, &count));
	ck_assert_uint_eq(first, 0);
	ck_assert_uint_eq(count, 64);
	ck_assert_uint_eq(all, 0);
}
END_TEST

START_TEST(a_hardware_breakpoint_is_reached_at_its_address_alone)
{
	struct debug_registers debug = {.rr_control = 1ull << 4};

	debug.rr_address[2] = HERE;
	ck_assert_uint_eq(watches_reached(&debug, HERE), 4);
	ck_assert_uint_eq(watches_reached(&debug, HERE + 1), 0);
	debug.rr_control = 0;
	ck_assert_uint_eq(watches_reached(&debug, HERE), 0);
}
END_TEST

START_TEST(code_asks_about_each_hardware_breakpoint_it_ever_had)
{
	struct arena arena = {0};
	struct watches watches = {0};
	struct debug_registers debug = {.rr_control = 1};

	for (uint64_t i = 0; i < 3 * WATCH_ASKED; i++) {
		debug.rr_address[0] = HERE + i;
		ck_assert(watches_set(&watches, &arena, &debug, &conditions));
		ck_assert(watches_asks(&watches, HERE + i));
		debug.rr_control = 0;
		ck_assert(!watches_set(&watches, &arena, &debug, &conditions));
		ck_assert(watches_asks(&watches, HERE + i));
		debug.rr_control = 1;
		ck_assert(!watches_set(&watches, &arena, &debug, &conditions));
	}
	/* All four are asked about, also where the list begins anew with the last of them. */
	debug.rr_control = 0x55;
	for (uint64_t i = 0; i < 3 * WATCH_ASKED; i++) {
		for (uint64_t k = 0; k < DEBUG_REGISTERS; k++)
			debug.rr_address[k] = HERE + i * k;
		watches_set(&watches, &arena, &debug, &conditions);
		for (uint64_t k = 0; k < DEBUG_REGISTERS; k++)
			ck_assert(watches_asks(&watches, HERE + i * k));
	}
}
END_TEST

static uint8_t data[ARENA_DATA_SIZE];

/* Whether code would leave the cache for an access of so many bytes there. */
static bool marked(uint32_t size, uint64_t address)
{
	const struct access access = {.size = size, .base = 0, .index = ACCESS_NO_REGISTER};

	return data[watches_table(&access) + (address & 0xffff)];
}

static void set_condition(struct conditions *known, unsigned value)
{
	char packet[64];

	snprintf(packet, sizeof packet, "$Z1,%x,1;X3,22%02x27#00", (unsigned)HERE, value);
	conditions_take(known, packet, strlen(packet));
}

/* Code that judges a condition that is no more would pass over hits. */
START_TEST(code_is_made_anew_when_a_breakpoint_has_another_condition)
{
	static struct conditions known;
	struct arena arena = {0};
	struct watches watches = {0};
	struct debug_registers debug = {.rr_control = 1, .rr_address = {HERE}};

	set_condition(&known, 1);
	ck_assert(watches_set(&watches, &arena, &debug, &known));
	ck_assert_ptr_eq(watches_condition(&watches, HERE), &known.list[0]);
	/* gdb takes it out and puts it in again at each stop. */
	debug.rr_control = 0;
	conditions_take(&known, "$z1,401000,1#00", 15);
	ck_assert(!watches_set(&watches, &arena, &debug, &known));
	debug.rr_control = 1;
	set_condition(&known, 1);
	ck_assert(!watches_set(&watches, &arena, &debug, &known));
	set_condition(&known, 2);
	ck_assert(watches_set(&watches, &arena, &debug, &known));
	ck_assert(!watches_set(&watches, &arena, &debug, &known));
	conditions_take(&known, "$Z1,401000,1#00", 15);
	ck_assert(watches_set(&watches, &arena, &debug, &known));
	ck_assert_ptr_null(watches_condition(&watches, HERE));
	conditions_connect(&known, -1);
	ck_assert(!watches_set(&watches, &arena, &debug, &known));
}
END_TEST

START_TEST(the_tables_mark_each_access_that_meets_a_watchpoint)
{
	struct arena arena = {.memory = data};
	struct watches watches = {0};
	struct debug_registers debug = {.rr_control = 1ull | 0x9ull << 16};

	memset(data, 0, sizeof data);
	debug.rr_address[0] = 0x12340000; /* 8 bytes; below is the end of the table */
	ck_assert(watches_set(&watches, &arena, &debug, &conditions));
	ck_assert_int_eq(watches.level, WATCH_WRITES);
	for (uint32_t size = 1; size <= 64; size *= 2) {
		for (uint64_t at = 0x12340000 - 80; at < 0x12340000 + 80; at++)
			ck_assert_int_eq(
			    marked(size, at), at + size > 0x12340000 && at < 0x12340008);
	}
	ck_assert(marked(10, 0x12340000 - 9)); /* no less than it touches */
	ck_assert(!watches_set(&watches, &arena, &debug, &conditions));
	debug.rr_control = 0;
	ck_assert(!watches_set(&watches, &arena, &debug, &conditions));
	for (uint32_t at = 0; at < WATCH_SIZES * WATCH_TABLE_SIZE; at++)
		ck_assert_int_eq(data[ARENA_WATCHED + at], 0);
	debug.rr_control = 1ull | 0xbull << 16;
	ck_assert(watches_set(&watches, &arena, &debug, &conditions));
	ck_assert_int_eq(watches.level, WATCH_ALL);
}
END_TEST

START_TEST(what_fits_no_table_asks)
{
	const struct access string = {.kind = ACCESS_STRING, .size = 1};
	const struct access local = {.segment = 'f', .size = 8};
	const struct access large = {.size = 576};
	const struct access far = {.size = 8, .displacement = 1ll << 40};

	ck_assert_uint_eq(watches_table(&string), 0);
	ck_assert_uint_eq(watches_table(&local), 0);
	ck_assert_uint_eq(watches_table(&large), 0);
	ck_assert_uint_eq(watches_table(&far), 0);
}
END_TEST

static void setup(void)
{
	processor_probe("debug");
}

int main(void)
{
	const TTest *const tests[] = {
	    a_watchpoint_meets_just_the_bytes_that_are_written,
	    a_watchpoint_for_reads_meets_what_is_read,
	    a_string_that_runs_backward_ends_at_its_register,
	    the_part_before_a_watchpoint_ends_where_a_repetition_touches_it,
	    a_masked_store_meets_only_the_elements_that_it_writes,
	    a_mask_selects_the_bytes_that_are_accessed,
	    runs_of_bits_are_taken_in_their_order,
	    a_hardware_breakpoint_is_reached_at_its_address_alone,
	    code_asks_about_each_hardware_breakpoint_it_ever_had,
	    code_is_made_anew_when_a_breakpoint_has_another_condition,
	    the_tables_mark_each_access_that_meets_a_watchpoint,
	    what_fits_no_table_asks,
	    NULL,
	};

	return run_tests("softpmu accesses", tests, setup, NULL);
}
