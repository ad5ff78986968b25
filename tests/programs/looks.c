/*
 * Instructions of which the code cache reads the operand before they run, each with memory of its
 * own that nothing else reads: a call, a ret that pops more, popf in both sizes, and code that can
 * change. A function with a variable that only a breakpoint's condition reads. At last, a jump to
 * no address, through memory.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { ROUNDS = 5, STEPS = 1000, PAGE = 4096 };

void greet(void);
__asm__(".text\n.globl greet\ngreet:\nincl greeted(%rip)\nret\n");
int greeted;
void (*greeting)(void) = greet;

/* Stacks for one instruction. */
unsigned long flags_word = 0x246, short_flags = 0x246;
void *return_word[4];
unsigned long jump_word = 0x4142434445464748;

unsigned char coded[PAGE] __attribute__((aligned(PAGE)));
volatile long asked = 7;
volatile long total;

__attribute__((noinline)) static void read_operands(void)
{
	__asm__ volatile(
	    "call *greeting(%%rip)\n"
	    "mov %%rsp, %%rbx\n"
	    "lea flags_word(%%rip), %%rsp\n"
	    "popfq\n"
	    "lea short_flags(%%rip), %%rsp\n"
	    "popfw\n"
	    "lea 1f(%%rip), %%rax\n"
	    "lea return_word(%%rip), %%rsp\n"
	    "mov %%rax, (%%rsp)\n"
	    "ret $16\n"
	    "1: mov %%rbx, %%rsp"
	    :
	    :
	    : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory");
}

__attribute__((noinline)) static void step(int i)
{
	total += i;
}

int main(void)
{
	static const unsigned char code[] = {0xff, 0xc0, 0xc3}; /* inc %eax; ret */

	memcpy(coded, code, sizeof(code));
	if (mprotect(coded, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return 1;
	for (int i = 0; i < ROUNDS; i++) {
		read_operands();
		((void (*)(void))coded)();
		puts("round");
	}
	for (int i = 0; i < STEPS; i++)
		step(i);
	if (coded[0] != code[0] || asked != 7)
		return 1;
	printf("greeted %d times\n", greeted);
	fflush(stdout);
	__asm__ volatile("jmp *jump_word(%rip)");
	return 1;
}
