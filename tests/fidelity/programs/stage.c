/*
 * Runs kinds of endings, each on the same stage: see stage.h.
 *
 *	PROGRAM --list			a line for each kind: name, family, how to run it
 *	PROGRAM KIND			with the default action of its signal
 *	PROGRAM -h KIND...		with a handler, which prints what it was told
 *	PROGRAM -a KIND...		the same, with the handler on a stack of its own
 *	PROGRAM --text			makes text of what the program has printed before;
 *	PROGRAM --names			with the addresses named after what they lie in
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "stage.h"

extern struct kind __start_kinds[], __stop_kinds[];

#define TOP 0x7ffffffff000 /* of the addresses of programs */

static sigjmp_buf left;

/* The signals that a kind can end with. */
static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS, SIGPIPE,
    SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2, SIGPROF, SIGVTALRM, SIGTERM};

void stage_anchor(const char *name, uint64_t start, uint64_t end)
{
	struct board *board = BOARD;
	struct anchor *a = &board->anchor[0];

	if (board->anchors == sizeof board->anchor / sizeof board->anchor[0])
		abort();
	memmove(a + 1, a, board->anchors++ * sizeof *a);
	memset(a->name, 0, sizeof a->name);
	strncpy(a->name, name, sizeof a->name - 1);
	a->start = start;
	a->end = end;
}

static int anchor_object(struct dl_phdr_info *object, size_t size, void *data)
{
	uint64_t end = 0;
	const char *name = strrchr(object->dlpi_name, '/');

	(void)size;
	(void)data;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		uint64_t to = object->dlpi_phdr[i].p_vaddr + object->dlpi_phdr[i].p_memsz;

		if (object->dlpi_phdr[i].p_type == PT_LOAD && to > end)
			end = to;
	}
	name = name ? name + 1 : object->dlpi_name;
	/* A program that is always at the same place keeps its plain addresses. */
	if (object->dlpi_addr != 0 && strncmp(name, "librrpreload", 12) != 0)
		stage_anchor(*name ? name : "exe", object->dlpi_addr, object->dlpi_addr + end);
	return 0;
}

static void anchors(void)
{
	uint64_t frame = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	uint64_t heap = (uint64_t)(uintptr_t)malloc(24), vdso = getauxval(AT_SYSINFO_EHDR);
	uint64_t thread;

	__asm__("mov %%fs:0, %0" : "=r"(thread));
	stage_anchor("stack", frame - 0x800000, frame + 0x200);
	stage_anchor("environment", frame + 0x200, frame + 0x10000 < TOP ? frame + 0x10000 : TOP);
	stage_anchor("heap", heap - 0x20000, heap + 0x1000000);
	stage_anchor("vdso", vdso, vdso + 0x2000);
	dl_iterate_phdr(anchor_object, NULL);
	stage_anchor("pid", (uint64_t)getpid(), (uint64_t)getpid() + 1);
	stage_anchor("tls", thread - 0x800, thread + 0x1000);
}

static void map(uint64_t address, size_t size, int protection)
{
	void *at =
	    mmap(AT(address), size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (at != AT(address))
		abort();
}

static void build_stage(void)
{
	int rw = PROT_READ | PROT_WRITE;
	uint64_t *patterns = (uint64_t *)AT(STAGE_PATTERNS);

	map(STAGE_STACK, STAGE_STACK_SIZE, rw);
	map(STAGE_ALT_STACK, STAGE_ALT_STACK_SIZE, rw);
	map(STAGE_DATA, 0x2000, rw);
	map(STAGE_NOWHERE, 0x1000, PROT_NONE);
	map(STAGE_READ_ONLY, 0x1000, PROT_READ);
	map(STAGE_CODE, 0x2000, rw | PROT_EXEC);
	map(STAGE_PATTERNS, 0x1000, rw);
	for (unsigned i = 0; i < 0x800 / sizeof *patterns; i++)
		patterns[i] = 0x0101010101010101 * (i % 251 + 1);
}

/* A clean stage, whatever the kind before has left; without a loop, for it is single-stepped. */
static void clean(void)
{
	static const uint64_t pages[][2] = {{STAGE_STACK, STAGE_STACK_SIZE},
	    {STAGE_ALT_STACK, STAGE_ALT_STACK_SIZE}, {STAGE_DATA, 0x2000}, {STAGE_CODE, 0x2000}};

	for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
		madvise(AT(pages[i][0]), pages[i][1], MADV_DONTNEED);
}

#define FILL_4(instruction, suffix, a, b, c, d)                                                    \
	instruction                                                                                \
	    " " STRING(STAGE_PATTERNS) "+64*" #a ", %" suffix #a "\n" instruction " " STRING(      \
		STAGE_PATTERNS) "+64*" #b ", %" suffix #b "\n" instruction                         \
				" " STRING(STAGE_PATTERNS) "+64*" #c ", %" suffix #c               \
							   "\n" instruction " " STRING(            \
							       STAGE_PATTERNS) "+64*" #d           \
									       ", %" suffix #d     \
									       "\n"
