/*
 * add, or, and, sub, xor, cmp, test, neg, inc and dec on registers and constants, as the processor
 * manual has them. It must never accept a form that it does not compute in full.
 */
#include "worker/x86/flagwriter.h"

#include <string.h>

#include "worker/x86/eflags.h"

enum operation { ADD, OR, AND, SUB, XOR, CMP, TEST, NEG, INC, DEC, NONE };

enum { NO_REGISTER = 16 };

struct writer {
	enum operation operation;
	unsigned size;	      /* bytes: 1, 2, 4, 8 */
	bool rex;	      /* then 4 to 7 are spl to dil, not ah to bh */
	unsigned destination; /* a register */
	unsigned source;      /* a register, or NO_REGISTER */
	uint64_t constant;    /* extended by its sign */
};

/* The rows of the one-byte opcodes 00 to 3f, and of the groups 80, 81 and 83. */
static const enum operation rows[8] = {ADD, OR, NONE, NONE, AND, SUB, XOR, CMP};

struct reader {
	const uint8_t *at, *end;
	bool word, rex_w;
	unsigned rex;
};

static bool read_prefixes(struct reader *reader, struct writer *writer)
{
	while (reader->at < reader->end && *reader->at == 0x66) {
		reader->word = true;
		reader->at++;
	}
	if (reader->at < reader->end && (*reader->at & 0xf0) == 0x40) {
		reader->rex = *reader->at++;
		writer->rex = true;
	}
	return reader->at < reader->end;
}

static unsigned size_of(const struct reader *reader, uint8_t opcode)
{
	if (!(opcode & 1))
		return 1;
	if (reader->rex & 8)
		return 8;
	return reader->word ? 2 : 4;
}

static bool read_constant(struct reader *reader, unsigned bytes, uint64_t *constant)
{
	int64_t value = 0;

	if ((size_t)(reader->end - reader->at) != bytes)
		return false;
	memcpy(&value, reader->at, bytes);
	*constant = (uint64_t)((int64_t)((uint64_t)value << (64 - 8 * bytes)) >> (64 - 8 * bytes));
	reader->at += bytes;
	return true;
}

static unsigned constant_bytes(unsigned size)
{
	return size == 8 ? 4 : size;
}

/* The two registers of a ModRM byte; false when it names memory. */
static bool read_modrm(struct reader *reader, unsigned *reg, unsigned *rm)
{
	uint8_t modrm;

	if (reader->at == reader->end || *reader->at < 0xc0)
		return false;
	modrm = *reader->at++;
	*reg = (modrm >> 3 & 7) | (reader->rex & 4) << 1;
	*rm = (modrm & 7) | (reader->rex & 1) << 3;
	return true;
}

/* Opcodes 00 to 3d, 84 and 85: two registers, or al or rax and a constant. */
static bool read_plain(struct reader *reader, uint8_t opcode, struct writer *writer)
{
	unsigned reg, rm, form = opcode & 7;

	writer->operation = opcode >= 0x84 ? TEST : rows[opcode >> 3 & 7];
	if (opcode < 0x40 && form >= 4) {
		writer->source = NO_REGISTER;
		return form < 6 &&
		       read_constant(reader, constant_bytes(writer->size), &writer->constant);
	}
	if (!read_modrm(reader, &reg, &rm))
		return false;
	writer->destination = opcode < 0x40 && (form & 2) ? reg : rm;
	writer->source = opcode < 0x40 && (form & 2) ? rm : reg;
	return true;
}

/* The opcodes whose ModRM byte says which operation. */
static bool read_group(struct reader *reader, uint8_t opcode, struct writer *writer)
{
	unsigned row, reg;

	writer->source = NO_REGISTER;
	if (!read_modrm(reader, &reg, &writer->destination))
		return false;
	row = reg & 7;
	switch (opcode) {
	case 0x80:
	case 0x81:
		writer->operation = rows[row];
		return read_constant(reader, constant_bytes(writer->size), &writer->constant);
	case 0x83:
		writer->operation = rows[row];
		return read_constant(reader, 1, &writer->constant);
	case 0xf6:
	case 0xf7:
		writer->operation = row <= 1 ? TEST : row == 3 ? NEG : NONE;
		return writer->operation != TEST ||
		       read_constant(reader, constant_bytes(writer->size), &writer->constant);
	default: /* fe, ff */
		writer->operation = row == 0 ? INC : row == 1 ? DEC : NONE;
		return true;
	}
}

static bool decode(const uint8_t *bytes, size_t length, struct writer *writer)
{
	struct reader reader = {.at = bytes, .end = bytes + length};
	uint8_t opcode;
	bool known;

	*writer = (struct writer){.operation = NONE};
	if (!read_prefixes(&reader, writer))
		return false;
	opcode = *reader.at++;
	writer->size = size_of(&reader, opcode);
	if (opcode < 0x40 || opcode == 0x84 || opcode == 0x85) {
		known = read_plain(&reader, opcode, writer);
	} else if (opcode == 0xa8 || opcode == 0xa9) {
		writer->operation = TEST;
		writer->source = NO_REGISTER;
		known = read_constant(&reader, constant_bytes(writer->size), &writer->constant);
	} else if (opcode == 0x80 || opcode == 0x81 || opcode == 0x83 || (opcode & 0xf6) == 0xf6) {
		known = read_group(&reader, opcode, writer);
	} else {
		return false;
	}
	return known && writer->operation != NONE && reader.at == reader.end;
}

