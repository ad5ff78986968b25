/*
 * Runs code, fixed and writable, at every alignment, under each flag that a program can set: of
 * alignment checks, direction, nested tasks and identification. They come by popf, by a short popf
 * and back from a signal handler. What is not aligned faults under the flag of alignment, in the
 * program's own instruction and nowhere else; and a popf without a stack faults like itself.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define CODE  0x10000000ull
#define STACK 0x12000000ull
#define TOP   (STACK + PAGE)

enum {
	PAGE = 4096,
	USUAL = 0x202,
	DIRECTION = 0x400,
	NESTED = 0x4000,
	ALIGNMENT = 0x40000,
	IDENTIFICATION = 0x200000,
	SHOWN = DIRECTION | NESTED | ALIGNMENT | IDENTIFICATION,
};

/* Calls the code on this stack with these flags. *after are the flags with which it comes back. */
uint64_t run(uint64_t code, uint64_t flags, uint64_t stack, uint64_t *after);

__asm__(".text\n"
	".globl run\n"
	"run:\n"
	"	push %rbx\n"
	"	push %rbp\n"
	"	push %r12\n"
	"	mov %rsp, %rbp\n"
	"	mov %rdi, %rbx\n"
	"	mov %rcx, %r12\n"
	"	mov %rdx, %rsp\n"
	"	xor %eax, %eax\n"
	"	mov $20, %ecx\n"
	"	lea -64(%rdx), %rdi\n"
	"	push %rsi\n"
	"	popfq\n"
	"	call *%rbx\n"
	"	pushfq\n"
	"	pop %rdx\n"
	"	pushq $0x202\n"
	"	popfq\n"
	"	mov %rdx, (%r12)\n"
	"	mov %rbp, %rsp\n"
	"	pop %r12\n"
	"	pop %rbp\n"
	"	pop %rbx\n"
	"	ret\n");

static sigjmp_buf back;
static uint64_t flags_after_handler;

static void show(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	__asm__ volatile("pushq $0x202; popfq" : : : "cc", "memory");
	if (signal == SIGUSR1) {
		regs[REG_EFL] |= (greg_t)flags_after_handler;
		return;
	}
	printf(" signal %d code %d address %p rip %llx rsp %llx flags %llx trap %lld error %llx\n",
	    signal, info->si_code, info->si_addr, regs[REG_RIP] - (greg_t)CODE, regs[REG_RSP],
	    regs[REG_EFL] & SHOWN, regs[REG_TRAPNO], regs[REG_ERR]);
	siglongjmp(back, 1);
}

static void call_on(const char *name, uint64_t flags, const uint8_t *bytes, size_t length,
    size_t at, uint64_t stack)
{
	uint64_t after = 0, result;
	uint32_t vectors = 0;
	uint16_t x87 = 0;

	printf("%s, flags %llx, at %zx:", name, (long long)flags, at);
	memcpy((void *)(CODE + at), bytes, length);
	if (sigsetjmp(back, 1))
		return;
	result = run(CODE + at, flags | USUAL, stack, &after);
	__asm__ volatile("stmxcsr %0; fnstcw %1" : "=m"(vectors), "=m"(x87));
	printf(" %llx flags %llx mxcsr %x x87 %x\n", (long long)result, (long long)(after & SHOWN),
	    vectors, x87);
}

#define CALL(name, flags, bytes, at) call_on(name, flags, bytes, sizeof bytes, at, TOP - 64)

/* add eax, ecx; dec ecx; jnz; then something that is not aligned, or not. */
static const uint8_t sums[] = {0x01, 0xc8, 0xff, 0xc9, 0x75, 0xfa, 0xc3};
static const uint8_t aligned[] = {0x01, 0xc8, 0xff, 0xc9, 0x75, 0xfa, 0x48, 0x01, 0x07, 0xc3};
static const uint8_t unaligned[] = {
    0x01, 0xc8, 0xff, 0xc9, 0x75, 0xfa, 0x48, 0x01, 0x47, 0x03, 0xc3}; /* add [rdi + 3], rax */
static const uint8_t unaligned_push[] = {0x6a, 0x01, 0x48, 0xff, 0xcc, 0x50, 0xc3};
static const uint8_t unaligned_call[] = {
    0x48, 0xff, 0xcc, 0xff, 0x17, 0xc3};		   /* dec rsp; call [rdi] */
static const uint8_t strings[] = {0x66, 0xf3, 0xab, 0xc3}; /* rep stosw */

