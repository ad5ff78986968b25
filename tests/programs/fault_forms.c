/*
 * Faults in the way that its argument names, each by one instruction of a kind: a crash report has
 * to tell the operand, the access and the address, which is 0x1234560 unless said otherwise.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *const bad = (char *)0x1234560;
static char good[4096] __attribute__((aligned(64)));
static const char constant[64] __attribute__((aligned(64))) = "read-only";

static void cmpxchg(void)
{
	uint64_t expected = 0;
	__asm__ volatile("lock cmpxchgq %1, (%2)" : "+a"(expected) : "r"(7UL), "r"(bad) : "memory");
}

static void rep_movs_to(void)
{
	char *to = bad, *from = good;
	size_t count = 8;
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count)::"memory");
}

static void rep_movs_from(void)
{
	char *to = good, *from = bad;
	size_t count = 8;
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count)::"memory");
}

/* Runs from readable memory into what is not mapped: the address is where it ends. */
static void rep_stos_over_the_end(void)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *to = pages + 4000;
	size_t count = 8192;
	munmap(pages + 4096, 4096);
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(1) : "memory");
}

static void vector_store(void)
{
	__asm__ volatile("movdqu %%xmm0, (%0)" ::"r"(bad) : "memory");
}

static void misaligned(void)
{
	__asm__ volatile("movaps %%xmm0, (%0)" ::"r"(good + 8) : "memory");
}

static void gather(void)
{
	static const int32_t indexes[8]
	    __attribute__((aligned(32))) = {0, 1, 2, 0x1234560, 4, 5, 6, 7};
	__asm__ volatile("vmovdqa (%0), %%ymm2\n\t"
			 "vpcmpeqd %%ymm1, %%ymm1, %%ymm1\n\t"
			 "vpgatherdd %%ymm1, (%1,%%ymm2,4), %%ymm0" ::"r"(indexes),
			 "r"(good)
			 : "memory", "xmm0", "xmm1", "xmm2");
}

static void read_only(void)
{
	__asm__ volatile("movb $1, (%0)" ::"r"(constant) : "memory");
}

static void jump(void)
{
	__asm__ volatile("jmp *%0" ::"r"(bad));
}

/* Sends itself the signal of a fault; the next instruction touches memory, and has not run. */
static void sent(void)
{
	long number = SYS_kill;
	__asm__ volatile("syscall\n\t"
			 "movb $1, (%3)"
			 : "+a"(number)
			 : "D"((long)getpid()), "S"((long)SIGSEGV), "r"(good)
			 : "rcx", "r11", "memory");
}

static const struct {
	const char *name;
	void (*fault)(void);
} forms[] = {{"cmpxchg", cmpxchg}, {"rep_movs_to", rep_movs_to}, {"rep_movs_from", rep_movs_from},
    {"rep_stos_over_the_end", rep_stos_over_the_end}, {"vector_store", vector_store},
    {"misaligned", misaligned}, {"gather", gather}, {"read_only", read_only}, {"jump", jump},
    {"sent", sent}};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(forms) / sizeof(*forms); i++)
		if (strcmp(argv[1], forms[i].name) == 0)
			forms[i].fault();
	printf("no fault: %s\n", argc > 1 ? argv[1] : "");
	return 2;
}
