/*
 * What a kind of ending may rely on: registers, pages and stacks that are the same in every run.
 *
 * A kind is one row: KIND gives it a body in C, ASSEMBLY its instructions. Each begins on a stack
 * of its own that holds nothing but zeros, with every register filled (see stage_enter):
 *
 *	rsi	DATA, two writable pages, and NOWHERE behind them
 *	rdi	DATA + 0x1000
 *	r8	READ_ONLY		r9	NOWHERE, a page without access
 *	r10	0x10			r11	0xffffffffffffff00
 *	r12	CODE, two pages that may be written and run, and nothing behind them
 *	r13	0x1f1f1f1f1f		r14	0
 *	r15	0x8000000000000000, which is no address
 *	rax, rbx, rcx, rdx, rbp		0xa, 0xb, 0xc, 0xd, 0x5
 *
 * The files of kinds are compiled as C and as C++.
 */
#ifndef FIDELITY_STAGE_H
#define FIDELITY_STAGE_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

/* For assembly as well, hence no casts. All below 2 GB, so that each fits an instruction. */
#define STAGE_STACK	     0x60000000 /* its lowest page; nothing lies below */
#define STAGE_STACK_SIZE     0x10000
#define STAGE_ALT_STACK	     0x60020000
#define STAGE_ALT_STACK_SIZE 0x10000
#define STAGE_DATA	     0x60040000
#define STAGE_NOWHERE	     0x60042000
#define STAGE_READ_ONLY	     0x60050000
#define STAGE_CODE	     0x60060000
#define STAGE_CODE_END	     0x60062000
#define STAGE_BOARD	     0x60070000 /* struct board */
#define STAGE_PATTERNS	     0x60080000
#define STAGE_THREAD	     0x60100000 /* stack of a second thread */
#define STAGE_THREAD_SIZE    0x40000
#define STAGE_HOLE	     0x60180000 /* nothing is mapped here */

enum {
	/* What the driver asks for with --list. */
	KIND_ALONE = 1, /* ends the process, or would spoil what comes after it */
	KIND_CHILD = 2, /* the last process is the one to look at; alone too */
	KIND_CALLS = 4, /* has made system calls: rcx, r11 and what lies below the stack are rr's */
	KIND_ALTSTACK = 8,  /* its stack cannot take the handler */
	KIND_FATAL = 16,    /* no handler, not even in a second run; alone too */
	KIND_LONG = 64,	    /* too long for single steps; alone too */
	KIND_HANDLERS = 32, /* leaves handlers behind */
	KIND_REFUSED = 128, /* rr cannot record it: the recorder says so and ends */
};

struct kind {
	const char *name;
	void (*run)(void);
	const char *family;
	long flags;
};

enum { STAGE_ANCHORS = 24 };

/* A range of addresses that lies elsewhere in another run; gdb's script reads them as well. */
struct anchor {
	char name[16];
	uint64_t start, end;
};

struct board {
	char kind[64]; /* the one that runs */
	void (*run)(void);
	uint64_t wide; /* 0: SSE, 1: AVX, 2: AVX-512 */
	uint64_t anchors;
	struct anchor anchor[STAGE_ANCHORS];
};

#define BOARD	    ((struct board *)(uintptr_t)STAGE_BOARD)
#define AT(address) ((void *)(uintptr_t)(address))

/* GCC may lay out larger objects with gaps; the rows have to be an array. */
#define ROW(symbol, text, flags)                                                                   \
	static struct kind row_##symbol __attribute__((used, section("kinds"), aligned(8))) = {    \
	    text, kind_##symbol, FAMILY, (flags)};

#define KIND(symbol, flags)                                                                        \
	static void kind_##symbol(void);                                                           \
	ROW(symbol, #symbol, flags)                                                                \
	static __attribute__((noinline)) void kind_##symbol(void)

#ifdef __cplusplus
#define FROM_C extern "C"
#else
#define FROM_C extern
#endif

#define ASSEMBLY_FLAGS(symbol, flags, text)                                                        \
	__asm__(".text\n.globl kind_" #symbol "\n.type kind_" #symbol ", @function\n"              \
		"kind_" #symbol ":\n.cfi_startproc\n" text "\n.cfi_endproc\n"                      \
		".size kind_" #symbol ", . - kind_" #symbol "\n");                                 \
	FROM_C void kind_##symbol(void);                                                           \
	ROW(symbol, #symbol, flags)
#define ASSEMBLY(symbol, text) ASSEMBLY_FLAGS(symbol, 0, text)

/* For rows that name the addresses above. */
#define STRING_OF(x) #x
#define STRING(x)    STRING_OF(x)

/* Remembers a range whose addresses differ between runs. The newest comes first. */
FROM_C void stage_anchor(const char *name, uint64_t start, uint64_t end);

/* Before main, where there is no stage: a board with the kind's name. */
FROM_C void stage_early(const char *kind);

/* Runs a kind's function on the stack; does not return. */
FROM_C void stage_enter(void) __attribute__((noreturn));

/* The handler of every signal that can end a kind; leaves by a jump out of the kind. */
FROM_C void stage_handler(int number, siginfo_t *info, void *context);

/* Installs a handler, on the other stack if asked. */
FROM_C void stage_handle(int number, void (*handler)(int, siginfo_t *, void *), int on_alt_stack);

/* Prints the kind, and a word about how it went on. */
FROM_C void stage_say(const char *word);

/* Writes down what a handler was told. dump_print makes text of the output of a program. */
FROM_C void dump_signal(int number, const siginfo_t *info, const void *context);
FROM_C void dump_print(int named);

#endif
