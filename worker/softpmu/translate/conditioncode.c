/*
 *         jmp judge
 *     ask: flags, rcx and rax as they were; int3; jmp over
 *     judge: mov [rax slot], rax; lahf; seto al; mov [flags slot], rax; mov [rcx slot], rcx
 *         the expression: its value comes to rax
 *         test rax, rax; jnz ask
 *         flags, rcx and rax as they were
 *     over:
 *
 * Where it counts passes, see passcount.h, the mark is set to 0 before the expression and to 1 in
 * it, and added to the passes behind it. From there up to the end of the instruction itself, the
 * way back takes it off again.
 *
 * The stack of the expression: the top is in rax, and what is below it in the arena, where its
 * depth is known at each opcode. rcx is free, and rdx around a division. Whatever the processor
 * would do otherwise than the evaluator in bytecode.c goes to `ask`: a divisor of 0 or -1, a shift
 * by 64 or more, and a look at memory that faults, see codecache.c. It must never pass a breakpoint
 * whose condition may hold.
 */
#include "worker/softpmu/translate/conditioncode.h"

#include <string.h>

#include "worker/softpmu/traps/bytecodeshape.h"
#include "worker/softpmu/cache/passcount.h"
#include "worker/softpmu/cache/watches.h"

enum {
	DEPTH_MAX = 16, /* of the stack */
	JUMPS_MAX = 2 * BYTECODE_LENGTH_MAX,
	WIDTH = 64,
	JUMP_LENGTH = 5,
	GO_ON = -1,	 /* the target of a jump, if it is no opcode */
	MARK_LENGTH = 9, /* of the opcode for PASSMARK or PASSMARK_SUM */
	REGISTERS = 16,
	REG_RIP = 16,
};

bool conditioncode_is_used(const struct watches *watches, const struct condition *condition)
{
	int depths[BYTECODE_LENGTH_MAX];

	return watches->level == WATCH_NOTHING && condition->count == 1 &&
	       bytecode_depths(
		   condition->expression[0].code, condition->expression[0].length, depths);
}

/* A jump in the code whose target comes later. */
struct jump {
	uint32_t end; /* its displacement is before it */
	int to;	      /* the position of an opcode, or GO_ON */
};

struct judge {
	struct emitter *e;
	uint32_t ask; /* offsets */
	bool rdx_saved;
	int depth;
	unsigned jumps;
	struct jump jump[JUMPS_MAX];
	uint32_t start[BYTECODE_LENGTH_MAX]; /* of each opcode's code */
};

/* The next instruction does not fault, and what it stands for can be recovered from the slots. */
static void place(const struct judge *j)
{
	emitter_place_at(j->e, j->e->offset, PLACE_JUDGES, PLACE_BOTH_SAVED, j->rdx_saved);
}

/* The next instruction looks at memory. */
static void place_look(const struct judge *j)
{
	emitter_place_at(
	    j->e, j->e->offset, PLACE_JUDGES, PLACE_BOTH_SAVED, (int)(j->ask - j->e->offset));
}

#define PUT(j, ...)                                                                                \
	do {                                                                                       \
		place(j);                                                                          \
		CODE((j)->e, __VA_ARGS__);                                                         \
	} while (0)

/* An instruction whose operand is a slot. */
#define PUT_SLOT(j, slot, ...)                                                                     \
	do {                                                                                       \
		PUT(j, __VA_ARGS__);                                                               \
		emitter_slot((j)->e, slot);                                                        \
	} while (0)

/* The slot of the value at this depth below the top; 1: right below it. */
static uint32_t below(const struct judge *j, int n)
{
	return (uint32_t)(ARENA_STACK + 8 * (j->depth - 1 - n));
}

/* A jump, by an opcode of one or two bytes that is written already, to what comes later. */
static void put_displacement(struct judge *j, int to)
{
	emitter_32(j->e, 0);
	j->jump[j->jumps++] = (struct jump){j->e->offset, to};
}

static void put_jump_to_ask(struct judge *j, uint8_t condition)
{
	PUT(j, 0x0f, condition);
	emitter_32(j->e, j->ask - (j->e->offset + 4));
}

/* Makes room for a new top. */
static void put_push(struct judge *j)
{
	j->depth++;
	if (j->depth > 1)
		PUT_SLOT(j, below(j, 1), 0x48, 0x89, 0x04, 0x25); /* mov [slot], rax */
}

