/*
 * Goes to where no code is: to 0, to addresses that no memory can have, to the kernel's and to the
 * page behind the last. By call, jmp, branches and ret, with targets in the instruction, in
 * registers and in memory. A handler prints what each shows: the signal, the registers, and the
 * words around the stack pointer. At the end, something is mapped at 0, where that is allowed.
 *
 *	wild_targets [few]
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <ucontext.h>
#include <unistd.h>

#define LOW   0x10000000ull	/* the kernel's addresses are in reach of a displacement */
#define HIGH  0x7fff90000000ull /* those that nothing can have are */
#define STACK 0x12000000ull
#define TABLE 0x13000000ull

enum { PAGE = 4096, TARGETS = 6, BYTES = 24, SHOWN = 6 };

static const uint64_t targets[TARGETS] = {
    0, 0x4141414141414141, 0xffff7fffffffffff, 0xffff800000000000, 0x800000000000, 0x7ffffffff000};

static sigjmp_buf back;
static uint64_t page;
static int step = 1; /* of the targets that are tried */

static void show(int signal, siginfo_t *info, void *context)
{
	const greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint64_t *stack = (const uint64_t *)regs[REG_RSP] - SHOWN / 2;
	uint64_t rip = (uint64_t)regs[REG_RIP];

	printf(" signal %d code %d address %p rip %s%llx rsp %llx rax %llx rcx %llx rdi %llx "
	       "flags %llx trap %lld error %llx:",
	    signal, info->si_code, info->si_addr, rip - page < PAGE ? "page+" : "",
	    (unsigned long long)(rip - page < PAGE ? rip - page : rip), regs[REG_RSP],
	    regs[REG_RAX], regs[REG_RCX], regs[REG_RDI], regs[REG_EFL], regs[REG_TRAPNO],
	    regs[REG_ERR]);
	for (int i = 0; i < SHOWN && (uint64_t)&stack[i] >= STACK; i++)
		printf(" %llx", (long long)stack[i]);
	printf("\n");
	siglongjmp(back, 1);
}

/* The code runs on a stack of its own, with the target in rax and a pointer to it in rdi. */
static __attribute__((noinline)) void run_on(uint64_t top, uint64_t code, uint64_t target)
{
	uint64_t *stack = (uint64_t *)top;

	for (int i = top == STACK ? 0 : -SHOWN; i < SHOWN; i++)
		stack[i] = 0x5000 + (uint64_t)i;
	*(uint64_t *)TABLE = target;
	if (sigsetjmp(back, 1))
		return;
	__asm__ volatile("mov %2, %%rsp\n"
			 "xor %%ecx, %%ecx\n"
			 "jmp *%%rdx\n"
			 :
			 : "a"(target), "d"(code), "r"(top), "D"(TABLE)
			 : "rcx", "memory");
	__builtin_unreachable();
}

static void run(uint64_t code, uint64_t target)
{
	run_on(STACK + PAGE / 2, code, target);
}

/* As a loader or a JIT does it: the page is written, then it becomes code. */
static void write_code(uint64_t address, const uint8_t *bytes, size_t length, int rights)
{
	mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE);
	memcpy((void *)address, bytes, length);
	mprotect((void *)page, PAGE, rights);
}

static void indirect(int rights)
{
	static const struct {
		const char *name;
		uint8_t bytes[BYTES];
	} forms[] = {
	    {"call *rax", {0xff, 0xd0}},
	    {"jmp *rax", {0xff, 0xe0}},
	    {"call *[rdi]", {0xff, 0x17}},
	    {"jmp *[rdi]", {0xff, 0x27}},
	    {"push; ret", {0x50, 0xc3}},
	    {"push; repz ret", {0x50, 0xf3, 0xc3}},
	    {"push; ret 16", {0x50, 0xc2, 0x10, 0x00}},
	    {"push; call *[rsp]", {0x50, 0xff, 0x14, 0x24}},
	    {"push; jmp *[rsp]", {0x50, 0xff, 0x24, 0x24}},
	    {"call *rax in a callee", {0xe8, 1, 0, 0, 0, 0xcc, 0xff, 0xd0}},
	    {"branch; call *rax", {0x31, 0xc9, 0x74, 1, 0xcc, 0xff, 0xd0}},
	};

	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		for (int t = 0; t < TARGETS; t += step) {
			printf("%s %llx:", forms[i].name, (long long)targets[t]);
			write_code(page + 64, forms[i].bytes, BYTES, rights);
			run(page + 64, targets[t]);
		}
	}
}

