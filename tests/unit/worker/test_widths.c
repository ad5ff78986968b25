/*
 * Conditions as rr gets them: an evaluator of gdb's opcodes, which is the software counter's, finds
 * the same in both, for random expressions. And none has an opcode that rr would double.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/runner.h"
#include "worker/gdb/widths.h"
#include "worker/softpmu/traps/bytecodeshape.h"

enum { ROUNDS = 3000, HEAD = 20, DEPTH = 4, CODE_MAX = 400 };

static uint64_t seed = 7;

static uint64_t draw(uint64_t below)
{
	seed = seed * 6364136223846793005 + 1442695040888963407;
	return (seed >> 33) % below;
}

struct code {
	uint8_t bytes[4 * CODE_MAX];
	size_t length;
};

static struct code made;

static void put(enum bytecode_opcode opcode, uint64_t operand, size_t size)
{
	made.bytes[made.length++] = (uint8_t)opcode;
	for (size_t i = 0; i < size; i++)
		made.bytes[made.length++] = (uint8_t)(operand >> 8 * (size - 1 - i));
}

static void put_tree(int depth);

static void aim(size_t jump)
{
	made.bytes[jump - 2] = (uint8_t)(made.length >> 8);
	made.bytes[jump - 1] = (uint8_t)made.length;
}

static void put_choice(int depth)
{
	size_t jump, over;

	put_tree(depth);
	put(OP_IF_GOTO, 0, 2);
	jump = made.length;
	put_tree(depth);
	put(OP_GOTO, 0, 2);
	over = made.length;
	aim(jump);
	put_tree(depth);
	aim(over);
}

static void put_tree(int depth)
{
	static const enum bytecode_opcode two[] = {OP_ADD, OP_SUB, OP_MUL, OP_LSH, OP_RSH_SIGNED,
	    OP_BIT_AND, OP_EQUAL, OP_LESS_SIGNED, OP_LESS_UNSIGNED};

	if (depth <= 0 || made.length > CODE_MAX / 2) {
		put(OP_REG, draw(16), 2);
		return;
	}
	switch (draw(4)) {
	case 0:
		return put_choice(depth - 1);
	case 1:
		put_tree(depth - 1);
		put_tree(depth - 1);
		return put(two[draw(sizeof(two) / sizeof(*two))], 0, 0);
	default:
		put_tree(depth - 1);
		put(draw(2) ? OP_EXT : OP_ZERO_EXT, 1 + draw(70), 1);
	}
}

static void make(void)
{
	made.length = 0;
	put_tree(DEPTH);
	put_tree(DEPTH);
	put(draw(2) ? OP_EQUAL : OP_LESS_SIGNED, 0, 0);
	put(OP_END, 0, 0);
}

static void write_packet(char *packet)
{
	size_t at = (size_t)sprintf(packet, "Z0,4f10,1;X%zx,", made.length);

	for (size_t i = 0; i < made.length; i++)
		at += (size_t)sprintf(packet + at, "%02x", made.bytes[i]);
}

static struct code read_packet(const char *packet)
{
	struct code code = {.length = strtoul(strchr(packet, 'X') + 1, NULL, 16)};
	const char *at = strchr(strchr(packet, 'X'), ',') + 1;

	ck_assert_uint_eq(strlen(at), 2 * code.length);
	for (size_t i = 0; i < code.length; i++) {
		const char byte[] = {at[2 * i], at[2 * i + 1], '\0'};

		code.bytes[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
	return code;
}

static bool no_memory(void *context, uint64_t address, void *to, size_t size)
{
	(void)context;
	(void)address;
	memset(to, 0, size);
	return false;
}

static void expect_the_same(const struct code *plain)
{
	struct user_regs_struct regs;
	const struct bytecode_world world = {.regs = &regs, .read = no_memory};

	for (size_t i = 0; i < sizeof(regs); i++)
		((uint8_t *)&regs)[i] = (uint8_t)(draw(3) ? draw(256) : draw(2) * 255);
	ck_assert_int_eq(bytecode_evaluate(made.bytes, made.length, &world),
	    bytecode_evaluate(plain->bytes, plain->length, &world));
}

static void expect_no_width(const struct code *plain)
{
	struct bytecode_shape shape;

	for (size_t at = 0; at < plain->length; at += shape.length) {
		const uint8_t *code = plain->bytes + at;

		ck_assert(bytecode_shape_of((enum bytecode_opcode) * code, &shape));
		ck_assert((*code != OP_EXT && *code != OP_ZERO_EXT) || code[1] <= 8);
	}
}

START_TEST(what_rr_gets_means_the_same)
{
	size_t known = 0;

	for (int i = 0; i < ROUNDS; i++) {
		char packet[WIDTHS_PACKET_MAX], to[WIDTHS_PACKET_MAX];
		struct code plain;
		size_t length;

		make();
		write_packet(packet);
		length = widths_rewrite(packet, strlen(packet), to);
		ck_assert_uint_gt(length, HEAD);
		to[length] = '\0';
		plain = read_packet(to);
		expect_no_width(&plain);
		expect_the_same(&plain);
		known += bytecode_evaluate(plain.bytes, plain.length,
			     &(struct bytecode_world){.regs = &(struct user_regs_struct){0},
				 .read = no_memory}) != TRUTH_UNKNOWN;
	}
	/* Most of them can be evaluated. */
	ck_assert_uint_gt(known, ROUNDS / 10);
}
END_TEST

static const char *const left_alone[] = {
    "Z0,4f10,1",			  /* no condition */
    "z0,4f10,1", "Z1,4f10,1;X4,26000527", /* the software counter judges those */
    "Z0,4f10,1;X4,2600052",		  /* cut off */
    "Z0,4f10,1;X5,2600052799;cmds:0,X1",  /* more than conditions */
    "Z0,4f10,1;X4,26000527cmds:0,X1,27", "Z0,4f10,1;X3,310027", /* an opcode that is not known */
    "Z0,4f10,1;X2,2600",					/* an operand that is not there */
    "Z0,4f10,1;X4,20000927",					/* a jump to nowhere */
    "Z0,4f10,1;X5,2200160027",					/* a width of none */
};

START_TEST(what_is_not_understood_goes_as_it_is)
{
	char to[WIDTHS_PACKET_MAX];

	ck_assert_uint_eq(widths_rewrite(left_alone[_i], strlen(left_alone[_i]), to), 0);
}
END_TEST

START_TEST(each_condition_of_a_breakpoint_is_rewritten)
{
	static const char packet[] = "Z0,4f10,1;X6,260005164027X6,2600002a2027";
	static const char plain[] = "Z0,4f10,1;X6,260005282927Xa,26000022200922200b27";
	char to[WIDTHS_PACKET_MAX];
	size_t length = widths_rewrite(packet, strlen(packet), to);

	ck_assert_uint_eq(length, strlen(plain));
	ck_assert_mem_eq(to, plain, length);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("widths");
	TCase *all = tcase_create("widths");

	tcase_add_test(all, what_rr_gets_means_the_same);
	tcase_add_loop_test(
	    all, what_is_not_understood_goes_as_it_is, 0, sizeof(left_alone) / sizeof(*left_alone));
	tcase_add_test(all, each_condition_of_a_breakpoint_is_rewritten);
	tcase_set_timeout(all, 60);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