bool flagwriter_is(const uint8_t *bytes, size_t length)
{
	struct writer writer;

	return decode(bytes, length, &writer);
}

/* General registers as the processor numbers them. */
static const size_t register_at[16] = {
    offsetof(struct user_regs_struct, rax),
    offsetof(struct user_regs_struct, rcx),
    offsetof(struct user_regs_struct, rdx),
    offsetof(struct user_regs_struct, rbx),
    offsetof(struct user_regs_struct, rsp),
    offsetof(struct user_regs_struct, rbp),
    offsetof(struct user_regs_struct, rsi),
    offsetof(struct user_regs_struct, rdi),
    offsetof(struct user_regs_struct, r8),
    offsetof(struct user_regs_struct, r9),
    offsetof(struct user_regs_struct, r10),
    offsetof(struct user_regs_struct, r11),
    offsetof(struct user_regs_struct, r12),
    offsetof(struct user_regs_struct, r13),
    offsetof(struct user_regs_struct, r14),
    offsetof(struct user_regs_struct, r15),
};

/* Where an operand is kept in memory; the processor's byte order is ours. */
static uint8_t *place_of(
    const struct writer *writer, unsigned number, struct user_regs_struct *regs)
{
	if (writer->size == 1 && !writer->rex && number >= 4)
		return (uint8_t *)regs + register_at[number - 4] + 1;
	return (uint8_t *)regs + register_at[number];
}

static uint64_t mask_of(unsigned size)
{
	return size == 8 ? ~0ull : (1ull << (8 * size)) - 1;
}

static void put(const struct writer *writer, uint64_t value, struct user_regs_struct *regs)
{
	/* A 32-bit result clears the upper half. */
	memcpy(place_of(writer, writer->destination, regs), &value,
	    writer->size == 4 ? 8 : writer->size);
}

static uint64_t sum_flags(uint64_t a, uint64_t b, uint64_t sum, uint64_t top)
{
	uint64_t carries = (a & b) | ((a | b) & ~sum);

	return (carries & top ? FLAG_CARRY : 0) | ((a ^ b ^ sum) & FLAG_ADJUST) |
	       ((~(a ^ b) & (a ^ sum) & top) ? FLAG_OVERFLOW : 0);
}

static uint64_t difference_flags(uint64_t a, uint64_t b, uint64_t difference, uint64_t top)
{
	return (a < b ? FLAG_CARRY : 0) | ((a ^ b ^ difference) & FLAG_ADJUST) |
	       (((a ^ b) & (a ^ difference) & top) ? FLAG_OVERFLOW : 0);
}

/* The result; *flags: those that depend on the operation. */
static uint64_t compute(
    enum operation operation, uint64_t a, uint64_t b, uint64_t mask, uint64_t *flags)
{
	uint64_t top = mask ^ mask >> 1, result;

	switch (operation) {
	case ADD:
	case INC:
		b = operation == INC ? 1 : b;
		result = (a + b) & mask;
		*flags = sum_flags(a, b, result, top);
		return result;
	case SUB:
	case CMP:
	case DEC:
		b = operation == DEC ? 1 : b;
		result = (a - b) & mask;
		*flags = difference_flags(a, b, result, top);
		return result;
	case NEG:
		result = (0 - a) & mask;
		*flags = difference_flags(0, a, result, top);
		return result;
	case AND:
	case TEST:
		*flags = 0;
		return a & b;
	case OR:
		*flags = 0;
		return a | b;
	case XOR:
		*flags = 0;
		return a ^ b;
	case NONE:
		break;
	}
	*flags = 0;
	return 0;
}

/* The result; *flags: all of them. */
static uint64_t compute_all(
    enum operation operation, uint64_t a, uint64_t b, uint64_t mask, uint64_t *flags)
{
	const uint64_t result = compute(operation, a, b, mask, flags);

	*flags |= (result == 0 ? FLAG_ZERO : 0) | (result & (mask ^ mask >> 1) ? FLAG_SIGN : 0) |
		  (__builtin_parity((unsigned)result & 0xff) ? 0 : FLAG_PARITY);
	return result;
}

uint64_t flagwriter_compare(uint64_t a, uint64_t b, unsigned size)
{
	uint64_t flags;

	compute_all(CMP, a, b, mask_of(size), &flags);
	return flags;
}

uint64_t flagwriter_test(uint64_t a, uint64_t b, unsigned size)
{
	uint64_t flags;

	compute_all(TEST, a, b, mask_of(size), &flags);
	return flags;
}

void flagwriter_apply(const uint8_t *bytes, size_t length, struct user_regs_struct *regs)
{
	uint64_t written = FLAG_STATUS, a = 0, b, mask, flags, result;
	struct writer writer;

	if (!decode(bytes, length, &writer))
		return;
	mask = mask_of(writer.size);
	memcpy(&a, place_of(&writer, writer.destination, regs), writer.size);
	b = writer.constant & mask;
	if (writer.source != NO_REGISTER) {
		b = 0;
		memcpy(&b, place_of(&writer, writer.source, regs), writer.size);
	}
	result = compute_all(writer.operation, a, b, mask, &flags);
	if (writer.operation == INC || writer.operation == DEC)
		written &= ~(uint64_t)FLAG_CARRY;
	regs->eflags = (regs->eflags & ~written) | (flags & written);
	if (writer.operation != CMP && writer.operation != TEST)
		put(&writer, result, regs);
	regs->rip += length;
}
