/*
 * A stretch of code, between the labels measure_begin and measure_end, that retires exactly 184
 * conditional branches: 100 jnz, 50 loop, 16 of all kinds of jcc not looped, 2 jrcxz, 1 jecxz,
 * 10 loopne and 5 loope. Around them stand things that must not count: rep, cmov, setcc, calls,
 * returns, direct and indirect jumps.
 */
#include <stdio.h>

static char from[64] = "copied by rep movsb, which is no branch";
static char to[64];

static void measured(void)
{
	__asm__ volatile("measure_begin: nop\n"
			 "mov $100, %%ecx\n"
			 "1: dec %%ecx\n"
			 "jnz 1b\n"
			 "mov $50, %%rcx\n"
			 "2: loop 2b\n"
			 /* flags of 0 - 0, so that some are taken and some are not */
			 "xor %%eax, %%eax\n"
			 "jo 3f\n3: jno 3f\n3: jb 3f\n3: jae 3f\n"
			 "3: je 3f\n3: jne 3f\n3: jbe 3f\n3: ja 3f\n"
			 "3: js 3f\n3: jns 3f\n3: jp 3f\n3: jnp 3f\n"
			 "3: jl 3f\n3: jge 3f\n3: jle 3f\n3: jg 3f\n"
			 "3: xor %%ecx, %%ecx\n"
			 "jrcxz 4f\n"
			 "4: mov $1, %%ecx\n"
			 "jrcxz 4f\n"
			 "4: mov $0x100000000, %%rcx\n"
			 "jecxz 4f\n"
			 "4: mov $10, %%rcx\n"
			 "5: test %%rsp, %%rsp\n"
			 "loopne 5b\n"
			 "mov $5, %%rcx\n"
			 "6: cmp %%rcx, %%rcx\n"
			 "loope 6b\n"
			 "lea from(%%rip), %%rsi\n"
			 "lea to(%%rip), %%rdi\n"
			 "mov $40, %%ecx\n"
			 "rep movsb\n"
			 "cmove %%rax, %%rdx\n"
			 "sete %%al\n"
			 "call 7f\n"
			 "jmp 8f\n"
			 "7: ret\n"
			 "8: lea 9f(%%rip), %%rax\n"
			 "jmp *%%rax\n"
			 "9:\n"
			 "measure_end: nop\n"
			 :
			 :
			 : "rax", "rcx", "rdx", "rsi", "rdi", "memory", "cc");
}

int main(void)
{
	measured();
	printf("%s%.0s\n", to, from);
	return 0;
}