/* None faults, so all are printed as one. */
static void sum_at_each_alignment(uint64_t flags)
{
	uint64_t results = 0, all_flags = 0;

	printf("sums, flags %llx:", (long long)flags);
	if (sigsetjmp(back, 1))
		return;
	for (size_t at = 64; at < 72; at++) {
		uint64_t after = 0;

		memcpy((void *)(CODE + at), sums, sizeof sums);
		results += run(CODE + at, flags | USUAL, TOP - 64, &after);
		all_flags += after & SHOWN;
	}
	printf(" %llx flags %llx\n", (long long)results, (long long)all_flags);
}

static void under(uint64_t flags)
{
	sum_at_each_alignment(flags);
	CALL("aligned", flags, aligned, 3);
	CALL("unaligned", flags, unaligned, 5);
	CALL("unaligned push", flags, unaligned_push, 7);
	CALL("unaligned call", flags, unaligned_call, 9);
	CALL("strings", flags, strings, 11);
}

/* popf of a size on a stack that ends under it. */
static void without_stack(void)
{
	/* lea rsp, [rsp + size]; push of flags there; popf; and back */
	static const uint8_t last[] = {0x48, 0x89, 0xe2, 0x48, 0xc7, 0xc4, 0, 0x10, 0, 0x12, 0x68,
	    0x02, 0x06, 0, 0, 0x9d, 0x48, 0x89, 0xd4, 0xc3};
	static const uint8_t last_narrow[] = {0x48, 0x89, 0xe2, 0x48, 0xc7, 0xc4, 0, 0x10, 0, 0x12,
	    0x66, 0x68, 0x02, 0x06, 0x66, 0x9d, 0x48, 0x89, 0xd4, 0xc3};
	/* mov rsp, where there is none, or only a part; popf */
	static const uint8_t none[] = {0x48, 0xc7, 0xc4, 0, 0x10, 0, 0x12, 0x9d, 0xc3};
	static const uint8_t part[] = {0x48, 0xc7, 0xc4, 0xfc, 0x0f, 0, 0x12, 0x9d, 0xc3};

	CALL("last popf", 0, last, 16);
	CALL("last short popf", 0, last_narrow, 16);
	CALL("popf of nothing", 0, none, 16);
	CALL("popf of a part", 0, part, 16);
}

/* pushq flags; popfq, and the same with the short ones, which change no more than 16 bits. */
static void by_popf(void)
{
	static const uint32_t flags[] = {
	    USUAL, 0x602, 0x4202, 0x40202, 0x200202, 0x200a02, 0x240602, 0x244ad7};

	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
		uint8_t wide[] = {
		    0x68, 0, 0, 0, 0, 0x9d, 0x90, 0x01, 0xc8, 0xff, 0xc9, 0x75, 0xfa, 0xc3};
		uint8_t narrow[] = {
		    0x66, 0x68, 0, 0, 0x66, 0x9d, 0x01, 0xc8, 0xff, 0xc9, 0x75, 0xfa, 0xc3};

		memcpy(wide + 1, &flags[i], 4);
		memcpy(narrow + 2, &flags[i], 2);
		CALL("popf", 0, wide, 65);
		CALL("short popf", 0, narrow, 67);
		CALL("short popf", ALIGNMENT | IDENTIFICATION, narrow, 67);
	}
}

static void back_from_a_handler(uint64_t flags)
{
	/* int3; then the sum */
	static const uint8_t code[] = {0xcc, 0x31, 0xc0, 0x01, 0xc8, 0xff, 0xc9, 0x75, 0xfa, 0xc3};

	flags_after_handler = flags;
	CALL("back from a handler", 0, code, 33);
}

static void come_back(int signal, siginfo_t *info, void *context)
{
	(void)info;
	(void)signal;
	show(SIGUSR1, NULL, context);
}

int main(void)
{
	static const uint64_t flags[] = {0, DIRECTION, NESTED, ALIGNMENT, IDENTIFICATION, SHOWN};
	static char handler_stack[1 << 16];
	const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
	struct sigaction action = {.sa_sigaction = show, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	action.sa_sigaction = come_back;
	sigaction(SIGTRAP, &action, NULL);
	mmap((void *)CODE, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	mmap((void *)STACK, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
	    -1, 0);
	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
		under(flags[i]);
		back_from_a_handler(flags[i]);
	}
	by_popf();
	without_stack();
	return 0;
}
