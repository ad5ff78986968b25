/*
 * Moves of the elements that a mask selects. The mask itself is taken to be defined: it comes from
 * arithmetic with vectors, or from a general register.
 */
#include "worker/softpmu/follow/undefinedstep.h"

#include <string.h>

static bool selected_of(
    const struct undefined_step *step, const struct access *access, uint64_t *selected)
{
	return step->memory->select &&
	       step->memory->select(step->memory->context, access, selected);
}

bool undefined_define_selected(
    struct undefined_step *step, const struct access *access, uint64_t start)
{
	static const uint8_t none[UNDEFINED_VECTOR];
	uint64_t selected;
	unsigned first, count;

	if (!selected_of(step, access, &selected))
		return false;
	while (accesses_next_run(&selected, &first, &count))
		step->memory->store(step->memory->context, start + first, none, count, 0);
	return true;
}

/* What of the destination a move writes. */
static bool written(const struct undefined_step *step, unsigned size, uint64_t *selected)
{
	const ZydisDecodedInstruction *z = &step->decoded.instruction;
	const struct access of_registers = {.size = size,
	    .element = (uint8_t)(step->decoded.operands[0].element_size / 8),
	    .mask = (uint8_t)ZydisRegisterGetId(z->avx.mask.reg),
	    .by_element = true};

	if (step->accesses.count > 0)
		return selected_of(step, &step->accesses.list[0], selected);
	return selected_of(step, &of_registers, selected);
}

static void load_runs(const struct undefined_step *step, uint64_t address, uint64_t selected,
    uint8_t *undefined, uint16_t *from)
{
	unsigned first, count;

	while (accesses_next_run(&selected, &first, &count)) {
		const uint16_t where = step->memory->load(
		    step->memory->context, address + first, undefined + first, count);

		*from = *from ? *from : where;
	}
}

static bool get(const struct undefined_step *step, const ZydisDecodedOperand *source,
    uint64_t selected, uint8_t undefined[UNDEFINED_VECTOR], uint16_t *from)
{
	uint64_t address;

	if (source->type != ZYDIS_OPERAND_TYPE_MEMORY)
		return undefined_get_bytes(step, source, undefined, from);
	memset(undefined, 0, UNDEFINED_VECTOR);
	if (!undefined_address(step, source, &address))
		return false;
	load_runs(step, address, selected, undefined, from);
	return true;
}

static bool store(
    struct undefined_step *step, const uint8_t *undefined, uint64_t selected, uint16_t from)
{
	unsigned first, count;
	uint64_t address;

	if (!undefined_address(step, &step->decoded.operands[0], &address))
		return false;
	while (accesses_next_run(&selected, &first, &count))
		step->memory->store(
		    step->memory->context, address + first, undefined + first, count, from);
	return true;
}

/* Into a register, the elements that the mask leaves out stay or become zero. */
static bool merge(
    struct undefined_step *step, const uint8_t *undefined, uint64_t selected, uint16_t from)
{
	const ZydisDecodedOperand *to = &step->decoded.operands[0];
	uint8_t result[UNDEFINED_VECTOR] = {0};
	uint16_t kept = 0;
	bool any = false;

	if (step->decoded.instruction.avx.mask.mode == ZYDIS_MASK_MODE_MERGING &&
	    !undefined_get_bytes(step, to, result, &kept))
		return false;
	for (unsigned i = 0; i < undefined_size(to); i++) {
		if (selected >> i & 1)
			result[i] = undefined[i];
		any |= (selected >> i & 1) && undefined[i];
	}
	undefined_put_bytes(step, to, result, undefined_size(to), any ? from : kept);
	return true;
}

bool undefined_masked_move(struct undefined_step *step)
{
	const ZydisDecodedOperand *to = &step->decoded.operands[0],
				  *source = instruction_moved(&step->decoded);
	uint8_t undefined[UNDEFINED_VECTOR];
	uint64_t selected;
	uint16_t from = 0;

	if (undefined_size(to) != undefined_size(source) || undefined_size(to) > UNDEFINED_VECTOR ||
	    !written(step, undefined_size(to), &selected) ||
	    !get(step, source, selected, undefined, &from))
		return false;
	return to->type == ZYDIS_OPERAND_TYPE_MEMORY ? store(step, undefined, selected, from)
						     : merge(step, undefined, selected, from);
}
