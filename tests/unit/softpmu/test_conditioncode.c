/*
 * Conditions compiled into the code cache, run in a child by single steps. What they say is
 * compared with the evaluator, and the way back from each step with the registers at the beginning.
 */
#include <check.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/runner.h"
#include "worker/softpmu/traps/bytecodeshape.h"
#include "worker/softpmu/translate/conditioncode.h"
#include "worker/x86/keymark.h"
#include "worker/x86/passmark.h"
#include "worker/softpmu/cache/passcount.h"
#include "worker/softpmu/cache/recover.h"

enum {
	ORIGINAL = 0x401000,
	WORDS = 32, /* of memory to look at */
	BEGIN = 64, /* of the code in its part */
	ROUNDS = 3000,
	STEPS_MAX = 4000,
	STATUS = 0x8d5, /* flags */
};

static uint64_t seed = 1;

static uint64_t draw(uint64_t below)
{
	seed = seed * 6364136223846793005 + 1442695040888963407;
	return (seed >> 33) % below;
}

/* Numbers as they matter: near zero, near the ends, and any. */
static uint64_t number(void)
{
	static const uint64_t near[] = {0, 1, 2, 63, 64, 127, 255, 1ull << 31, 1ull << 63,
	    UINT64_MAX, UINT64_MAX - 1, 0xffffffff};

	return draw(3) ? near[draw(sizeof near / sizeof near[0])] : draw(1u << 31) << draw(33);
}

static uint64_t *words;
static uint64_t counted_before; /* passes, before the code runs */
static struct expression made;	/* by the functions below */

static void put(const void *bytes, size_t length)
{
	memcpy(made.code + made.length, bytes, length);
	made.length += length;
}

static void put_opcode(enum bytecode_opcode opcode, uint64_t operand, size_t size)
{
	uint8_t bytes[9] = {(uint8_t)opcode};

	for (size_t i = 0; i < size; i++)
		bytes[1 + i] = (uint8_t)(operand >> 8 * (size - 1 - i));
	put(bytes, 1 + size);
}

static void put_leaf(void)
{
	switch (draw(4)) {
	case 0:
		put_opcode(OP_REG, draw(17), 2);
		break;
	case 1:
		put_opcode(OP_CONST8, draw(256), 1);
		break;
	case 2: /* memory, or where there is none */
		put_opcode(OP_CONST64,
		    draw(9) ? (uintptr_t)words + draw(8 * WORDS - 8) : 0x10ull << draw(60), 8);
		put_opcode((enum bytecode_opcode)(OP_REF8 + draw(4)), 0, 0);
		break;
	default:
		put_opcode(OP_CONST64, number(), 8);
	}
}

static void put_tree(int depth);

/* As gdb writes a && b, a || b and a ? b : c. */
static void put_choice(int depth)
{
	size_t jump, over;

	put_tree(depth - 1);
	put_opcode(OP_IF_GOTO, 0, 2);
	jump = made.length;
	put_tree(depth - 1);
	put_opcode(OP_GOTO, 0, 2);
	over = made.length;
	made.code[jump - 2] = 0;
	made.code[jump - 1] = (uint8_t)made.length;
	put_tree(depth - 2);
	made.code[over - 2] = 0;
	made.code[over - 1] = (uint8_t)made.length;
}

static void put_tree(int depth)
{
	static const enum bytecode_opcode two[] = {OP_ADD, OP_SUB, OP_MUL, OP_DIV_SIGNED,
	    OP_DIV_UNSIGNED, OP_REM_SIGNED, OP_REM_UNSIGNED, OP_LSH, OP_RSH_SIGNED, OP_RSH_UNSIGNED,
	    OP_BIT_AND, OP_BIT_OR, OP_BIT_XOR, OP_EQUAL, OP_LESS_SIGNED, OP_LESS_UNSIGNED};

	if (depth <= 0 || made.length > 120) {
		put_leaf();
		return;
	}
	switch (draw(8)) {
	case 0:
		put_tree(depth - 1);
		put_opcode(draw(2) ? OP_LOG_NOT : OP_BIT_NOT, 0, 0);
		break;
	case 1:
		put_tree(depth - 1);
		put_opcode(draw(2) ? OP_EXT : OP_ZERO_EXT, 1 + draw(80), 1);
		break;
	case 2:
		put_choice(depth);
		break;
	case 3: /* x - 0 is x, and x + x */
		put_tree(depth - 1);
		put_opcode(OP_DUP, 0, 0);
		put_opcode(OP_CONST8, 0, 1);
		put_opcode(OP_SWAP, 0, 0);
		put_opcode(OP_POP, 0, 0);
		put_opcode(draw(2) ? OP_SUB : OP_ADD, 0, 0);
		break;
	default:
		put_tree(depth - 1);
		put_tree(depth - 1);
		put_opcode(two[draw(sizeof two / sizeof two[0])], 0, 0);
	}
}

