#ifndef RR_WARDEN_SOFTPMU_UNDEFINEDSTEP_H
#define RR_WARDEN_SOFTPMU_UNDEFINEDSTEP_H
/*
 * The pieces of undefinedapply.c: operands, arithmetic, flags and vectors of one instruction.
 */
#include "worker/softpmu/follow/undefined.h"

/* ---- undefinedoperand.c --------------------------------------------------------------------- */

/* All ones in so many bytes. */
static inline uint64_t undefined_all(unsigned size)
{
	return size >= 8 ? UINT64_MAX : (1ull << 8 * size) - 1;
}

unsigned undefined_size(const ZydisDecodedOperand *operand);

/* A general register, memory of at most 8 bytes, an immediate, or a vector's lowest bytes, whose
 * bits are not known then. False: another one. */
bool undefined_get(const struct undefined_step *step, const ZydisDecodedOperand *operand,
    struct undefined_value *value);

/* Writes the undefined bits of a result. What is no such operand stays as it is. */
void undefined_set(struct undefined_step *step, const ZydisDecodedOperand *operand,
    uint64_t undefined, uint16_t from);

/* A whole general register. */
void undefined_set_register(
    struct undefined *state, unsigned number, uint64_t undefined, uint16_t from);

/* Bytes of a vector or of memory, at most UNDEFINED_VECTOR. False: it is neither. */
bool undefined_get_bytes(const struct undefined_step *step, const ZydisDecodedOperand *operand,
    uint8_t undefined[UNDEFINED_VECTOR], uint16_t *from);
void undefined_put_bytes(struct undefined_step *step, const ZydisDecodedOperand *operand,
    const uint8_t *undefined, unsigned size, uint16_t from);

/* Where a memory operand is. False: it is nowhere to be told. */
bool undefined_address(
    const struct undefined_step *step, const ZydisDecodedOperand *operand, uint64_t *address);

/* A register, and one for vectors. */
bool undefined_is_vector(const ZydisDecodedOperand *operand);

/* ---- undefinedmasked.c ---------------------------------------------------------------------- */

/* A move of the elements that a mask selects. False: it is none, or its mask is not known. */
bool undefined_masked_move(struct undefined_step *step);

/* Defines what a masked store writes. False: it is not known what that is. */
bool undefined_define_selected(
    struct undefined_step *step, const struct access *access, uint64_t start);

/* ---- undefinedflags.c ----------------------------------------------------------------------- */

/* The flags that `result` gives: zero, sign, parity. The others are defined. */
void undefined_flags_of_result(
    struct undefined *state, const struct undefined_value *result, unsigned size);

/* The flags of one - other. */
void undefined_flags_of_compare(struct undefined *state, const struct undefined_value *one,
    const struct undefined_value *other, unsigned size);

/* The same flags for all of these bits, of what comes from there. */
void undefined_flags_set(struct undefined *state, uint32_t flags, bool undefined, uint16_t from);

/* Whether a condition, as the low four bits of an opcode have it, is undefined. */
bool undefined_condition(const struct undefined_step *step, unsigned condition);

/* ---- undefinedarithmetic.c, undefinedvector.c ---------------------------------------------- */

/* False: it is no instruction of those. */
bool undefined_arithmetic(struct undefined_step *step);
bool undefined_shift(struct undefined_step *step);
bool undefined_vector(struct undefined_step *step);

#endif
