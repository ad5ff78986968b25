/*
 * What the handler of a signal was told: siginfo, and the whole context with its vectors.
 * dump_signal writes it as it is, in one call, so that it costs few instructions: they are
 * single-stepped. dump_print makes text of that, in a form that is the same in every run: addresses
 * are named after what they lie in, processes after what they are.
 */
#include <cpuid.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "stage.h"

#define EXTENDED 0x46505853 /* FP_XSTATE_MAGIC1: an XSAVE area */
enum { LEGACY_SIZE = 512, LARGEST_STATE = 16384 };

struct head {
	char mark[8]; /* no text of a kind begins so */
	int32_t number, pid, parent, user;
	uint64_t state_size;
};

struct record {
	struct head head;
	struct board board;
	siginfo_t info;
	ucontext_t context;
	uint8_t state[LARGEST_STATE];
};

static const char mark[8] = "\n\001frame";

void dump_signal(int number, const siginfo_t *info, const void *context)
{
	const ucontext_t *uc = (const ucontext_t *)context;
	const uint8_t *state = (const uint8_t *)uc->uc_mcontext.fpregs;
	struct head head;
	uint32_t sizes[2];

	memset(&head, 0, sizeof head);
	memcpy(head.mark, mark, sizeof mark);
	head.number = number;
	head.pid = getpid();
	head.parent = getppid();
	head.user = (int32_t)getuid();
	memcpy(sizes, state + 464, sizeof sizes);
	head.state_size = sizes[0] == EXTENDED ? sizes[1] : (uint32_t)LEGACY_SIZE;

	struct iovec parts[] = {{&head, sizeof head}, {BOARD, sizeof *BOARD},
	    {(void *)info, sizeof *info}, {(void *)context, offsetof(ucontext_t, __fpregs_mem)},
	    {(void *)state, head.state_size}};
	if (writev(1, parts, sizeof parts / sizeof parts[0]) < 0)
		_exit(3);
}

/* A number, or the place it is the address of. */
static void print_word(const struct record *r, uint64_t value)
{
	for (uint64_t i = 0; i < r->board.anchors && i < STAGE_ANCHORS; i++) {
		const struct anchor *a = &r->board.anchor[i];

		if (value >= a->start && value < a->end) {
			printf(" %.16s+%#lx", a->name, (unsigned long)(value - a->start));
			return;
		}
	}
	printf(" %#lx", (unsigned long)value);
}

static void print_name(const struct record *r, const char *name)
{
	printf("%.64s handler%d-%s", r->board.kind, r->head.number, name);
}

static void field(const struct record *r, const char *name, uint64_t value)
{
	print_name(r, name);
	print_word(r, value);
	putchar('\n');
}

static void print_sender(const struct record *r)
{
	int pid = r->info.si_pid;

	print_name(r, "si_pid");
	puts(pid == r->head.pid	     ? " self"
	     : pid == r->head.parent ? " parent"
	     : pid		     ? " other"
				     : " 0");
	print_name(r, "si_uid");
	puts(r->info.si_uid == (uid_t)r->head.user ? " own" : " other");
}

static void print_info(const struct record *r)
{
	const siginfo_t *info = &r->info;

	field(r, "si_signo", (uint64_t)info->si_signo);
	field(r, "si_errno", (uint64_t)info->si_errno);
	field(r, "si_code", (uint64_t)(int64_t)info->si_code);
	if (info->si_code == SI_TIMER) {
		field(r, "si_value", (uint64_t)info->si_value.sival_int);
	} else if (r->head.number == SIGCHLD) {
		print_sender(r);
		field(r, "si_status", (uint64_t)info->si_status);
	} else if (info->si_code <= 0) {
		print_sender(r);
		field(r, "si_value", (uint64_t)(uintptr_t)info->si_value.sival_ptr);
	} else if (r->head.number == SIGSYS) {
		field(r, "si_call_addr", (uint64_t)(uintptr_t)info->si_call_addr);
		field(r, "si_syscall", (uint64_t)info->si_syscall);
		field(r, "si_arch", info->si_arch);
	} else {
		field(r, "si_addr", (uint64_t)(uintptr_t)info->si_addr);
	}
}

