#ifndef WORKER_X86_INSTRUCTION_H
#define WORKER_X86_INSTRUCTION_H
/*
 * What kind an instruction is, for flow.c: by its name, and where that does not tell, by its
 * operands. An instruction that is not named here is of no kind.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <Zydis/Zydis.h>

#define FLOW_REGISTERS 16 /* general ones */
#define FLOW_VECTORS   32

/* Some bytes of a register. */
struct piece {
	bool vector;
	unsigned number; /* as the processor counts: rax, rcx, rdx, rbx, rsp, ... or xmm0, ... */
	unsigned offset; /* the lowest byte */
	unsigned size;	 /* bytes */
};

struct decoded {
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* False: it is no instruction. */
bool instruction_decode(const uint8_t *bytes, size_t length, struct decoded *decoded);

/* With a mask, of which k0 is none. */
bool instruction_is_masked(const struct decoded *decoded);

/* Not in a legacy encoding: it clears the rest of a vector that it writes. */
bool instruction_is_vex(const struct decoded *decoded);

/* A move whose destination's byte n is the source's byte n; what the source lacks is zero, or the
 * sign. */
bool instruction_is_move(const struct decoded *decoded);

/* The same for the elements that its mask selects. The others of the destination stay, or become
 * zero in a register. */
bool instruction_is_masked_move(const struct decoded *decoded);

/* What such a move copies: behind the mask, which EVEX forms always have as an operand. */
const ZydisDecodedOperand *instruction_moved(const struct decoded *decoded);

/* How many bytes such a move copies at most, also from register to register: 64, but for movd and
 * movq. */
unsigned instruction_most_moved(const struct decoded *decoded);

/* A move that fills up with the sign. */
bool instruction_extends_sign(const struct decoded *decoded);

bool instruction_is_cmov(const struct decoded *decoded);

/* xor %eax,%eax and the like: the result is zero, whatever the register held. */
bool instruction_is_zero(const struct decoded *decoded);

/* The result is computed. Shuffles of vectors are not arithmetic, because they copy. */
bool instruction_is_arithmetic(const struct decoded *decoded);

/* The processor's clock, random numbers and the like. */
bool instruction_asks_machine(const struct decoded *decoded);

/* The bytes of its whole register that a register is. False for others than general and vector
 * registers. */
bool instruction_piece(ZydisRegister reg, struct piece *piece);

/* Writes whole vectors that are not among its operands. */
bool instruction_writes_all_vectors(const struct decoded *decoded);

#endif
