/*
 * Conditions as gdb sends them. What the evaluator says of an expression is compared with C.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/runner.h"
#include "worker/softpmu/traps/bytecode.h"
#include "worker/softpmu/traps/conditions.h"

#define AT 0x401000ull

/* Words in the memory of the tracee, at their numbers times 8. */
static const uint64_t memory[] = {0, 0x80, 0xffff8000, 0x123456789abcdef0, 7};

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
	const size_t end = sizeof memory;

	(void)context;
	if (address > end || size > end - address)
		return false;
	memcpy(to, (const char *)memory + address, size);
	return true;
}

static enum truth_value evaluate(const uint8_t *code, size_t length)
{
	const struct user_regs_struct regs = {.rax = 3, .r15 = 4, .rip = AT, .fs_base = 9};
	const struct bytecode_world world = {.regs = &regs, .read = read_memory};

	return bytecode_evaluate(code, length, &world);
}

#define C8(n)  0x22, (n)
#define C16(n) 0x23, (n) >> 8, (n)&0xff
#define END    0x27

static const struct {
	const char *what;
	uint8_t code[24];
	size_t length;
	enum truth_value truth;
} rows[] = {
#define ROW(what, truth, ...)                                                                      \
	{                                                                                          \
		what, {__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}), truth                       \
	}
    ROW("0", TRUTH_FALSE, C8(0), END),
    ROW("2", TRUTH_TRUE, C8(2), END),
    ROW("5 - 3 - 2", TRUTH_FALSE, C8(5), C8(3), 0x03, C8(2), 0x03, END),
    ROW("2 + 3 == 5", TRUTH_TRUE, C8(2), C8(3), 0x02, C8(5), 0x13, END),
    ROW("-6 / 4 == -1", TRUTH_TRUE, C8(0xfa), 0x16, 8, C8(4), 0x05, C8(0xff), 0x16, 8, 0x13, END),
    ROW("6 % 4 == 2", TRUTH_TRUE, C8(6), C8(4), 0x07, C8(2), 0x13, END),
    ROW("6 * 4 == 24", TRUTH_TRUE, C8(6), C8(4), 0x04, C8(24), 0x13, END),
    ROW("1 / 0", TRUTH_UNKNOWN, C8(1), C8(0), 0x05, END),
    ROW("1u % 0", TRUTH_UNKNOWN, C8(1), C8(0), 0x08, END),
    ROW("the least number / -1", TRUTH_UNKNOWN, C8(1), C8(63), 0x09, C8(0xff), 0x16, 8, 0x05, END),
    ROW("-2 >> 1 == -1", TRUTH_TRUE, C8(0xfe), 0x16, 8, C8(1), 0x0a, C8(0xff), 0x16, 8, 0x13, END),
    ROW("-2u >> 63 == 1", TRUTH_TRUE, C8(0xfe), 0x16, 8, C8(63), 0x0b, C8(1), 0x13, END),
    ROW("1 << 64", TRUTH_UNKNOWN, C8(1), C8(64), 0x09, END),
    ROW("-1 < 1", TRUTH_TRUE, C8(0xff), 0x16, 8, C8(1), 0x14, END),
    ROW("-1u < 1", TRUTH_FALSE, C8(0xff), 0x16, 8, C8(1), 0x15, END),
    ROW("the memory's 0x80 as signed char < 0", TRUTH_TRUE, C8(8), 0x17, 0x16, 8, C8(0), 0x14, END),
    ROW("as int", TRUTH_FALSE, C8(8), 0x19, 0x16, 32, C8(0), 0x14, END),
    ROW("the memory's 0xffff8000 as short < 0", TRUTH_TRUE, C8(16), 0x18, 0x16, 16, C8(0), 0x14,
	END),
    ROW("as long", TRUTH_FALSE, C8(16), 0x1a, 0x16, 64, C8(0), 0x14, END),
    ROW("as unsigned short == 0x8000", TRUTH_TRUE, C8(16), 0x1a, 0x2a, 16, C16(0x8000), 0x13, END),
    ROW("no memory", TRUTH_UNKNOWN, C16(1000), 0x1a, END),
    ROW("$rax == 3", TRUTH_TRUE, 0x26, 0, 0, C8(3), 0x13, END),
    ROW("$r15 == 3", TRUTH_FALSE, 0x26, 0, 15, C8(3), 0x13, END),
    ROW("$fs_base == 9", TRUTH_TRUE, 0x26, 0, 58, C8(9), 0x13, END),
    ROW("$xmm0", TRUTH_UNKNOWN, 0x26, 0, 40, END),
    ROW("0 ? 0 : 1", TRUTH_TRUE, C8(0), 0x20, 0, 10, C8(1), 0x21, 0, 12, C8(0), END),
    ROW("1 ? 0 : 1", TRUTH_FALSE, C8(1), 0x20, 0, 10, C8(1), 0x21, 0, 12, C8(0), END),
    ROW("!5", TRUTH_FALSE, C8(5), 0x0e, END),
    ROW("~0", TRUTH_TRUE, C8(0), 0x12, END),
    ROW("5 & 2", TRUTH_FALSE, C8(5), C8(2), 0x0f, END),
    ROW("5 | 2 == 7", TRUTH_TRUE, C8(5), C8(2), 0x10, C8(7), 0x13, END),
    ROW("5 ^ 5", TRUTH_FALSE, C8(5), C8(5), 0x11, END),
    ROW("swapped: 1 < 2", TRUTH_FALSE, C8(1), C8(2), 0x2b, 0x14, END),
    ROW("doubled: 3 - 3", TRUTH_FALSE, C8(3), 0x28, 0x03, END),
    ROW("dropped", TRUTH_FALSE, C8(0), C8(3), 0x29, END),
    ROW("an extension from no bit", TRUTH_UNKNOWN, C8(1), 0x16, 0, END),
    ROW("a float", TRUTH_UNKNOWN, C8(8), 0x1b, END),
    ROW("nothing on the stack", TRUTH_UNKNOWN, END),
    ROW("no end", TRUTH_UNKNOWN, C8(0)),
    ROW("half an operand", TRUTH_UNKNOWN, C8(0), 0x23, 1),
    ROW("a loop", TRUTH_UNKNOWN, 0x21, 0, 0),
    ROW("a jump out of it", TRUTH_UNKNOWN, 0x21, 9, 9, END),
    ROW("a stack that is too deep", TRUTH_UNKNOWN, C8(0), 0x21, 0, 0),
