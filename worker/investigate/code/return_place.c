/*
 * Follows the stack pointer through a prologue. It must never guess: any instruction that could
 * move the stack pointer in another way, or come from elsewhere, ends it.
 */
#include "worker/investigate/code/return_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/investigate/code/where.h"
#include "worker/read/values/accessed.h"

#define INSTRUCTIONS_MAX 32

/* Bytes from the stack pointer, and from rbp once it holds the frame, up to the return address. */
struct depth {
	unsigned long long stack, frame;
	bool has_frame;
};

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* %rsp itself, which an address such as 8(%rsp) only reads. */
static bool names_stack_pointer(const char *text)
{
	for (const char *at = text; (at = strstr(at, "%rsp")); at++)
		if (at == text || at[-1] != '(' || at[4] != ')')
			return true;
	return strstr(text, "%esp") || strstr(text, "%sp");
}

static bool leaves_line(const struct instruction *instruction)
{
	return instruction->calls || instruction->returns || instruction->jumps ||
	       instruction->branches || begins(instruction->text, "syscall");
}

static bool follow(struct depth *depth, const struct instruction *instruction)
{
	const char *text = instruction->text;
	char *end;

	if (leaves_line(instruction))
		return false;
	if (begins(text, "push")) {
		depth->stack += sizeof(long);
		return begins(text, "push %r") || begins(text, "pushq %r");
	}
	if (begins(text, "mov %rsp, %rbp") || begins(text, "movq %rsp, %rbp")) {
		depth->frame = depth->stack;
		depth->has_frame = true;
		return true;
	}
	if (begins(text, "sub $0x")) {
		unsigned long long bytes = strtoull(text + strlen("sub $"), &end, 16);

		if (strcmp(end, ", %rsp") == 0 && bytes < 1ull << 31) {
			depth->stack += bytes;
			return true;
		}
	}
	return !names_stack_pointer(text) && !begins(text, "pop") && !begins(text, "leave") &&
	       !begins(text, "enter") && !(depth->has_frame && strstr(text, ", %rbp"));
}

bool return_place(struct replay *replay, unsigned long long pc, char to[RETURN_PLACE_MAX])
{
	struct depth depth = {0};
	unsigned long long at;
	char name[256];

	/* A part of a function that the compiler put elsewhere begins with no call. */
	if (!where_entry(replay, pc, &at, name, sizeof(name)) || strchr(name, '.'))
		return false;
	for (int i = 0; at < pc && i < INSTRUCTIONS_MAX; i++) {
		struct instruction instruction;

		if (!accessed_instruction(replay, at, &instruction) ||
		    !follow(&depth, &instruction))
			return false;
		at += instruction.length;
	}
	/* In a function that keeps rbp, the stack may grow further where the program comes back. */
	snprintf(to, RETURN_PLACE_MAX, "*(unsigned long *) ((unsigned long) $%s + %llu)",
	    depth.has_frame ? "rbp" : "rsp", depth.has_frame ? depth.frame : depth.stack);
	return at == pc;
}
