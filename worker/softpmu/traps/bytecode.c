/*
 * A machine with a stack of 64-bit integers. It must never call an expression false of which it is
 * not sure: whatever is unusual ends it, as unknown.
 */
#include "worker/softpmu/traps/bytecode.h"

#include "worker/x86/keymark.h"

enum {
	STACK_MAX = 64,
	STEPS_MAX = 1000, /* a loop, which gdb does not make, ends here */
	WIDTH = 64,
};

/* Registers as rr numbers them for gdb; those of 8 bytes that user_regs_struct has. */
enum { REG_FS_BASE = 58, REG_GS_BASE = 59 };

struct machine {
	const uint8_t *code;
	size_t length, at;
	const struct bytecode_world *world;
	uint64_t stack[STACK_MAX];
	unsigned depth;
	bool failed;
};

static void push(struct machine *m, uint64_t value)
{
	if (m->depth == STACK_MAX)
		m->failed = true;
	else
		m->stack[m->depth++] = value;
}

static uint64_t pop(struct machine *m)
{
	if (m->depth > 0)
		return m->stack[--m->depth];
	m->failed = true;
	return 0;
}

/* An operand in the code: `size` bytes, the highest first. */
static uint64_t operand(struct machine *m, size_t size)
{
	uint64_t value = 0;

	if (size > m->length - m->at) {
		m->failed = true;
		return 0;
	}
	for (size_t i = 0; i < size; i++)
		value = value << 8 | m->code[m->at++];
	return value;
}

static bool general_value(const struct user_regs_struct *regs, uint64_t number, uint64_t *value)
{
	const unsigned long long *const general[] = {&regs->rax, &regs->rbx, &regs->rcx, &regs->rdx,
	    &regs->rsi, &regs->rdi, &regs->rbp, &regs->rsp, &regs->r8, &regs->r9, &regs->r10,
	    &regs->r11, &regs->r12, &regs->r13, &regs->r14, &regs->r15, &regs->rip};
	bool known = true;

	if (number < sizeof general / sizeof general[0])
		*value = *general[number];
	else if (number == REG_FS_BASE)
		*value = regs->fs_base;
	else if (number == REG_GS_BASE)
		*value = regs->gs_base;
	else
		known = false;
	return known;
}

static bool register_value(const struct user_regs_struct *regs, uint64_t number, uint64_t *value)
{
	return regs && general_value(regs, number, value);
}

static void load(struct machine *m, size_t size)
{
	uint64_t address = pop(m), value = 0;

	if ((address == KEYMARK || address == KEYMARK_VALUE) && m->world->note && m->depth > 0)
		m->world->note(m->world->context, address, m->stack[m->depth - 1]);
	if (m->failed || !m->world->read(m->world->context, address, &value, size))
		m->failed = true;
	push(m, value);
}

/* The low `bits` of a value, with the sign of the highest of them, or with zeros. */
static void extend(struct machine *m, bool with_sign)
{
	uint64_t bits = operand(m, 1), value = pop(m), sign;

	if (bits == 0)
		m->failed = true;
	if (bits > 0 && bits < WIDTH) {
		sign = with_sign ? 1ull << (bits - 1) : 0;
		value &= (1ull << bits) - 1;
		value = (value ^ sign) - sign;
	}
	push(m, value);
}

static void jump(struct machine *m, bool really)
{
	uint64_t to = operand(m, 2);

	if (really)
		m->at = (size_t)to;
}

static void divide(struct machine *m, enum bytecode_opcode opcode, uint64_t a, uint64_t b)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	if (b == 0 || (x == INT64_MIN && y == -1)) {
		m->failed = true;
		return;
	}
	switch (opcode) {
	case OP_DIV_SIGNED:
		push(m, (uint64_t)(x / y));
		break;
	case OP_DIV_UNSIGNED:
		push(m, a / b);
		break;
	case OP_REM_SIGNED:
		push(m, (uint64_t)(x % y));
		break;
	default:
		push(m, a % b);
	}
}

static void shift(struct machine *m, enum bytecode_opcode opcode, uint64_t a, uint64_t b)
{
	if (b >= WIDTH)
		m->failed = true;
	else if (opcode == OP_LSH)
		push(m, a << b);
	else if (opcode == OP_RSH_UNSIGNED)
		push(m, a >> b);
	else
		push(m, (uint64_t)((int64_t)a >> b));
}

/* Two operands from the stack, one result. */
static void combine(struct machine *m, enum bytecode_opcode opcode)
{
	uint64_t b = pop(m), a = pop(m);

	switch (opcode) {
	case OP_ADD:
		return push(m, a + b);
	case OP_SUB:
		return push(m, a - b);
	case OP_MUL:
		return push(m, a * b);
	case OP_DIV_SIGNED:
	case OP_DIV_UNSIGNED:
	case OP_REM_SIGNED:
	case OP_REM_UNSIGNED:
		return divide(m, opcode, a, b);
	case OP_LSH:
	case OP_RSH_SIGNED:
	case OP_RSH_UNSIGNED:
		return shift(m, opcode, a, b);
	case OP_BIT_AND:
		return push(m, a & b);
	case OP_BIT_OR:
		return push(m, a | b);
	case OP_BIT_XOR:
		return push(m, a ^ b);
	case OP_EQUAL:
		return push(m, a == b);
	case OP_LESS_SIGNED:
		return push(m, (int64_t)a < (int64_t)b);
	case OP_LESS_UNSIGNED:
		return push(m, a < b);
	case OP_SWAP:
		push(m, b);
		return push(m, a);
	default:
		m->failed = true;
	}
}

static void step(struct machine *m, enum bytecode_opcode opcode)
{
	uint64_t value = 0;

	switch (opcode) {
	case OP_LOG_NOT:
		return push(m, !pop(m));
	case OP_BIT_NOT:
		return push(m, ~pop(m));
	case OP_EXT:
	case OP_ZERO_EXT:
		return extend(m, opcode == OP_EXT);
	case OP_REF8:
	case OP_REF16:
	case OP_REF32:
	case OP_REF64:
		return load(m, (size_t)1 << (opcode - OP_REF8));
	case OP_IF_GOTO:
		return jump(m, pop(m) != 0);
	case OP_GOTO:
		return jump(m, true);
	case OP_CONST8:
	case OP_CONST16:
	case OP_CONST32:
	case OP_CONST64:
		return push(m, operand(m, (size_t)1 << (opcode - OP_CONST8)));
	case OP_REG:
		if (!register_value(m->world->regs, operand(m, 2), &value))
			m->failed = true;
		return push(m, value);
	case OP_DUP:
		value = pop(m);
		push(m, value);
		return push(m, value);
	case OP_POP:
		pop(m);
		return;
	default:
		combine(m, opcode);
	}
}

enum truth_value bytecode_evaluate(
    const uint8_t *code, size_t length, const struct bytecode_world *world)
{
	struct machine m = {.code = code, .length = length, .world = world};

	for (int steps = 0; steps < STEPS_MAX && !m.failed && m.at < m.length; steps++) {
		enum bytecode_opcode opcode = (enum bytecode_opcode)m.code[m.at++];
		uint64_t value;

		if (opcode != OP_END) {
			step(&m, opcode);
			continue;
		}
		value = pop(&m);
		if (m.failed)
			break;
		return value ? TRUTH_TRUE : TRUTH_FALSE;
	}
	return TRUTH_UNKNOWN;
}