/* A child that does nothing by itself, and the memory that it shares with us. */
struct machine {
	pid_t tid;
	struct space space;
	struct conditions conditions;
	struct user_regs_struct start;
};

static uint8_t *map_low(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_SHARED | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	return memory;
}

static void begin(struct machine *m)
{
	struct arena *arena = &m->space.arena;

	memset(m, 0, sizeof *m);
	arena->memory = map_low(ARENA_DATA_SIZE);
	arena->data = (uintptr_t)arena->memory;
	arena->part[0].memory = map_low(ARENA_CODE_SIZE);
	arena->part[0].address = (uintptr_t)arena->part[0].memory;
	m->space.blocks = blocks_new(arena);
	words = (uint64_t *)(void *)map_low(sizeof *words * WORDS);
	m->tid = fork();
	if (m->tid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(m->tid, NULL, 0), m->tid);
	ck_assert_int_eq(ptrace(PTRACE_GETREGS, m->tid, 0, &m->start), 0);
	m->start.orig_rax = (unsigned long long)-1;
}

static void end(struct machine *m)
{
	kill(m->tid, SIGKILL);
	waitpid(m->tid, NULL, 0);
	blocks_free(m->space.blocks);
	munmap(words, sizeof *words * WORDS);
	arena_unmap(&m->space.arena);
	places_free(&m->space.places[0]);
}

static void set_condition(struct machine *m)
{
	struct condition *condition = &m->conditions.list[0];

	m->conditions.count = condition->count = 1;
	condition->address = ORIGINAL;
	condition->hash = 1;
	condition->keyed = bytecode_keys(made.code, made.length);
	condition->adds = bytecode_adds(made.code, made.length);
	condition->counts = condition->keyed || bytecode_marks(made.code, made.length);
	condition->expression[0] = made;
	m->space.watches = (struct watches){
	    .asked = {ORIGINAL}, .judged = {1}, .asked_count = 1, .conditions = &m->conditions};
}

/* Translates it at BEGIN; returns where the code goes on, or 0 if it is not compiled. */
static uint32_t translate(struct machine *m)
{
	static struct emitter e;

	places_clear(&m->space.places[0]);
	e = (struct emitter){.space = &m->space,
	    .memory = m->space.arena.part[0].memory,
	    .base = m->space.arena.part[0].address,
	    .offset = BEGIN,
	    .original = ORIGINAL};
	if (!conditioncode_put(&e))
		return 0;
	emitter_place(&e, PLACE_AT, 0); /* its copy */
	return e.offset;
}

static struct user_regs_struct random_registers(const struct machine *m)
{
	struct user_regs_struct regs = m->start;
	unsigned long long *const general[] = {&regs.rax, &regs.rbx, &regs.rcx, &regs.rdx,
	    &regs.rsi, &regs.rdi, &regs.rbp, &regs.r8, &regs.r9, &regs.r10, &regs.r11, &regs.r12,
	    &regs.r13, &regs.r14, &regs.r15};

	for (size_t i = 0; i < sizeof general / sizeof general[0]; i++)
		*general[i] = number();
	for (size_t i = 0; i < WORDS; i++)
		words[i] = number();
	regs.eflags = (regs.eflags & ~(unsigned long long)STATUS) | (draw(1 << 12) & STATUS);
	regs.rip = ORIGINAL;
	return regs;
}

/* The way back from where the child stands leads to the program's own registers. */
static void expect_way_back(struct machine *m, const struct user_regs_struct *own)
{
	uint64_t *passes = arena_slot(&m->space.arena, ARENA_SLOT_PASSES), before = *passes;
	struct user_regs_struct regs;

	ck_assert_int_eq(ptrace(PTRACE_GETREGS, m->tid, 0, &regs), 0);
	recover_state(&m->space, m->tid, &regs);
	regs.eflags &= ~0x10100ull; /* of the step */
	regs.orig_rax = own->orig_rax;
	ck_assert_mem_eq(&regs, own, sizeof regs);
	ck_assert_uint_eq(*passes, counted_before);
	*passes = before;
}

