/*
 * Takes pending SIGTRAPs out of the kernel, and puts them back.
 */
#include "worker/softpmu/traps/heldtrap.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <time.h>

#include "worker/softpmu/base/inject.h"
#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/base/message.h"
#include "worker/softpmu/base/process.h"

enum {
	PENDING_MAX = 16,
	WORD = sizeof(uint64_t),
};

/* What a signal that we send again carries: this, the queue, and the thread that holds it. */
#define MARK	   0x7761726400000000ull
#define MARK_MASK  0xffffffff00000000ull
#define MARK_QUEUE 0x80000000ull

/* The arguments of rt_sigtimedwait, in the tracee's memory. */
struct arguments {
	uint64_t signals;
	struct timespec timeout;
	siginfo_t info;
};

_Static_assert(sizeof(struct arguments) <= INJECT_SCRATCH_WORDS * WORD, "scratch is too small");

bool heldtrap_is_pending(pid_t tid, enum trap_queue queue, bool by_processor)
{
	struct __ptrace_peeksiginfo_args which = {.nr = PENDING_MAX,
	    .flags = queue == TRAP_QUEUE_PROCESS ? PTRACE_PEEKSIGINFO_SHARED : 0};
	siginfo_t pending[PENDING_MAX] = {0};
	long count = kernel_ptrace(PTRACE_PEEKSIGINFO, tid, (uint64_t)&which, (uint64_t)pending);

	for (long i = 0; i < count; i++) {
		if (pending[i].si_signo == SIGTRAP && (pending[i].si_code > 0) == by_processor)
			return true;
	}
	return false;
}

/* The one that held the signal *info was before we sent it again, or NULL. */
static struct held_trap *origin(struct tracees *tracees, const siginfo_t *info)
{
	uint64_t mark = (uint64_t)(uintptr_t)info->si_ptr;
	struct tracee *holder;

	if (info->si_signo != SIGTRAP || info->si_code != SI_QUEUE || (mark & MARK_MASK) != MARK)
		return NULL;
	holder = tracees_find(tracees, (pid_t)(mark & ~MARK_MASK & ~MARK_QUEUE));
	return holder ? &holder->held[mark & MARK_QUEUE ? TRAP_QUEUE_PROCESS : TRAP_QUEUE_THREAD]
		      : NULL;
}

/* The kernel takes the thread's own before the process's. */
static bool take(struct injection *injection, siginfo_t *info)
{
	struct arguments arguments = {.signals = 1ull << (SIGTRAP - 1)};
	const uint64_t call[6] = {INJECT_SCRATCH, INJECT_SCRATCH + offsetof(struct arguments, info),
	    INJECT_SCRATCH + offsetof(struct arguments, timeout), WORD};
	uint64_t words[sizeof arguments / WORD];

	memcpy(words, &arguments, sizeof arguments);
	if (!memory_write(injection->tid, INJECT_SCRATCH, words, sizeof arguments / WORD) ||
	    inject_call(injection, SYS_rt_sigtimedwait, call) != SIGTRAP ||
	    !memory_read(injection->tid, INJECT_SCRATCH, &arguments, sizeof arguments))
		return false;
	*info = arguments.info;
	return true;
}

static bool take_from(struct tracees *tracees, struct tracee *tracee, enum trap_queue queue,
    struct injection *injection)
{
	struct held_trap *held = &tracee->held[queue], *was;
	siginfo_t info;

	if (!heldtrap_is_pending(tracee->tid, queue, false))
		return true;
	if (!take(injection, &info))
		return false;
	was = origin(tracees, &info);
	if (was != held)
		held->info = was ? was->info : info;
	held->held = true;
	return true;
}

static long send_again(const struct tracee *tracee, enum trap_queue queue)
{
	siginfo_t info = tracee->held[queue].info;
	pid_t process = process_of(tracee->tid);

	if (info.si_code >= 0 || info.si_code == SI_TKILL) {
		info.si_code = SI_QUEUE;
		info.si_ptr = (void *)(uintptr_t)(MARK | (uint64_t)tracee->tid |
						  (queue == TRAP_QUEUE_PROCESS ? MARK_QUEUE : 0));
	}
	if (queue == TRAP_QUEUE_PROCESS)
		return kernel_call(SYS_rt_sigqueueinfo, process, SIGTRAP, (long)&info, 0, 0, 0);
	return kernel_call(SYS_rt_tgsigqueueinfo, process, tracee->tid, SIGTRAP, (long)&info, 0, 0);
}

void heldtrap_give_back(struct tracee *tracee)
{
	for (int queue = 0; queue < TRAP_QUEUES; queue++) {
		long result;

		if (!tracee->held[queue].held)
			continue;
		tracee->held[queue].held = false;
		result = send_again(tracee, queue);
		if (result < 0 && result != -ESRCH)
			message_warn("thread %d loses a SIGTRAP that it blocks, because the kernel "
				     "refused to take it back (error %ld): the recording shows a "
				     "program that never got it",
			    tracee->tid, -result);
	}
}

bool heldtrap_take(
    struct tracees *tracees, struct tracee *tracee, const struct user_regs_struct *regs)
{
	struct injection injection;
	bool taken;

	if (!heldtrap_is_pending(tracee->tid, TRAP_QUEUE_THREAD, false) &&
	    !heldtrap_is_pending(tracee->tid, TRAP_QUEUE_PROCESS, false))
		return true;
	if (!inject_begin(&injection, tracee->tid, regs))
		return false;
	taken = take_from(tracees, tracee, TRAP_QUEUE_THREAD, &injection) &&
		take_from(tracees, tracee, TRAP_QUEUE_PROCESS, &injection);
	inject_end(&injection);
	if (!taken)
		heldtrap_give_back(tracee);
	return taken;
}

void heldtrap_correct(struct tracees *tracees, pid_t tid, siginfo_t *info)
{
	const struct held_trap *was = origin(tracees, info);

	if (!was)
		return;
	*info = was->info;
	kernel_ptrace(PTRACE_SETSIGINFO, tid, 0, (uint64_t)info);
}