static void direct(uint64_t target, int rights)
{
	static const struct {
		const char *name;
		uint8_t bytes[10];
		int displacement; /* where it is */
	} forms[] = {
	    {"call", {0xe8}, 1},
	    {"rex call", {0x66, 0x66, 0x48, 0xe8}, 4},
	    {"jmp", {0xe9}, 1},
	    {"jz", {0x31, 0xc9, 0x0f, 0x84}, 4},
	    {"jnz", {0xff, 0xc1, 0x0f, 0x85}, 4},
	    {"jnz not taken", {0x31, 0xc9, 0x0f, 0x85}, 4},
	};

	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		uint8_t bytes[BYTES];
		int32_t displacement =
		    (int32_t)(target - (page + 64 + (uint64_t)forms[i].displacement + 4));

		memset(bytes, 0xcc, sizeof bytes);
		memcpy(bytes, forms[i].bytes, sizeof forms[i].bytes);
		memcpy(bytes + forms[i].displacement, &displacement, sizeof displacement);
		bytes[forms[i].displacement + 4] = 0x0f;
		bytes[forms[i].displacement + 5] = 0x0b;
		printf("%s %llx:", forms[i].name, (long long)target);
		write_code(page + 64, bytes, sizeof bytes, rights);
		run(page + 64, 0x1234);
	}
}

/* Straight on, and by a call at the very end, off the last page of a mapping. */
static void off_the_end(int rights)
{
	static const uint8_t nops[] = {0x90, 0x90, 0x90, 0x90};
	static const uint8_t call[] = {0xff, 0xd0};
	static const uint8_t cut[] = {0x0f};

	printf("off the end:");
	write_code(page + PAGE - sizeof nops, nops, sizeof nops, rights);
	run(page + PAGE - sizeof nops, 0);
	printf("call at the end:");
	write_code(page + PAGE - sizeof call, call, sizeof call, rights);
	run(page + PAGE - sizeof call, 0);
	printf("cut at the end:");
	write_code(page + PAGE - sizeof cut, cut, sizeof cut, rights);
	run(page + PAGE - sizeof cut, 0);
}

/* A call cannot push where the stack has ended: wherever it leads to, it faults there. */
static void without_stack(int rights)
{
	static const uint8_t call[] = {0xff, 0xd0, 0x0f, 0x0b};

	for (int t = 0; t < TARGETS; t += step) {
		printf("no stack, %llx:", (long long)targets[t]);
		write_code(page + 64, call, sizeof call, rights);
		run_on(STACK, page + 64, targets[t]);
	}
	printf("no stack, to code:");
	run_on(STACK, page + 64, page + 66);
}

static void *map(uint64_t address, int rights)
{
	return mmap((void *)address, PAGE, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* The null pointer leads to code: it runs, changes and goes again. */
static void code_at_0(void)
{
	static const uint8_t first[] = {0x83, 0xc0, 0x07, 0x0f, 0x0b}; /* add eax, 7; ud2 */
	static const uint8_t second[] = {0x83, 0xc0, 0x05, 0x0f, 0x0b};

	page = 0;
	if (map(0, PROT_READ | PROT_WRITE) == MAP_FAILED) {
		printf("nothing can be mapped at 0\n");
		return;
	}
	write_code(0, first, sizeof first, PROT_READ | PROT_EXEC);
	run(0, 1);
	write_code(0, second, sizeof second, PROT_READ | PROT_EXEC);
	run(0, 1);
	munmap(0, PAGE);
	run(0, 1);
	map(0, PROT_READ | PROT_WRITE | PROT_EXEC);
	memcpy((void *)page, first, sizeof first);
	run(0, 1);
	munmap(0, PAGE);
	page = LOW;
	direct(0, PROT_READ | PROT_EXEC);
}

/* Everything lies where it does under rr, and so nothing is where this program maps its own. */
static void without_randomization(char **argv)
{
	const int now = personality(0xffffffff);

	if (now & ADDR_NO_RANDOMIZE)
		return;
	personality((unsigned long)now | ADDR_NO_RANDOMIZE);
	execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
	static char handler_stack[1 << 16];
	const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
	struct sigaction action = {.sa_sigaction = show, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	const int rights[] = {PROT_READ | PROT_EXEC, PROT_READ | PROT_WRITE | PROT_EXEC};
	const uint64_t pages[] = {LOW, HIGH};
	const int few = argc > 1;

	step = few ? 4 : 1;
	without_randomization(argv);
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	sigaction(SIGTRAP, &action, NULL);
	map(STACK, PROT_READ | PROT_WRITE);
	map(TABLE, PROT_READ | PROT_WRITE);
	for (int p = 0; p < 2 - few; p++) {
		page = pages[p];
		map(page, PROT_READ | PROT_WRITE);
		for (int r = 0; r < 2 - few; r++) {
			printf("page %llx, rights %d\n", (long long)page, rights[r]);
			indirect(rights[r]);
			direct(page + 0x7ffe0000, rights[r]);
			direct(page - 0x7ffe0000, rights[r]);
			off_the_end(rights[r]);
			without_stack(rights[r]);
		}
	}
	page = LOW;
	direct(0, rights[0]);
	direct(0xffffffff90001000, rights[0]);
	run(page, 0);
	code_at_0();
	return 0;
}