/* Runs the translation by steps; whether it came to the question. */
static bool asks(struct machine *m, uint32_t over, const struct user_regs_struct *own)
{
	const uint64_t base = m->space.arena.part[0].address;
	const struct place *place;
	struct user_regs_struct regs = *own;
	int status;

	regs.rip = base + BEGIN;
	for (int steps = 0; steps < STEPS_MAX; steps++) {
		ck_assert_int_eq(ptrace(PTRACE_SETREGS, m->tid, 0, &regs), 0);
		expect_way_back(m, own);
		place = space_place(&m->space, regs.rip);
		if (place->kind == PLACE_ASKS)
			return true;
		if (regs.rip == base + over)
			return false;
		ck_assert_int_eq(ptrace(PTRACE_SINGLESTEP, m->tid, 0, 0), 0);
		ck_assert_int_eq(waitpid(m->tid, &status, 0), m->tid);
		ck_assert(WIFSTOPPED(status));
		ck_assert_int_eq(ptrace(PTRACE_GETREGS, m->tid, 0, &regs), 0);
		if (WSTOPSIG(status) == SIGTRAP)
			continue;
		ck_assert(WSTOPSIG(status) == SIGSEGV || WSTOPSIG(status) == SIGBUS);
		ck_assert_int_eq(place->kind, PLACE_JUDGES);
		ck_assert_int_lt(place->distance, 0);
		regs.rip += (unsigned long long)(long long)place->distance;
	}
	ck_abort_msg("it does not end");
	return false;
}

static bool read_words(void *context, uint64_t address, void *to, size_t size)
{
	const uint64_t start = (uintptr_t)words;

	(void)context;
	if (address - start > sizeof *words * WORDS - size)
		return false;
	memcpy(to, (const char *)words + (address - start), size);
	return true;
}

START_TEST(a_compiled_condition_asks_where_the_evaluator_does_not_say_no)
{
	static struct machine m;
	int asked = 0, compiled = 0;

	begin(&m);
	for (int round = 0; round < ROUNDS; round++) {
		struct user_regs_struct own = random_registers(&m);
		const struct bytecode_world world = {.regs = &own, .read = read_words};
		enum truth_value truth;
		uint32_t over;
		bool does;

		made.length = 0;
		put_tree(1 + (int)draw(5));
		put_opcode(OP_END, 0, 0);
		set_condition(&m);
		over = translate(&m);
		if (!over)
			continue;
		compiled++;
		truth = bytecode_evaluate(made.code, made.length, &world);
		does = asks(&m, over, &own);
		asked += does;
		/* -1 as a divisor is the evaluator's: it may say no. */
		ck_assert_msg(does || truth == TRUTH_FALSE, "round %d: it passes a hit", round);
		ck_assert_msg(!does || truth != TRUTH_FALSE ||
				  memchr(made.code, OP_DIV_SIGNED, made.length) ||
				  memchr(made.code, OP_REM_SIGNED, made.length),
		    "round %d: it asks in vain", round);
	}
	ck_assert_int_gt(compiled, ROUNDS / 2);
	ck_assert_int_gt(asked, compiled / 5);
	ck_assert_int_lt(asked, compiled * 9 / 10);
	end(&m);
}
END_TEST

static void put_target(size_t jump)
{
	made.code[jump - 2] = 0;
	made.code[jump - 1] = (uint8_t)made.length;
}

/* condition && *(unsigned char *)PASSMARK, as gdb writes it */
static void put_counting(void)
{
	size_t to_mark, to_yes, to_no[2], to_end;

	put_opcode(OP_IF_GOTO, 0, 2);
	to_mark = made.length;
	put_opcode(OP_GOTO, 0, 2);
	to_no[0] = made.length;
	put_target(to_mark);
	put_opcode(OP_CONST64, PASSMARK, 8);
	put_opcode(OP_REF8, 0, 0);
	put_opcode(OP_IF_GOTO, 0, 2);
	to_yes = made.length;
	put_opcode(OP_GOTO, 0, 2);
	to_no[1] = made.length;
	put_target(to_yes);
	put_opcode(OP_CONST8, 1, 1);
	put_opcode(OP_GOTO, 0, 2);
	to_end = made.length;
	put_target(to_no[0]);
	put_target(to_no[1]);
	put_opcode(OP_CONST8, 0, 1);
	put_target(to_end);
	put_opcode(OP_END, 0, 0);
}