static void put_pop(struct judge *j)
{
	if (j->depth > 1)
		PUT_SLOT(j, below(j, 1), 0x48, 0x8b, 0x04, 0x25); /* mov rax, [slot] */
	j->depth--;
}

static void put_constant(struct judge *j, uint64_t value)
{
	put_push(j);
	PUT(j, 0x48, 0xb8);
	emitter_64(j->e, value);
}

/* Registers as rr numbers them for gdb, with their numbers in instructions. */
static void put_register(struct judge *j, unsigned number)
{
	static const uint8_t numbers[REGISTERS] = {
	    0, 3, 1, 2, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};

	if (number == REG_RIP) {
		put_constant(j, j->e->original);
		return;
	}
	put_push(j);
	if (numbers[number] == 0)
		PUT_SLOT(j, ARENA_SLOT_RAX, 0x48, 0x8b, 0x04, 0x25);
	else if (numbers[number] == 1)
		PUT_SLOT(j, ARENA_SLOT_RCX, 0x48, 0x8b, 0x04, 0x25);
	else
		PUT(j, (uint8_t)(0x48 | numbers[number] >> 3), 0x8b,
		    (uint8_t)(0xc0 | (numbers[number] & 7)));
}

/* What is below the top goes to a slot, and the top becomes 0. */
static void put_noted(struct judge *j, uint32_t slot)
{
	PUT_SLOT(j, below(j, 1), 0x48, 0x8b, 0x04, 0x25); /* mov rax, [slot] */
	PUT_SLOT(j, slot, 0x48, 0x89, 0x04, 0x25);	  /* mov [slot], rax */
	PUT(j, 0x31, 0xc0);				  /* xor eax, eax */
}

static void put_mark(struct judge *j)
{
	PUT_SLOT(j, ARENA_SLOT_MARK, 0x48, 0xc7, 0x04, 0x25); /* mov qword [slot], 1 */
	emitter_32(j->e, 1);
	PUT(j, 0x31, 0xc0); /* xor eax, eax */
}

static void put_load(struct judge *j, const uint8_t *code, size_t at)
{
	if (at >= MARK_LENGTH && bytecode_marks(code + at - MARK_LENGTH, MARK_LENGTH + 1)) {
		put_mark(j);
		return;
	}
	if (at >= MARK_LENGTH && bytecode_sums(code + at - MARK_LENGTH, MARK_LENGTH + 1)) {
		PUT_SLOT(j, ARENA_SLOT_PASSED, 0x48, 0x8b, 0x04, 0x25); /* mov rax, [slot] */
		PUT_SLOT(j, ARENA_SLOT_PASSES, 0x48, 0x03, 0x04, 0x25); /* add rax, [slot] */
		return;
	}
	if (at >= MARK_LENGTH && bytecode_keys(code + at - MARK_LENGTH, MARK_LENGTH + 1)) {
		put_noted(j, ARENA_SLOT_KEY);
		put_mark(j);
		return;
	}
	if (at >= MARK_LENGTH && bytecode_adds(code + at - MARK_LENGTH, MARK_LENGTH + 1)) {
		put_noted(j, ARENA_SLOT_VALUE);
		return;
	}
	if (at >= MARK_LENGTH && bytecode_asks_next(code + at - MARK_LENGTH, MARK_LENGTH + 1)) {
		PUT_SLOT(j, ARENA_SLOT_NEXT, 0x48, 0x8b, 0x04, 0x25); /* mov rax, [slot] */
		return;
	}
	place_look(j);
	emitter_load(j->e, 1u << (code[at] - OP_REF8));
}

static void put_extension(struct judge *j, uint8_t bits, bool with_sign)
{
	if (bits >= WIDTH)
		return;
	PUT(j, 0x48, 0xc1, 0xe0, (uint8_t)(WIDTH - bits)); /* shl rax, n */
	PUT(j, 0x48, 0xc1, with_sign ? 0xf8 : 0xe8, (uint8_t)(WIDTH - bits));
}

/* rcx = the top, rax = what is below it */
static void put_exchange(struct judge *j)
{
	PUT(j, 0x48, 0x89, 0xc1);			  /* mov rcx, rax */
	PUT_SLOT(j, below(j, 1), 0x48, 0x8b, 0x04, 0x25); /* mov rax, [slot] */
}