/* The bytes of a state component as words; left out if they are all zero. */
static void print_block(const struct record *r, const char *name, const uint8_t *bytes, size_t n)
{
	uint64_t word;
	bool any = false;

	for (size_t i = 0; i < n; i++)
		any |= bytes[i] != 0;
	if (!any)
		return;
	print_name(r, name);
	for (size_t i = 0; i + sizeof word <= n; i += sizeof word) {
		memcpy(&word, bytes + i, sizeof word);
		print_word(r, word);
	}
	putchar('\n');
}

/* 16 bytes of each of the registers, or so many as there are. */
static void print_registers(const struct record *r, const char *name, unsigned first,
    const uint8_t *bytes, size_t each, size_t n)
{
	char title[32];

	for (size_t i = 0; i < n; i++) {
		snprintf(title, sizeof title, "%s%u", name, (unsigned)(first + i));
		print_block(r, title, bytes + i * each, each);
	}
}

/* A component in its initial state may hold anything in the frame: the processor ignores it. */
static void print_state(const struct record *r)
{
	static const struct {
		const char *name;
		unsigned component, first;
		size_t each, n;
	} parts[] = {{"ymm_high", 2, 0, 16, 16}, {"k", 5, 0, 8, 8}, {"zmm_high", 6, 0, 32, 16},
	    {"zmm", 7, 16, 64, 16}};
	const uint8_t *state = r->state;
	uint32_t size, at, unused, unused2;
	uint64_t present = 3;

	print_block(r, "x87_control", state, 24);
	print_block(r, "mxcsr", state + 24, 8);
	if (r->head.state_size > LEGACY_SIZE)
		memcpy(&present, state + LEGACY_SIZE, sizeof present);
	if (present & 1)
		print_registers(r, "st", 0, state + 32, 16, 8);
	if (present & 2)
		print_registers(r, "xmm", 0, state + 160, 16, 16);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		if (!(present >> parts[i].component & 1))
			continue;
		__cpuid_count(0xd, parts[i].component, size, at, unused, unused2);
		if (at + size <= LARGEST_STATE)
			print_registers(r, parts[i].name, parts[i].first, state + at, parts[i].each,
			    parts[i].n);
	}
}

static void print_record(const struct record *r)
{
	static const char *const names[] = {"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	    "rdi", "rsi", "rbp", "rbx", "rdx", "rax", "rcx", "rsp", "rip", "eflags", "segments",
	    "err", "trapno", "oldmask", "cr2"};
	const ucontext_t *uc = &r->context;
	uint64_t mask;

	print_info(r);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		field(r, names[i], (uint64_t)uc->uc_mcontext.gregs[i]);
	field(r, "uc_flags", uc->uc_flags);
	field(r, "uc_link", (uint64_t)(uintptr_t)uc->uc_link);
	field(r, "ss_sp", (uint64_t)(uintptr_t)uc->uc_stack.ss_sp);
	field(r, "ss_flags", (uint64_t)uc->uc_stack.ss_flags);
	field(r, "ss_size", uc->uc_stack.ss_size);
	memcpy(&mask, &uc->uc_sigmask, sizeof mask);
	field(r, "uc_sigmask", mask);
	print_state(r);
}

void dump_print(int named)
{
	static struct record r;
	int byte;
	size_t matched = 0;

	while ((byte = getchar()) != EOF) {
		/* The mark begins with a newline, and has no second one: no need to go back. */
		if (byte == mark[matched] && ++matched < sizeof mark)
			continue;
		if (matched < sizeof mark) {
			fwrite(mark, 1, byte == mark[matched] ? 0 : matched, stdout);
			matched = byte == mark[0];
			if (!matched)
				putchar(byte);
			continue;
		}
		matched = 0;
		memset(&r, 0, sizeof r);
		if (fread((char *)&r + sizeof mark, sizeof r.head - sizeof mark, 1, stdin) != 1 ||
		    fread(&r.board, sizeof r.board, 1, stdin) != 1 ||
		    fread(&r.info, sizeof r.info, 1, stdin) != 1 ||
		    fread(&r.context, offsetof(ucontext_t, __fpregs_mem), 1, stdin) != 1 ||
		    r.head.state_size > sizeof r.state ||
		    fread(r.state, r.head.state_size, 1, stdin) != 1) {
			puts("a frame that is cut off");
			return;
		}
		if (!named)
			r.board.anchors = 0;
		print_record(&r);
	}
	fwrite(mark, 1, matched, stdout);
}