/* On the way back before the instruction has run, its pass is taken off, see expect_way_back. */
START_TEST(a_pass_is_counted_once_where_its_condition_holds)
{
	static struct machine m;
	int counted = 0, compiled = 0;

	begin(&m);
	for (int round = 0; round < ROUNDS / 3; round++) {
		struct user_regs_struct own = random_registers(&m);
		const struct bytecode_world world = {.regs = &own, .read = read_words};
		uint64_t *passes = arena_slot(&m.space.arena, ARENA_SLOT_PASSES);
		enum truth_value truth;
		uint32_t over;

		made.length = 0;
		put_tree(1 + (int)draw(4));
		put_opcode(OP_END, 0, 0);
		truth = bytecode_evaluate(made.code, made.length, &world);
		made.length--;
		put_counting();
		set_condition(&m);
		over = translate(&m);
		if (!over)
			continue;
		compiled++;
		*passes = 0;
		if (asks(&m, over, &own))
			ck_assert_uint_eq(*passes, 0);
		else
			ck_assert_uint_eq(*passes, truth == TRUTH_TRUE);
		counted += *passes != 0;
	}
	ck_assert_int_gt(compiled, ROUNDS / 6);
	ck_assert_int_gt(counted, compiled / 5);
	end(&m);
}
END_TEST

/* The pass before which so many are counted stops, and no other. */
START_TEST(a_condition_can_ask_how_many_were_counted)
{
	static struct machine m;

	begin(&m);
	for (int round = 0; round < ROUNDS / 30; round++) {
		struct user_regs_struct own = random_registers(&m);
		const uint64_t counted = draw(4), wanted = draw(4);
		uint32_t over;

		*arena_slot(&m.space.arena, ARENA_SLOT_PASSES) = 0;
		*arena_slot(&m.space.arena, ARENA_SLOT_PASSED) = counted;
		made.length = 0;
		put_opcode(OP_CONST64, PASSMARK_SUM, 8);
		put_opcode(OP_REF64, 0, 0);
		put_opcode(OP_CONST8, wanted, 1);
		put_opcode(OP_EQUAL, 0, 0);
		put_opcode(OP_END, 0, 0);
		set_condition(&m);
		over = translate(&m);
		ck_assert_uint_ne(over, 0);
		ck_assert_int_eq(asks(&m, over, &own), counted == wanted);
	}
	end(&m);
}
END_TEST

/* x & *(unsigned long *)mark, where x is in a register */
static void put_noted(unsigned number, uint64_t mark)
{
	put_opcode(OP_REG, number, 2);
	put_opcode(OP_CONST64, mark, 8);
	put_opcode(OP_REF64, 0, 0);
	put_opcode(OP_BIT_AND, 0, 0);
}

/* rdi is the key, and r8 is the value. */
static void put_keyed(bool adds)
{
	made.length = 0;
	if (adds)
		put_noted(8, KEYMARK_VALUE);
	put_noted(5, KEYMARK);
	if (adds)
		put_opcode(OP_BIT_OR, 0, 0);
	put_opcode(OP_END, 0, 0);
}

/* A key that is not known asks, and so does any when the log is full; the code begins again behind
 * that question. */