static void put_division(struct judge *j, bool with_sign, bool remainder)
{
	PUT(j, 0x48, 0x85, 0xc0); /* test rax, rax */
	put_jump_to_ask(j, 0x84); /* jz */
	if (with_sign) {
		PUT(j, 0x48, 0x83, 0xf8, 0xff); /* cmp rax, -1 */
		put_jump_to_ask(j, 0x84);
	}
	put_exchange(j);
	PUT_SLOT(j, ARENA_SLOT_RDX, 0x48, 0x89, 0x14, 0x25); /* mov [slot], rdx */
	j->rdx_saved = true;
	if (with_sign) {
		PUT(j, 0x48, 0x99);	  /* cqo */
		PUT(j, 0x48, 0xf7, 0xf9); /* idiv rcx */
	} else {
		PUT(j, 0x31, 0xd2);	  /* xor edx, edx */
		PUT(j, 0x48, 0xf7, 0xf1); /* div rcx */
	}
	if (remainder)
		PUT(j, 0x48, 0x89, 0xd0);		     /* mov rax, rdx */
	PUT_SLOT(j, ARENA_SLOT_RDX, 0x48, 0x8b, 0x14, 0x25); /* mov rdx, [slot] */
	j->rdx_saved = false;
}

static void put_shift(struct judge *j, uint8_t kind)
{
	PUT(j, 0x48, 0x83, 0xf8, WIDTH - 1); /* cmp rax, 63 */
	put_jump_to_ask(j, 0x87);	     /* ja */
	put_exchange(j);
	PUT(j, 0x48, 0xd3, kind); /* rax by cl */
}

/* cmp [slot], rax, and the top becomes 0 or 1 */
static void put_comparison(struct judge *j, uint8_t set)
{
	PUT_SLOT(j, below(j, 1), 0x48, 0x39, 0x04, 0x25);
	PUT(j, 0x0f, set, 0xc0);
	PUT(j, 0x0f, 0xb6, 0xc0); /* movzx eax, al */
}

/* Two values become one. */
static void put_combination(struct judge *j, enum bytecode_opcode opcode)
{
	const bool with_sign = opcode == OP_DIV_SIGNED || opcode == OP_REM_SIGNED;
	const bool remainder = opcode == OP_REM_SIGNED || opcode == OP_REM_UNSIGNED;

	switch (opcode) {
	case OP_ADD:
		PUT_SLOT(j, below(j, 1), 0x48, 0x03, 0x04, 0x25);
		break;
	case OP_SUB:
		put_exchange(j);
		PUT(j, 0x48, 0x29, 0xc8); /* sub rax, rcx */
		break;
	case OP_MUL:
		PUT_SLOT(j, below(j, 1), 0x48, 0x0f, 0xaf, 0x04, 0x25);
		break;
	case OP_BIT_AND:
		PUT_SLOT(j, below(j, 1), 0x48, 0x23, 0x04, 0x25);
		break;
	case OP_BIT_OR:
		PUT_SLOT(j, below(j, 1), 0x48, 0x0b, 0x04, 0x25);
		break;
	case OP_BIT_XOR:
		PUT_SLOT(j, below(j, 1), 0x48, 0x33, 0x04, 0x25);
		break;
	case OP_EQUAL:
		put_comparison(j, 0x94); /* sete */
		break;
	case OP_LESS_SIGNED:
		put_comparison(j, 0x9c); /* setl */
		break;
	case OP_LESS_UNSIGNED:
		put_comparison(j, 0x92); /* setb */
		break;
	case OP_LSH:
		put_shift(j, 0xe0);
		break;
	case OP_RSH_SIGNED:
		put_shift(j, 0xf8);
		break;
	case OP_RSH_UNSIGNED:
		put_shift(j, 0xe8);
		break;
	default:
		put_division(j, with_sign, remainder);
	}
	j->depth--;
}

static void put_test(struct judge *j)
{
	PUT(j, 0x48, 0x85, 0xc0); /* test rax, rax */
}

