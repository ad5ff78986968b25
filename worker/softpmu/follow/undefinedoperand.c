/*
 * Reads and writes the undefined bits of operands.
 */
#include "worker/softpmu/follow/undefinedstep.h"

#include <string.h>

#include "worker/x86/decode.h"

unsigned undefined_size(const ZydisDecodedOperand *operand)
{
	return operand->size / 8u;
}

bool undefined_is_vector(const ZydisDecodedOperand *operand)
{
	struct piece piece;

	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       instruction_piece(operand->reg.value, &piece) && piece.vector;
}

bool undefined_address(
    const struct undefined_step *step, const ZydisDecodedOperand *operand, uint64_t *address)
{
	for (unsigned i = 0; i < step->accesses.count; i++) {
		const struct access *access = &step->accesses.list[i];
		uint64_t end;

		if (access->operand != operand->id || access->kind == ACCESS_VECTOR)
			continue;
		accesses_range(access, step->regs, NULL, false, address, &end);
		return true;
	}
	return false;
}

static bool get_memory(const struct undefined_step *step, const ZydisDecodedOperand *operand,
    struct undefined_value *value)
{
	const unsigned size = undefined_size(operand);
	uint64_t address;

	if (size == 0 || size > sizeof value->bits || !undefined_address(step, operand, &address))
		return false;
	step->memory->read(step->memory->context, address, &value->bits, size);
	value->from =
	    step->memory->load(step->memory->context, address, (uint8_t *)&value->undefined, size);
	return true;
}

static bool get_register(
    const struct undefined_step *step, ZydisRegister reg, struct undefined_value *value)
{
	const struct undefined *state = step->state;
	struct piece piece;

	if (!instruction_piece(reg, &piece))
		return false;
	if (piece.vector) {
		memcpy(&value->undefined, state->vector[piece.number], sizeof value->undefined);
		value->from = state->vector_from[piece.number];
		return true;
	}
	value->bits = decode_register(step->regs, piece.number) >> 8 * piece.offset;
	value->undefined = state->general[piece.number] >> 8 * piece.offset;
	value->bits &= undefined_all(piece.size);
	value->undefined &= undefined_all(piece.size);
	value->from = state->general_from[piece.number];
	return true;
}

bool undefined_get(const struct undefined_step *step, const ZydisDecodedOperand *operand,
    struct undefined_value *value)
{
	bool got = false;

	*value = (struct undefined_value){0};
	switch (operand->type) {
	case ZYDIS_OPERAND_TYPE_MEMORY:
		got = get_memory(step, operand, value);
		break;
	case ZYDIS_OPERAND_TYPE_REGISTER:
		got = get_register(step, operand->reg.value, value);
		break;
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		/* Its own size is that of its code: one byte, of what stands for all of them. */
		value->bits = operand->imm.value.u &
			      undefined_all(step->decoded.instruction.operand_width / 8u);
		got = true;
		break;
	default:
		break;
	}
	if (!value->undefined)
		value->from = 0;
	return got;
}

void undefined_set_register(
    struct undefined *state, unsigned number, uint64_t undefined, uint16_t from)
{
	state->general[number] = undefined;
	if (undefined && from)
		state->general_from[number] = from;
}

static void set_vector(struct undefined *state, unsigned number, uint16_t from)
{
	static const uint8_t none[UNDEFINED_VECTOR];

	if (memcmp(state->vector[number], none, sizeof none) == 0) {
		state->vectors &= ~(1u << number);
		return;
	}
	state->vectors |= 1u << number;
	if (from)
		state->vector_from[number] = from;
}

void undefined_set(struct undefined_step *step, const ZydisDecodedOperand *operand,
    uint64_t undefined, uint16_t from)
{
	const unsigned size = undefined_size(operand);
	struct undefined *state = step->state;
	uint64_t address, kept;
	struct piece piece;

	undefined &= undefined_all(size);
	if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		if (size <= sizeof undefined && undefined_address(step, operand, &address))
			step->memory->store(step->memory->context, address, (uint8_t *)&undefined,
			    size, undefined ? from : 0);
		return;
	}
	if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    !instruction_piece(operand->reg.value, &piece) || piece.vector)
		return;
	kept = piece.size >= 4 ? 0 : ~(undefined_all(piece.size) << 8 * piece.offset);
	undefined_set_register(state, piece.number,
	    (state->general[piece.number] & kept) | undefined << 8 * piece.offset, from);
}

bool undefined_get_bytes(const struct undefined_step *step, const ZydisDecodedOperand *operand,
    uint8_t undefined[UNDEFINED_VECTOR], uint16_t *from)
{
	const unsigned size = undefined_size(operand);
	struct undefined_value value;
	struct piece piece;
	uint64_t address;

	memset(undefined, 0, UNDEFINED_VECTOR);
	if (size > UNDEFINED_VECTOR)
		return false;
	if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		if (!undefined_address(step, operand, &address))
			return false;
		*from = step->memory->load(step->memory->context, address, undefined, size);
		return true;
	}
	if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    !instruction_piece(operand->reg.value, &piece))
		return false;
	if (!piece.vector) {
		undefined_get(step, operand, &value);
		memcpy(undefined, &value.undefined, sizeof value.undefined);
		*from = value.from;
		return true;
	}
	memcpy(undefined, step->state->vector[piece.number], size);
	*from = step->state->vector_from[piece.number];
	return true;
}

/* Into a vector: legacy forms leave what is above 16 bytes. */
void undefined_put_bytes(struct undefined_step *step, const ZydisDecodedOperand *operand,
    const uint8_t *undefined, unsigned size, uint16_t from)
{
	enum { XMM = 16 };
	struct undefined *state = step->state;
	struct piece piece;
	uint64_t address, small = 0;

	if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		if (undefined_address(step, operand, &address))
			step->memory->store(step->memory->context, address, undefined, size, from);
		return;
	}
	if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    !instruction_piece(operand->reg.value, &piece))
		return;
	if (!piece.vector) {
		memcpy(&small, undefined, size < sizeof small ? size : sizeof small);
		undefined_set(step, operand, small, from);
		return;
	}
	if (size < XMM || instruction_is_vex(&step->decoded))
		memset(state->vector[piece.number], 0,
		    instruction_is_vex(&step->decoded) ? UNDEFINED_VECTOR : XMM);
	memcpy(state->vector[piece.number], undefined, size);
	set_vector(state, piece.number, from);
}