#define FILL_16(instruction, suffix)                                                               \
	FILL_4(instruction, suffix, 0, 1, 2, 3)                                                    \
	FILL_4(instruction, suffix, 4, 5, 6, 7)                                                    \
	FILL_4(instruction, suffix, 8, 9, 10, 11)                                                  \
	FILL_4(instruction, suffix, 12, 13, 14, 15)

__asm__(
    ".text\n.globl stage_enter\n.type stage_enter, @function\n"
    "stage_enter:\n.cfi_startproc\n.cfi_undefined rip\n"
    "mov $" STRING(STAGE_STACK) "+" STRING(
	STAGE_STACK_SIZE) "-0x400, %esp\n"
			  "emms\nfldz\nfldpi\nfld1\n"
			  "cmpq $1, " STRING(
			      STAGE_BOARD) "+72\n"
					   "jb 1f\nje 2f\n" FILL_16("vmovdqu64", "zmm") FILL_4(
					       "vmovdqu64", "zmm", 16, 17, 18,
					       19) FILL_4("vmovdqu64", "zmm", 20, 21, 22,
					       23) FILL_4("vmovdqu64", "zmm", 24, 25, 26,
					       27) FILL_4("vmovdqu64", "zmm", 28, 29, 30,
					       31) "mov $0x5a, %eax\nkmovw %eax, %k1\nkmovw %eax, "
						   "%k7\nmov $0x21, %eax\nkmovw %eax, %k2\n"
						   "jmp 3f\n"
						   "2:\n" FILL_16("vmovdqu",
						       "ymm") "jmp 3f\n"
							      "1:\n" FILL_16("movdqu",
								  "xmm") "3:\n"
									 "mov $0xa, %eax\nmov "
									 "$0xb, %ebx\nmov $0xd, "
									 "%edx\nmov $5, %ebp\n"
									 "mov $" STRING(STAGE_DATA) ", %esi\nmov $" STRING(
									     STAGE_DATA) "+0x1000, "
											 "%edi\n"
											 "mov "
											 "$" STRING(STAGE_READ_ONLY) ", %r8d\nmov $" STRING(
											     STAGE_NOWHERE) ", %r9d\n"
													    "mov $0x10, %r10d\nmov $-0x100, %r11\nmov $" STRING(
														STAGE_CODE) ", %r12d\n"
															    "movabs $0x1f1f1f1f1f, %r13\nmovabs $0x8000000000000000, %r15\n"
															    "xor %r14d, %r14d\nmov $0xc, %ecx\n"
															    "call *" STRING(
																STAGE_BOARD) "+64\n"
																	     "and $-16, %rsp\n"
																	     "call stage_left\n"
																	     "hlt\n.cfi_endproc\n.size stage_enter, . - stage_enter\n");

void stage_say(const char *word)
{
	char line[128];
	int n = snprintf(line, sizeof line, "%s: %s\n", BOARD->kind, word);

	syscall(SYS_write, 1, line, n);
}

/* A kind that has returned. */
FROM_C void stage_left(void) __attribute__((noreturn));
void stage_left(void)
{
	stage_say("returned");
	siglongjmp(left, 1);
}

