/*
 * Code in many places, each out of every other's reach: a loop in each calls a function in the next
 * one, and ends with a jump to what is no address, whose fault is passed over. A forked child does
 * the same again. The arguments are the number of places (10) and the rounds of each loop (20000).
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { PLACES_MAX = 40, SIZE = 4096, CALLED = 4, JUMP = 31, JUMP_SIZE = 3, LEAF = 48 };

#define APART 0x20000000000ull
#define FIRST 0x10000000000ull

static const unsigned char loop[] = {
    0x31, 0xc0,				   /* xor eax, eax */
    0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0,	   /* mov r11, the next one's leaf */
    0x57, 0x41, 0xff, 0xd3,		   /* 1: push rdi; call r11 */
    0x5f, 0xff, 0xcf, 0x75, 0xf7,	   /* pop rdi; dec edi; jnz 1b */
    0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0x80, /* mov r11, nowhere */
    0x41, 0xff, 0xe3, 0xc3		   /* jmp r11; ret */
};
static const unsigned char leaf[] = {0xff, 0xc0, 0xc3}; /* inc eax; ret */

static volatile int faults;

static unsigned char *place(int i)
{
	return (unsigned char *)(uintptr_t)(FIRST + (unsigned)i * APART);
}

static void pass_over(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	(void)info;
	if ((regs[REG_RIP] & (SIZE - 1)) != JUMP)
		_exit(3);
	regs[REG_RIP] += JUMP_SIZE;
	faults++;
}

static int make(int places)
{
	for (int i = 0; i < places; i++) {
		const uint64_t next = (uintptr_t)place((i + 1) % places) + LEAF;
		unsigned char *page = mmap(place(i), SIZE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

		if (page == MAP_FAILED)
			return 0;
		memcpy(page, loop, sizeof(loop));
		memcpy(page + CALLED, &next, sizeof(next));
		memcpy(page + LEAF, leaf, sizeof(leaf));
		mprotect(page, SIZE, PROT_READ | PROT_EXEC);
	}
	return 1;
}

static void run(const char *who, int places, int rounds)
{
	long sum = 0;

	for (int i = 0; i < places; i++)
		sum += ((int (*)(int))place(i))(rounds);
	printf("%s: %ld calls, %d faults\n", who, sum, faults);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const int places = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 10;
	const int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 20000;
	struct sigaction action = {.sa_sigaction = pass_over, .sa_flags = SA_SIGINFO};
	int status = 0;

	sigaction(SIGSEGV, &action, NULL);
	if (places > PLACES_MAX || !make(places))
		return 2;
	run("parent", places, rounds);
	if (fork() == 0) {
		run("child", places, rounds);
		_exit(0);
	}
	wait(&status);
	return status != 0;
}
