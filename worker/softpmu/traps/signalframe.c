/*
 * Corrects signal frames before rr records them. Must never change a frame that a fault of the
 * program's own has made, but for what that fault does not set.
 */
#include "worker/softpmu/traps/signalframe.h"

#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <ucontext.h>

#include "worker/x86/eflags.h"
#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/traps/tracees.h"

enum {
	CODE_SEGMENT_64 = 0x33,
	WORD = sizeof(uint64_t),
	/* si_code of the stop that the kernel makes at a handler's first instruction */
	TRAP_AT_HANDLER = SIGTRAP,
};

/* Exceptions, as in the kernel's asm/trapnr.h. */
enum {
	TRAP_DEBUG = 1,
	TRAP_BREAKPOINT = 3,
	TRAP_PAGE_FAULT = 14,
};

#define VSYSCALL_PAGE 0xffffffffff600000

/* Registers of a frame, in the order of gregs: one read and one write have them all. */
enum { FRAME_FIRST = REG_RIP, FRAME_WORDS = REG_CR2 + 1 - FRAME_FIRST };

struct frame {
	uint64_t word[FRAME_WORDS];
};

static uint64_t *frame_word(struct frame *frame, int which)
{
	return &frame->word[which - FRAME_FIRST];
}

void signalframe_begin(struct tracee *tracee, int signal)
{
	siginfo_t info = {0};
	uint64_t call = UINT64_MAX;

	tracee->delivery.signal = 0;
	if (signal == 0 || kernel_ptrace(PTRACE_GETSIGINFO, tracee->tid, 0, (uint64_t)&info) < 0)
		return;
	if (info.si_code > 0)
		kernel_ptrace(PTRACE_PEEKUSER, tracee->tid, offsetof(struct user, regs.orig_rax),
		    (uint64_t)&call);
	tracee->delivery = (struct delivery){signal, info.si_code, (int64_t)call >= 0};
}

/*
 * Has a fault made this frame? A program may send itself any signal with any si_code, and the
 * kernel sends SIGSEGV with that of a general protection where there was none: for a vsyscall, and
 * where a frame cannot be read or written. So the exception has to fit as well, which one of ours
 * does not.
 */
static bool is_of_fault(const struct delivery *delivery, struct frame *frame)
{
	uint64_t trap = *frame_word(frame, REG_TRAPNO), rip = *frame_word(frame, REG_RIP);

	if (delivery->in_call || delivery->code <= 0)
		return false;
	switch (delivery->signal) {
	case SIGSEGV:
		if (delivery->code == SI_KERNEL)
			return trap != TRAP_DEBUG && trap != TRAP_BREAKPOINT && trap != 0 &&
			       trap != TRAP_PAGE_FAULT && (rip & ~0xfffull) != VSYSCALL_PAGE;
		return trap != TRAP_DEBUG && trap != TRAP_BREAKPOINT && trap != 0;
	case SIGBUS:
	case SIGFPE: /* 0 is a division's */
	case SIGILL:
		return trap != TRAP_DEBUG && trap != TRAP_BREAKPOINT;
	case SIGTRAP:
		return trap == (delivery->code == SI_KERNEL ? TRAP_BREAKPOINT : TRAP_DEBUG);
	default:
		return false;
	}
}

/* Makes the words what the kernel would have written without us. */
static void correct(struct tracee *tracee, struct frame *frame)
{
	struct last_fault *last = &tracee->last_fault;

	if (is_of_fault(&tracee->delivery, frame)) {
		last->error = *frame_word(frame, REG_ERR);
		last->trap = *frame_word(frame, REG_TRAPNO);
		if (last->trap == TRAP_PAGE_FAULT)
			last->address = *frame_word(frame, REG_CR2);
	}
	*frame_word(frame, REG_ERR) = last->error;
	*frame_word(frame, REG_TRAPNO) = last->trap;
	*frame_word(frame, REG_CR2) = last->address;
	/*
	 * rr brings a signal in with a step, and Linux takes the trap flag of a step that begins at
	 * popf or iret for the program's own (arch/x86/kernel/step.c, is_setting_trap_flag).
	 */
	*frame_word(frame, REG_EFL) &= ~(uint64_t)FLAG_TRAP;
}

static bool is_in_handler(const struct tracee *tracee, struct user_regs_struct *regs)
{
	siginfo_t info = {0};

	return kernel_ptrace(PTRACE_GETSIGINFO, tracee->tid, 0, (uint64_t)&info) >= 0 &&
	       info.si_code == TRAP_AT_HANDLER &&
	       kernel_ptrace(PTRACE_GETREGS, tracee->tid, 0, (uint64_t)regs) >= 0 &&
	       regs->cs == CODE_SEGMENT_64;
}

/* Each word is written by a call of its own, and mostly one of them changes. */
static void correct_at(struct tracee *tracee, uint64_t at)
{
	struct frame frame, corrected;

	if (!memory_read(tracee->tid, at, &frame, sizeof frame))
		return;
	corrected = frame;
	correct(tracee, &corrected);
	for (size_t i = 0; i < FRAME_WORDS; i++) {
		if (corrected.word[i] != frame.word[i])
			memory_write(tracee->tid, at + i * WORD, &corrected.word[i], 1);
	}
}

uint64_t signalframe_correct(struct tracee *tracee, int status)
{
	struct user_regs_struct regs;
	uint64_t context = 0;

	if (tracee->delivery.signal != 0 && status == (SIGTRAP << 8 | 0x7f) &&
	    is_in_handler(tracee, &regs)) {
		context = regs.rsp + WORD; /* behind the handler's return address */
		correct_at(tracee, context + offsetof(ucontext_t, uc_mcontext.gregs[FRAME_FIRST]));
	}
	tracee->delivery.signal = 0;
	return context;
}
