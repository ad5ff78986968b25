#ifndef WORKER_FAULT_H
#define WORKER_FAULT_H
/*
 * What a faulting instruction did: which memory operand it had, and whether it read or wrote it.
 * Taken from its disassembly: rr gives no siginfo without starting a diversion.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "worker/replay.h"

#define FAULT_OPERAND_MAX 80

struct fault_operand {
	char text[FAULT_OPERAND_MAX];		/* as disassembled: 0x8(%rax,%rbx,4) */
	char expression[FAULT_OPERAND_MAX * 2]; /* its address, for gdb: 0x8+$rax+$rbx*4 */
	bool writes;
};

/* Finds the memory operand in one AT&T instruction ("mov    %eax,(%rdx)"); false when it has none.
 */
bool fault_parse(const char *instruction, struct fault_operand *operand);

/* {address, access, mapping, operand, instruction} of the instruction the program stands at; NULL
 * when it has no memory operand. */
json_t *fault_json(struct replay *replay);

#endif