#undef ROW
};

START_TEST(an_expression_is_what_it_is_in_c)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		ck_assert_msg(
		    evaluate(rows[i].code, rows[i].length) == rows[i].truth, "%s", rows[i].what);
}
END_TEST

static struct conditions conditions;

static void take(const char *text)
{
	conditions_take(&conditions, text, strlen(text));
}

/* With $rax as the condition's only variable. */
static bool may_hold(uint64_t address, unsigned long long rax)
{
	const struct user_regs_struct regs = {.rax = rax};

	return conditions_may_hold(&conditions, address, getpid(), &regs);
}

static void setup(void)
{
	conditions_connect(&conditions, 7);
}

#define WHEN_RAX "X4,26000027"

START_TEST(a_breakpoint_without_a_condition_always_stops)
{
	ck_assert(may_hold(AT, 0));
	take("$Z1,401000,1#00");
	ck_assert(may_hold(AT, 0));
}
END_TEST

START_TEST(a_condition_counts_until_it_is_replaced_or_taken_away)
{
	take("$Z1,401000,1;" WHEN_RAX "#00");
	ck_assert(!may_hold(AT, 0));
	ck_assert(may_hold(AT, 1));
	ck_assert(may_hold(AT + 1, 0));
	take("$Z0,401000,1#00$z0,401000,1#00");
	ck_assert(!may_hold(AT, 0));
	take("$Z1,401000,1#00");
	ck_assert(may_hold(AT, 0));
	take("$Z1,401000,1;" WHEN_RAX "#00$Z1,402000,1;" WHEN_RAX "#00");
	ck_assert(!may_hold(AT, 0));
	take("$z1,401000,1#00");
	ck_assert(may_hold(AT, 0));
	ck_assert(!may_hold(0x402000, 0));
	conditions_connect(&conditions, 8);
	ck_assert(may_hold(0x402000, 0));
}
END_TEST

START_TEST(one_of_several_conditions_is_enough)
{
	take("$Z1,401000,1;X4,26000127" WHEN_RAX "#00");
	ck_assert(may_hold(AT, 1));
	ck_assert(!may_hold(AT, 0));
}
END_TEST

START_TEST(a_packet_may_come_in_pieces)
{
	static const char packet[] = "+$Z1,401000,1;" WHEN_RAX "#3a";

	for (size_t i = 0; i < sizeof packet - 1; i++)
		conditions_take(&conditions, &packet[i], 1);
	ck_assert(!may_hold(AT, 0));
}
END_TEST

START_TEST(what_is_not_understood_stops)
{
	static const char *const odd[] = {"X4,2600002", "X4,26000027;", "X5,26000027",
	    "Y4,26000027", "X4,2600002g", "X4", "X", "X4,26000027cmds:0", "Xffffffff,00",
	    "X4,26000027X4,"};

	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
		char packet[128];

		take("$Z1,401000,1;" WHEN_RAX "#00");
		snprintf(packet, sizeof packet, "$Z1,401000,1;%s#00", odd[i]);
		take(packet);
		ck_assert_msg(may_hold(AT, 0), "%s", odd[i]);
	}
}
END_TEST

START_TEST(a_packet_without_end_forgets_all)
{
	take("$Z1,401000,1;" WHEN_RAX "#00$Z1,402000,1;");
	for (int i = 0; i < CONDITIONS_PACKET; i++)
		take("X");
	take("#00");
	ck_assert(may_hold(AT, 0));
}
END_TEST

START_TEST(more_than_are_kept_stop)
{
	char packet[128];

	for (int i = 0; i <= CONDITIONS_MAX; i++) {
		snprintf(packet, sizeof packet, "$Z1,%x,1;" WHEN_RAX "#00", 0x401000 + i);
		take(packet);
	}
	ck_assert(!may_hold(AT + CONDITIONS_MAX - 1, 0));
	ck_assert(may_hold(AT + CONDITIONS_MAX, 0));
	take("$Z1,401000,1;");
	for (int i = 0; i <= CONDITION_EXPRESSIONS; i++)
		take(WHEN_RAX);
	take("#00");
	ck_assert(may_hold(AT, 0));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    an_expression_is_what_it_is_in_c,
	    a_breakpoint_without_a_condition_always_stops,
	    a_condition_counts_until_it_is_replaced_or_taken_away,
	    one_of_several_conditions_is_enough,
	    a_packet_may_come_in_pieces,
	    what_is_not_understood_stops,
	    a_packet_without_end_forgets_all,
	    more_than_are_kept_stop,
	    NULL,
	};

	return run_tests("softpmu conditions", tests, setup, NULL);
}
