#include "tests/differ/registers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	size_t offset;
} registers[] = {
#define REGISTER(name)                                                                             \
	{                                                                                          \
#name, offsetof(struct user_regs_struct, name)                                     \
	}
    REGISTER(rip), REGISTER(eflags), REGISTER(rsp), REGISTER(rax), REGISTER(rbx), REGISTER(rcx),
    REGISTER(rdx), REGISTER(rsi), REGISTER(rdi), REGISTER(rbp), REGISTER(r8), REGISTER(r9),
    REGISTER(r10), REGISTER(r11), REGISTER(r12), REGISTER(r13), REGISTER(r14), REGISTER(r15),
    REGISTER(fs_base), REGISTER(gs_base)};

enum { COUNT = sizeof registers / sizeof registers[0] };

static uint64_t value_of(const struct user_regs_struct *regs, size_t i)
{
	uint64_t value;

	memcpy(&value, (const char *)regs + registers[i].offset, sizeof value);
	return registers[i].offset == offsetof(struct user_regs_struct, eflags)
		   ? value & ~FLAG_RESUME
		   : value;
}

const char *registers_differ(const struct user_regs_struct *a, const struct user_regs_struct *b)
{
	for (size_t i = 0; i < COUNT; i++) {
		if (value_of(a, i) != value_of(b, i))
			return registers[i].name;
	}
	return NULL;
}

void registers_print(const struct user_regs_struct *a, const struct user_regs_struct *b)
{
	for (size_t i = 0; i < COUNT; i++)
		printf("%-8s %016" PRIx64 " %016" PRIx64 "\n", registers[i].name, value_of(a, i),
		    value_of(b, i));
}

void registers_set(struct user_regs_struct *regs, size_t number, uint64_t value)
{
	memcpy((char *)regs + registers[number].offset, &value, sizeof value);
}