static void put_opcode(struct judge *j, const uint8_t *code, size_t position)
{
	const uint8_t *at = code + position;
	const enum bytecode_opcode opcode = (enum bytecode_opcode)at[0];

	switch (opcode) {
	case OP_CONST8:
	case OP_CONST16:
	case OP_CONST32:
	case OP_CONST64:
		return put_constant(j, bytecode_operand(at, (size_t)1 << (opcode - OP_CONST8)));
	case OP_REG:
		return put_register(j, (unsigned)bytecode_operand(at, 2));
	case OP_EXT:
	case OP_ZERO_EXT:
		return put_extension(j, at[1], opcode == OP_EXT);
	case OP_REF8:
	case OP_REF16:
	case OP_REF32:
	case OP_REF64:
		return put_load(j, code, position);
	case OP_LOG_NOT:
		put_test(j);
		PUT(j, 0x0f, 0x94, 0xc0); /* sete al */
		PUT(j, 0x0f, 0xb6, 0xc0); /* movzx eax, al */
		break;
	case OP_BIT_NOT:
		PUT(j, 0x48, 0xf7, 0xd0);
		break;
	case OP_DUP:
		put_push(j);
		break;
	case OP_POP:
		put_pop(j);
		break;
	case OP_SWAP:
		put_exchange(j);
		PUT_SLOT(j, below(j, 1), 0x48, 0x89, 0x0c, 0x25); /* mov [slot], rcx */
		break;
	case OP_IF_GOTO:
		put_test(j);
		put_pop(j); /* leaves the flags */
		PUT(j, 0x0f, 0x85);
		put_displacement(j, (int)bytecode_operand(at, 2));
		break;
	case OP_GOTO:
		PUT(j, 0xe9);
		put_displacement(j, (int)bytecode_operand(at, 2));
		break;
	case OP_END:
		put_test(j);
		put_jump_to_ask(j, 0x85); /* jnz */
		PUT(j, 0xe9);
		put_displacement(j, GO_ON);
		break;
	default:
		put_combination(j, opcode);
	}
}

/* mov rax, [flags slot]; add al, 127 sets the overflow flag again; sahf; mov rcx; mov rax */
static void put_back(struct judge *j)
{
	PUT_SLOT(j, ARENA_SLOT_FLAGS, LOAD_RAX);
	PUT(j, 0x04, 0x7f);
	PUT(j, 0x9e);
	EMIT_SLOT(j->e, PLACE_AT, PLACE_BOTH_SAVED, ARENA_SLOT_RCX, LOAD_RCX);
	EMIT_SLOT(j->e, PLACE_AT, PLACE_RAX_SAVED, ARENA_SLOT_RAX, LOAD_RAX);
}

static void put_beginning(struct emitter *e)
{
	const int saved = PLACE_RAX_SAVED;

	EMIT_SLOT(e, PLACE_AT, 0, ARENA_SLOT_RAX, STORE_RAX);
	EMIT(e, PLACE_AT, 0, 0x9f);		    /* lahf */
	EMIT(e, PLACE_AT, saved, 0x0f, 0x90, 0xc0); /* seto al */
	EMIT_SLOT(e, PLACE_AT, saved, ARENA_SLOT_FLAGS, STORE_RAX);
	EMIT_SLOT(e, PLACE_AT, saved, ARENA_SLOT_RCX, STORE_RCX);
}

static void put_expression(struct judge *j, const struct expression *expression, const int *depths)
{
	const uint8_t *code = expression->code;
	struct bytecode_shape shape;

	for (size_t at = 0; at < expression->length; at += shape.length) {
		bytecode_shape_of((enum bytecode_opcode)code[at], &shape);
		j->start[at] = j->e->offset;
		j->depth = depths[at];
		put_opcode(j, code, at);
	}
	for (unsigned i = 0; i < j->jumps; i++) {
		int to = j->jump[i].to;

		emitter_set_displacement(
		    j->e, j->jump[i].end, to == GO_ON ? j->e->offset : j->start[to]);
	}
}

/*
 *     cmp qword [mark slot], 0; je over
 *     mov rax, [key slot]; mov rcx, [given slot]; test rcx, rcx; cmovnz rax, rcx
 *     imul ecx, eax, factor; shr ecx, n
 *     cmp [known + 8 * rcx], rax; jne ask
 *     mov rcx, [passes slot]; cmp rcx, most; jae ask
 *     mov [log + 8 * rcx], rax
 *     mov rax, [value slot]; mov [values + 8 * rcx], rax, if it adds
 *     mov qword [given slot], 0
 *     over:
 */