START_TEST(a_pass_with_a_known_key_is_noted)
{
	static struct machine m;
	const struct arena *arena = &m.space.arena;
	uint64_t *passes, *log, *values, *given;

	begin(&m);
	passes = arena_slot(arena, ARENA_SLOT_PASSES);
	log = arena_slot(arena, ARENA_LOG);
	values = arena_slot(arena, ARENA_VALUES);
	given = arena_slot(arena, ARENA_SLOT_GIVEN);
	for (int round = 0; round < ROUNDS / 10; round++) {
		struct user_regs_struct own = random_registers(&m);
		const uint64_t full[] = {0, 1, ARENA_LOG_MAX - 1, ARENA_LOG_MAX};
		const bool known = draw(3), adds = draw(2);
		const uint64_t key = draw(2) ? own.rdi : number() | 1;
		uint32_t over;

		put_keyed(adds);
		set_condition(&m);
		over = translate(&m);
		ck_assert_uint_ne(over, 0);
		counted_before = *passes = full[draw(4)];
		*given = key == own.rdi ? 0 : key;
		arena_slot(arena, ARENA_KNOWN)[passcount_place(key)] = ~key;
		log[*passes % ARENA_LOG_MAX] = ~key;
		values[*passes % ARENA_LOG_MAX] = ~own.r8;
		if (known)
			ck_assert(passcount_know(arena, key));
		ck_assert(!known || !passcount_know(arena, key));
		ck_assert_int_eq(asks(&m, over, &own), !known || counted_before == ARENA_LOG_MAX);
		ck_assert_uint_eq(
		    *passes - counted_before, known && counted_before < ARENA_LOG_MAX);
		if (*passes == counted_before)
			continue;
		ck_assert_uint_eq(log[counted_before], key);
		ck_assert_uint_eq(values[counted_before], adds ? own.r8 : ~own.r8);
		ck_assert_uint_eq(*given, 0);
	}
	counted_before = 0;
	end(&m);
}
END_TEST

static uint64_t question_of(const struct machine *m, uint32_t over)
{
	const uint64_t base = m->space.arena.part[0].address;

	for (uint64_t at = base + BEGIN; at < base + over; at++) {
		const struct place *place = space_place(&m->space, at);

		if (place && place->kind == PLACE_ASKS)
			return at;
	}
	return 0;
}

/* Elsewhere an int3 of ours has other code behind it. */
START_TEST(behind_its_question_a_condition_is_asked_again)
{
	static struct machine m;
	uint64_t trap, again;
	uint32_t over;

	begin(&m);
	put_keyed(true);
	set_condition(&m);
	over = translate(&m);
	trap = question_of(&m, over);
	ck_assert_uint_ne(trap, 0);
	again = conditioncode_behind(&m.space.arena, trap);
	ck_assert_uint_gt(again, trap);
	ck_assert_uint_eq(conditioncode_behind(&m.space.arena, trap + 1), 0);
	ck_assert_uint_eq(conditioncode_behind(&m.space.arena, 0x1000), 0);
	end(&m);
}
END_TEST

static bool compiles(const uint8_t *code, size_t length)
{
	int depths[BYTECODE_LENGTH_MAX];

	return bytecode_depths(code, length, depths);
}

#define END	   0x27
#define C8(n)	   0x22, (n)
#define BYTES(...) {__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})

START_TEST(what_cannot_be_compiled_is_left_alone)
{
	static const struct {
		const char *what;
		uint8_t code[16];
		size_t length;
		bool can;
	} rows[] = {
	    {"a constant", BYTES(C8(1), END), true},
	    {"$fs_base", BYTES(0x26, 0, 58, END), false},
	    {"$xmm0", BYTES(0x26, 0, 40, END), false},
	    {"a loop", BYTES(C8(1), 0x20, 0, 0, C8(1), END), false},
	    {"a jump into an operand", BYTES(C8(1), 0x20, 0, 6, C8(1), END), false},
	    {"a jump out", BYTES(C8(1), 0x20, 0, 9, C8(1), END), false},
	    {"two depths", BYTES(C8(1), 0x20, 0, 9, C8(1), C8(1), END), false},
	    {"no operands", BYTES(C8(1), 0x02, END), false},
	    {"half an operand", BYTES(0x25, 1, 2), false},
	    {"no end", BYTES(C8(1)), false},
	    {"nothing at the end", BYTES(C8(1), 0x29, END), false},
	    {"an unknown opcode", BYTES(0x01, END), false},
	    {"extended by nothing", BYTES(C8(1), 0x16, 0, END), false},
	    {"nothing", .length = 0, .can = false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		ck_assert_msg(
		    compiles(rows[i].code, rows[i].length) == rows[i].can, "%s", rows[i].what);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_compiled_condition_asks_where_the_evaluator_does_not_say_no,
	    a_pass_is_counted_once_where_its_condition_holds,
	    a_condition_can_ask_how_many_were_counted,
	    a_pass_with_a_known_key_is_noted,
	    behind_its_question_a_condition_is_asked_again,
	    what_cannot_be_compiled_is_left_alone,
	    NULL,
	};

	return run_tests("softpmu conditioncode", tests, NULL, NULL);
}
