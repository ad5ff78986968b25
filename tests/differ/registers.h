/*
 * The registers that the differ compares.
 */
#ifndef DIFFER_REGISTERS_H
#define DIFFER_REGISTERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

enum {
	REGISTERS_GENERAL = 3, /* the number of the first but rsp, and behind the last */
	REGISTERS_GENERAL_END = 18,
};

#define FLAG_RESUME 0x10000ull

/* The name of the first that differs, or NULL. The resume flag is not compared. */
const char *registers_differ(const struct user_regs_struct *a, const struct user_regs_struct *b);

void registers_print(const struct user_regs_struct *a, const struct user_regs_struct *b);

void registers_set(struct user_regs_struct *regs, size_t number, uint64_t value);

#endif