/* Linux leaves AC set for a handler, and neither libc nor this file can live with that. */
static void clear_alignment_check(const void *context)
{
	if ((((const ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] & 0x40000) == 0)
		return;
	__asm__ volatile(
	    "sub $0x80, %%rsp\npushfq\nandl $~0x40000, (%%rsp)\npopfq\nadd $0x80, %%rsp" ::
		: "memory", "cc");
}

void stage_handler(int number, siginfo_t *info, void *context)
{
	clear_alignment_check(context);
	dump_signal(number, info, context);
	siglongjmp(left, 1);
}

void stage_handle(int number, void (*handler)(int, siginfo_t *, void *), int on_alt_stack)
{
	struct sigaction action;

	memset(&action, 0, sizeof action);
	action.sa_sigaction = handler;
	/* gdb's breakpoint in a handler where SIGTRAP is blocked would make Linux forget the
	 * handler. */
	action.sa_flags =
	    SA_SIGINFO | (on_alt_stack ? SA_ONSTACK : 0) | (number == SIGTRAP ? SA_NODEFER : 0);
	if (sigaction(number, &action, NULL) != 0)
		abort();
}

static void install_handlers(int on_alt_stack)
{
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		stage_handle(signals[i], stage_handler, on_alt_stack);
}

static void install_alt_stack(void)
{
	stack_t other;

	memset(&other, 0, sizeof other);
	other.ss_sp = AT(STAGE_ALT_STACK);
	other.ss_size = STAGE_ALT_STACK_SIZE;
	sigaltstack(&other, NULL);
}

void stage_early(const char *kind)
{
	map(STAGE_BOARD, 0x1000, PROT_READ | PROT_WRITE);
	strcpy(BOARD->kind, kind);
}

static void run_kind(const struct kind *kind, int handled, int on_alt_stack)
{
	static int installed = -1; /* where the handlers run */
	int wanted = on_alt_stack || (kind->flags & KIND_ALTSTACK);

	if (!(kind->flags & KIND_FATAL))
		install_alt_stack();
	if (handled && installed != wanted)
		install_handlers(wanted);
	installed = kind->flags & KIND_HANDLERS ? -1 : wanted;
	clean();
	strcpy(BOARD->kind, kind->name);
	BOARD->run = kind->run;
	if (sigsetjmp(left, 1) == 0)
		stage_enter();
}

static int list(void)
{
	for (struct kind *k = __start_kinds; k < __stop_kinds; k++) {
		const char *name = strrchr(k->family, '/');
		int length;

		name = name ? name + 1 : k->family;
		length = (int)strcspn(name, ".");
		printf("%s %.*s %s\n", k->name, length, name,
		    k->flags & KIND_REFUSED ? "refused"
		    : k->flags & KIND_CHILD ? "child"
		    : k->flags & KIND_LONG  ? "long"
		    : k->flags & KIND_FATAL ? "fatal"
		    : k->flags & KIND_ALONE ? "alone"
					    : "batch");
	}
	return 0;
}

/* Kinds mostly come in the order of the table, so it looks behind the last one first. */
static const struct kind *find(const char *name)
{
	static const struct kind *next = __start_kinds;
	const struct kind *k = next;

	do {
		k = k == __stop_kinds ? __start_kinds : k;
		if (strcmp(k->name, name) == 0)
			return next = k + 1, k;
	} while (++k != next);
	fprintf(stderr, "no kind is named %s\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	int handled, on_alt_stack;

	if (argc == 2 && strcmp(argv[1], "--list") == 0)
		return list();
	if (argc == 2 && (strcmp(argv[1], "--text") == 0 || strcmp(argv[1], "--names") == 0)) {
		dump_print(argv[1][2] == 'n');
		return 0;
	}
	handled = argc > 1 && argv[1][0] == '-';
	on_alt_stack = argc > 1 && strcmp(argv[1], "-a") == 0;
	/* libc's frames hold the canary, which is random. main never returns. */
	__asm__ volatile("movq $0x2a2a2a00, %%fs:0x28" ::: "memory");
	map(STAGE_BOARD, 0x1000, PROT_READ | PROT_WRITE);
	build_stage();
	anchors();
	BOARD->wide = __builtin_cpu_supports("avx512f") ? 2 : __builtin_cpu_supports("avx") ? 1 : 0;
	for (int i = 1 + handled; i < argc; i++)
		run_kind(find(argv[i]), handled, on_alt_stack);
	exit(0);
}
