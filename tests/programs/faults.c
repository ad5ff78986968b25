/*
 * Ends by one instruction that the processor refuses, in the way that its argument names. A crash
 * report has to tell what was wrong with it, and nothing that is not so.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct node {
	int value;
	struct node *next;
};

volatile long seen;
static volatile int zero, low = INT_MIN, minus_one = -1;
static volatile long ledger[4] = {9, 0, 5, 0};
static const char constant[64] = "read-only";
static char area[4096] __attribute__((aligned(64)));
static char *const bad = (char *)0x1234560;
static char *const high = (char *)0x4141414141414141UL;

__attribute__((noipa)) static void divide(int by)
{
	seen = 10 / by; /* divides */
}

__attribute__((noipa)) static void divide_memory(volatile long *by)
{
	long result, rest = 0;

	__asm__ volatile("idivq %3"
			 : "=a"(result), "+d"(rest)
			 : "0"(10L), "m"(by[1])); /* by memory */
	seen = result;
}

__attribute__((noipa)) static void modulo(unsigned long by)
{
	seen = (long)(77UL % by); /* modulo */
}

__attribute__((noipa)) static void overflow(int of, int by)
{
	seen = of / by; /* overflows */
}

__attribute__((noipa)) static int follow(struct node *node)
{
	return node->next->value; /* follows */
}

__attribute__((noipa)) static void load(char *from)
{
	seen += *from; /* loads */
}

__attribute__((noipa)) static void store(char *to)
{
	*to = 1; /* stores */
}

__attribute__((noipa)) static void misaligned(void)
{
	__asm__ volatile("movaps (%0), %%xmm0" ::"r"(area + 8) : "xmm0"); /* misaligned */
}

__attribute__((noipa)) static void set_bit(long number)
{
	__asm__ volatile("btsq %0, (%1)" ::"r"(number), "r"(area)
			 : "memory", "cc"); /* sets a bit */
}

__attribute__((noipa)) static void translate(void)
{
	__asm__ volatile("xlat" ::"b"(bad - 0x41), "a"(0x41L)); /* translates */
}

__attribute__((noipa)) static void pop_to(void)
{
	__asm__ volatile("pushq $1\n\tpopq (%0)" ::"r"(bad) : "memory"); /* pops */
}

__attribute__((noipa)) static void push_from(void)
{
	__asm__ volatile("pushq (%0)\n\tpopq %%rax" ::"r"(bad) : "memory", "rax"); /* pushes */
}

__attribute__((noipa)) static void enter_frame(char *stack)
{
	__asm__ volatile("mov %0, %%rsp\n\tenter $32, $0" ::"r"(stack)); /* enters */
	__builtin_unreachable();
}

__attribute__((noipa)) static void push_off(char *stack)
{
	__asm__ volatile("mov %0, %%rsp\n\tpush %%rax" ::"r"(stack)); /* pushes off */
	__builtin_unreachable();
}

__attribute__((noipa)) static void call_from(void)
{
	__asm__ volatile("call *(%0)" ::"r"(bad) : "memory"); /* calls from */
}

__attribute__((noipa)) static void masked(char *to)
{
	__asm__ volatile("vpcmpeqd %%ymm1, %%ymm1, %%ymm1\n\t"
			 "vmaskmovps %%ymm0, %%ymm1, (%0)" ::"r"(to)
			 : "memory", "xmm0", "xmm1"); /* masked */
}

static char *pages(int rights)
{
	char *at = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(at, 4096, rights);
	return at;
}

static char *short_file(void)
{
	char name[] = "/tmp/short-XXXXXX";
	int file = mkstemp(name);
	char *at;

	unlink(name);
	if (file < 0 || ftruncate(file, 8192) != 0)
		exit(2);
	at = mmap(NULL, 8192, PROT_READ, MAP_SHARED, file, 0);
	if (ftruncate(file, 10) != 0)
		exit(2);
	return at;
}

static int run_memory(const char *way)
{
	struct node node = {1, NULL};

	if (strcmp(way, "follow") == 0)
		return follow(&node);
	if (strcmp(way, "load") == 0)
		load(bad);
	else if (strcmp(way, "store") == 0)
		store(bad);
	else if (strcmp(way, "load_high") == 0)
		load(high);
	else if (strcmp(way, "store_high") == 0)
		store(high);
	else if (strcmp(way, "constant") == 0)
		store((char *)constant);
	else if (strcmp(way, "no_access") == 0)
		load(pages(PROT_NONE) + 16);
	else if (strcmp(way, "no_access_store") == 0)
		store(pages(PROT_NONE) + 16);
	else if (strcmp(way, "behind_file") == 0)
		load(short_file() + 5000);
	else if (strcmp(way, "misaligned") == 0)
		misaligned();
	else if (strcmp(way, "set_bit") == 0)
		set_bit((long)(bad - area) * 8 + 3);
	else if (strcmp(way, "translate") == 0)
		translate();
	else if (strcmp(way, "pop_to") == 0)
		pop_to();
	else if (strcmp(way, "push_from") == 0)
		push_from();
	else if (strcmp(way, "enter") == 0)
		enter_frame(bad);
	else if (strcmp(way, "push_off") == 0)
		push_off(bad);
	else if (strcmp(way, "call_from") == 0)
		call_from();
	else if (strcmp(way, "masked") == 0)
		masked(bad);
	else
		return 2;
	return 0;
}

static int run(const char *way)
{
	if (strcmp(way, "divide") == 0)
		divide(zero);
	else if (strcmp(way, "divide_memory") == 0)
		divide_memory(ledger);
	else if (strcmp(way, "modulo") == 0)
		modulo((unsigned long)zero);
	else if (strcmp(way, "overflow") == 0)
		overflow(low, minus_one);
	else if (strcmp(way, "undefined") == 0)
		__asm__ volatile("movl $0, %eax\n\tud2"); /* undefined */
	else if (strcmp(way, "breakpoint") == 0)
		__asm__ volatile("int3"); /* breakpoint */
	else if (strcmp(way, "halt") == 0)
		__asm__ volatile("hlt"); /* halts */
	else if (strcmp(way, "port") == 0)
		__asm__ volatile("inb $0x40, %%al" ::: "rax"); /* port */
	else if (strcmp(way, "trap") == 0)
		__builtin_trap(); /* traps */
	else if (strcmp(way, "sent") == 0)
		raise(SIGSEGV); /* raises */
	else if (strcmp(way, "sent_division") == 0)
		kill(getpid(), SIGFPE); /* sends */
	else
		return run_memory(way);
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 1 ? run(argv[1]) : 2;
}