static void put_log(struct judge *j, bool adds)
{
	uint32_t over;

	PUT_SLOT(j, ARENA_SLOT_MARK, 0x48, 0x83, 0x3c, 0x25);
	CODE(j->e, 0);
	PUT(j, 0x0f, 0x84);
	emitter_32(j->e, 0);
	over = j->e->offset;
	PUT_SLOT(j, ARENA_SLOT_KEY, 0x48, 0x8b, 0x04, 0x25);
	PUT_SLOT(j, ARENA_SLOT_GIVEN, 0x48, 0x8b, 0x0c, 0x25);
	PUT(j, 0x48, 0x85, 0xc9);
	PUT(j, 0x48, 0x0f, 0x45, 0xc1);
	PUT(j, 0x69, 0xc8);
	emitter_32(j->e, PASSCOUNT_FACTOR);
	PUT(j, 0xc1, 0xe9, 32 - ARENA_KNOWN_BITS);
	PUT_SLOT(j, ARENA_KNOWN, 0x48, 0x39, 0x04, 0xcd);
	put_jump_to_ask(j, 0x85); /* jne */
	PUT_SLOT(j, ARENA_SLOT_PASSES, 0x48, 0x8b, 0x0c, 0x25);
	PUT(j, 0x48, 0x81, 0xf9);
	emitter_32(j->e, ARENA_LOG_MAX);
	put_jump_to_ask(j, 0x83); /* jae */
	PUT_SLOT(j, ARENA_LOG, 0x48, 0x89, 0x04, 0xcd);
	if (adds) {
		PUT_SLOT(j, ARENA_SLOT_VALUE, 0x48, 0x8b, 0x04, 0x25);
		PUT_SLOT(j, ARENA_VALUES, 0x48, 0x89, 0x04, 0xcd);
	}
	PUT_SLOT(j, ARENA_SLOT_GIVEN, 0x48, 0xc7, 0x04, 0x25);
	emitter_32(j->e, 0);
	emitter_set_displacement(j->e, over, j->e->offset);
}

/* mov rax, [mark slot]; add [passes slot], rax */
static void put_count(struct judge *j)
{
	PUT_SLOT(j, ARENA_SLOT_MARK, 0x48, 0x8b, 0x04, 0x25);
	PUT_SLOT(j, ARENA_SLOT_PASSES, 0x48, 0x01, 0x04, 0x25);
	j->e->counted = true;
}

bool conditioncode_put(struct emitter *e)
{
	const struct condition *condition = watches_condition(&e->space->watches, e->original);
	static struct judge judge;
	int depths[BYTECODE_LENGTH_MAX];
	uint32_t over;

	if (!condition || !conditioncode_is_used(&e->space->watches, condition) ||
	    !bytecode_depths(
		condition->expression[0].code, condition->expression[0].length, depths))
		return false;
	judge = (struct judge){.e = e};
	judge.ask = emitter_jump(e);
	put_back(&judge);
	EMIT(e, PLACE_ASKS, 0, 0xcc);
	over = emitter_jump(e);
	emitter_set_displacement(e, judge.ask, e->offset);
	put_beginning(e);
	if (condition->counts) {
		PUT_SLOT(&judge, ARENA_SLOT_MARK, 0x48, 0xc7, 0x04, 0x25); /* mov qword [slot], 0 */
		emitter_32(e, 0);
	}
	put_expression(&judge, &condition->expression[0], depths);
	if (condition->keyed)
		put_log(&judge, condition->adds);
	if (condition->counts)
		put_count(&judge);
	put_back(&judge);
	emitter_set_displacement(e, over, e->offset);
	return true;
}

uint64_t conditioncode_behind(const struct arena *arena, uint64_t trap)
{
	static const uint8_t saves[] = {0x48, 0x89, 0x04, 0x25}; /* mov [slot], rax */
	const uint32_t slot = (uint32_t)(arena->data + ARENA_SLOT_RAX);
	const uint64_t judges = trap + 1 + JUMP_LENGTH;
	const int part = arena_part_at(arena, trap);
	const uint8_t *code;

	if (part < 0 || arena_part_at(arena, judges + sizeof saves + sizeof slot) != part)
		return 0;
	code = arena->part[part].memory + (judges - arena->part[part].address);
	return memcmp(code, saves, sizeof saves) == 0 &&
		       memcmp(code + sizeof saves, &slot, sizeof slot) == 0
		   ? judges
		   : 0;
}
