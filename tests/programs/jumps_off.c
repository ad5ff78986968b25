/*
 * Leaves its code in the way that its argument names: by a call, jmp or ret to where no code is. A
 * crash report has to tell which one it was, where it went, and where the address came from.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NOWHERE	 0x1234560UL
#define NO_VALUE 0x4141414141414141UL

struct actor {
	int id;
	void (*act)(int);
};

volatile long seen;
static struct actor quiet, wild = {7, (void (*)(int))NOWHERE}, high = {8, (void (*)(int))NO_VALUE};
static void (*table[4])(int);
static unsigned char data_code[16] = {0xc3};
static struct actor in_data = {9, (void (*)(int))(void *)data_code};
extern void missing(void) __attribute__((weak));
static void (*next_step)(int) = (void (*)(int))NOWHERE;

__attribute__((noipa)) static void act(struct actor *actor, int how)
{
	int weight = how * 2;

	seen += weight;
	actor->act(how); /* acts */
	seen += weight;
}

__attribute__((noipa)) static void act_direct(int how)
{
	seen += how;
	((void (*)(int))0)(how); /* calls zero */
	seen += how;
}

__attribute__((noipa)) static void act_weak(int how)
{
	seen += how;
	missing(); /* calls the missing one */
	seen += how;
}

__attribute__((noipa)) static void act_table(int how)
{
	seen += how;
	table[how](how); /* out of the table */
	seen += how;
}

__attribute__((noipa)) static void act_local(void (*todo)(int), int how)
{
	seen += how;
	todo(how); /* the argument */
	seen += how;
}

__attribute__((noipa)) static void act_last(struct actor *actor, int how)
{
	seen += how;
	actor->act(how); /* a tail call when optimized */
}

__attribute__((noipa)) static void act_stack(int how)
{
	unsigned char code[16] = {0xc3};
	void (*todo)(int) = (void (*)(int))(void *)code;

	seen += how + code[0];
	todo(how); /* on the stack */
	seen += how;
}

__attribute__((noipa)) static void act_heap(int how)
{
	unsigned char *code = malloc(64);
	void (*todo)(int) = (void (*)(int))(void *)code;

	memset(code, 0xc3, 64);
	seen += how;
	todo(how); /* on the heap */
	seen += how;
}

__attribute__((noipa)) static void jump_register(uintptr_t to)
{
	seen++;
	__asm__ volatile("jmp *%0" ::"r"(to)); /* jumps */
	__builtin_unreachable();
}

__attribute__((noipa)) static void jump_memory(void)
{
	seen++;
	__asm__ volatile("jmp *%0" ::"m"(next_step)); /* jumps through memory */
	__builtin_unreachable();
}

__attribute__((noipa)) static void overwrite(volatile uintptr_t *slot, uintptr_t value)
{
	slot = (volatile uintptr_t *)__builtin_frame_address(0) + 1;
	*slot = value; /* overwritten */
}

__attribute__((noipa)) static void overwrite_zero(volatile uintptr_t *slot)
{
	slot = (volatile uintptr_t *)__builtin_frame_address(0) + 1;
	*slot = 0; /* zeroed */
}

/* Pops an argument, as functions of other conventions do. */
__asm__(".text\n"
	".type return_popping, @function\n"
	"return_popping:\n"
	"	mov %rdi, (%rsp)\n"
	"	ret $16\n"
	".size return_popping, . - return_popping\n");
void return_popping(uintptr_t to);

__attribute__((noipa)) static void call_popping(uintptr_t to)
{
	seen++;
	return_popping(to); /* pops */
	seen++;
}

__attribute__((noipa)) static void jump_table(unsigned kind)
{
	static void *const labels[] = {&&zero, &&one};

	if (kind < 8)
		goto *((void *const volatile *)labels)[kind * 1000]; /* out of bounds */
zero:
	seen++;
one:
	seen++;
}

static int run(const char *way)
{
	if (strcmp(way, "null") == 0)
		act(&quiet, 3);
	else if (strcmp(way, "wild") == 0)
		act(&wild, 3);
	else if (strcmp(way, "high") == 0)
		act(&high, 3);
	else if (strcmp(way, "data") == 0)
		act(&in_data, 3);
	else if (strcmp(way, "zero") == 0)
		act_direct(3);
	else if (strcmp(way, "weak") == 0)
		act_weak(3);
	else if (strcmp(way, "table") == 0)
		act_table(2);
	else if (strcmp(way, "local") == 0)
		act_local(NULL, 4);
	else if (strcmp(way, "last") == 0)
		act_last(&wild, 4);
	else if (strcmp(way, "last_null") == 0)
		act_last(&quiet, 4);
	else if (strcmp(way, "stack") == 0)
		act_stack(5);
	else if (strcmp(way, "heap") == 0)
		act_heap(5);
	else if (strcmp(way, "jump") == 0)
		jump_register(NOWHERE);
	else if (strcmp(way, "jump_null") == 0)
		jump_register(0);
	else if (strcmp(way, "jump_high") == 0)
		jump_register(NO_VALUE);
	else if (strcmp(way, "jump_memory") == 0)
		jump_memory();
	else if (strcmp(way, "return") == 0)
		overwrite(NULL, NOWHERE);
	else if (strcmp(way, "return_high") == 0)
		overwrite(NULL, NO_VALUE);
	else if (strcmp(way, "return_null") == 0)
		overwrite_zero(NULL);
	else if (strcmp(way, "return_data") == 0)
		overwrite(NULL, (uintptr_t)data_code);
	else if (strcmp(way, "popping") == 0)
		call_popping(NOWHERE);
	else if (strcmp(way, "popping_high") == 0)
		call_popping(NO_VALUE);
	else if (strcmp(way, "jump_table") == 0)
		jump_table((unsigned)seen + 1);
	else
		return 2;
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 1 ? run(argv[1]) : 2;
}
