/*
 * A fatal signal ends a process while the thread that sent it is still in its call, or long after
 * it has left it. Three things tell: siginfo, which SIGKILL does not have; the trace, in which the
 * thread that sent SIGKILL ends in its call; and registers, where neither does.
 */
#include "worker/investigate/fault/sender.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/mi/notation.h"
#include "worker/gdb/must.h"
#include "worker/read/values/accessed.h"
#include "worker/session/images.h"

#define THREADS_MAX    1024
#define SYSCALL_BYTES  "0x050f" /* the instruction, as a number */
#define EXPRESSION_MAX 500

/* Whether si_pid is what the kernel, or a call of the C library, has written there. */
static bool has_pid(int code)
{
	return code == SI_USER || code == SI_TKILL || code == SI_QUEUE;
}

static bool is_of_kernel(int code)
{
	return code > 0 || code == SI_TIMER || code == SI_MESGQ || code == SI_ASYNCIO ||
	       code == SI_SIGIO;
}

/* A number in gdb's notation of siginfo, by the names that lead to it. */
static bool find_number(const char *text, const char *const *path, long long *number)
{
	struct span value = {text, strlen(text)};
	struct members members;
	const struct member *member;

	for (; *path; path++) {
		if (!span_is_aggregate(value) || !notation_split(span_inside(value), &members))
			return false;
		member = notation_find(&members, *path);
		if (!member)
			return false;
		value = member->value;
	}
	*number = strtoll(value.at, NULL, 10);
	return true;
}

/* All of it at once: of a part, rr 5.6 sends the beginning of the whole. */
static bool read_siginfo(struct replay *replay, long long *code, long long *pid)
{
	static const char *const to_code[] = {"si_code", NULL};
	static const char *const to_pid[] = {"_sifields", "_kill", "si_pid", NULL};
	json_t *results = NULL;
	const char *text = NULL;
	bool read;

	if (gdb_command(replay_gdb(replay), &results,
		"-data-evaluate-expression --thread %d --frame 0 --language c $_siginfo",
		replay_selected(replay)->number) == GDB_DONE)
		text = mi_text(results, "value");
	read = text && find_number(text, to_code, code) && find_number(text, to_pid, pid);
	json_decref(results);
	return read;
}

struct sender sender_at_signal(struct replay *replay)
{
	long long code = 0, pid = 0;

	if (!read_siginfo(replay, &code, &pid))
		return (struct sender){0};
	if (is_of_kernel((int)code))
		return (struct sender){.kind = SENDER_KERNEL};
	if (!has_pid((int)code))
		return (struct sender){0};
	if (pid == replay_pid(replay))
		return (struct sender){.kind = SENDER_ITSELF, .by_call = code != SI_USER};
	return (struct sender){.kind = SENDER_OTHER, .pid = pid};
}

static bool holds(struct replay *replay, int thread, const char *expression)
{
	unsigned long long value;

	return accessed_thread_number(replay, thread, expression, &value) && value == 1;
}

/* Of one thread: whether it is in a call that sends the signal to its own process. kill(-1) leaves
 * that out. */
static bool sends_to_process(struct replay *replay, int thread, int signal)
{
	char expression[EXPRESSION_MAX];
	const long long pid = replay_pid(replay);

	snprintf(expression, sizeof(expression),
	    "($orig_rax == %d && $rsi == %d && ($rdi == %lld || (int)$rdi == 0 || (int)$rdi < -1)) "
	    "|| "
	    "($orig_rax == %d && $rsi == %d && $rdi == %lld) || "
	    "(($orig_rax == %d || $orig_rax == %d) && $rdx == %d && $rdi == %lld)",
	    SYS_kill, signal, pid, SYS_rt_sigqueueinfo, signal, pid, SYS_tgkill,
	    SYS_rt_tgsigqueueinfo, signal, pid);
	return holds(replay, thread, expression);
}

/* The same for the call that names a thread without its process. */
static bool sends_to_thread(struct replay *replay, const json_t *threads, int thread, int signal)
{
	char expression[EXPRESSION_MAX];
	unsigned long long target;
	const json_t *row;
	size_t i;

	snprintf(
	    expression, sizeof(expression), "$orig_rax == %d && $rsi == %d", SYS_tkill, signal);
	if (!holds(replay, thread, expression) ||
	    !accessed_thread_number(replay, thread, "(unsigned int)$rdi", &target))
		return false;
	json_array_foreach((json_t *)threads, i, row)
	{
		if (mi_tid(row) == (int)target)
			return true;
	}
	return false;
}

/* Whether a thread is in a call that sends it, or right behind it. */
static bool is_sent_by_thread(struct replay *replay, int signal)
{
	json_t *results = NULL, *threads, *thread;
	bool found = false;
	size_t i;

	gdb_must(replay_gdb(replay), &results, "-thread-info");
	threads = json_object_get(results, "threads");
	json_array_foreach(threads, i, thread)
	{
		int number = mi_number(thread, "id", 0);

		if (found || i == THREADS_MAX || !worker_goes_on(replay_worker(replay)))
			break;
		/* orig_rax still has the number of a call that has returned long ago. */
		found = holds(replay, number, "*(unsigned short *)($pc - 2) == " SYSCALL_BYTES) &&
			(sends_to_process(replay, number, signal) ||
			    sends_to_thread(replay, threads, number, signal));
	}
	json_decref(results);
	return found;
}

/* A write to a pipe or a socket that nobody reads. */
static bool is_writing(struct replay *replay)
{
	char text[EXPRESSION_MAX];

	snprintf(text, sizeof(text),
	    "$orig_rax == %d || $orig_rax == %d || $orig_rax == %d || $orig_rax == %d || "
	    "$orig_rax == %d || $orig_rax == %d",
	    SYS_write, SYS_writev, SYS_sendto, SYS_sendmsg, SYS_sendfile, SYS_splice);
	return holds(replay, replay_selected(replay)->number, text);
}

static bool is_behind_int3(struct replay *replay)
{
	return holds(
	    replay, replay_selected(replay)->number, "*(unsigned char *)($pc - 1) == 0xcc");
}

/* The reason that the number of a signal of the kernel tells; NULL: none. */
static const char *reason_of(int signal)
{
	static const struct {
		int signal;
		const char *reason;
	} reasons[] = {
	    {SIGALRM, "of a timer"},
	    {SIGVTALRM, "of a timer"},
	    {SIGPROF, "of a timer"},
	    {SIGXCPU, "for its limit of CPU time"},
	    {SIGXFSZ, "for its limit of file sizes"},
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].signal == signal)
			return reasons[i].reason;
	return NULL;
}

/* Whether the kernel sends it in the name of the program that has done what it is for. */
static bool is_sent_for(int signal)
{
	return signal == SIGPIPE || signal == SIGXFSZ;
}

void sender_phrase(
    struct replay *replay, int signal, const struct sender *told, char *text, size_t size)
{
	const char *reason = reason_of(signal);
	bool itself = told->kind == SENDER_ITSELF, unknown = told->kind == SENDER_UNKNOWN;

	if ((itself && (told->by_call || !is_sent_for(signal))) ||
	    images_sent(replay) == SENT_ITSELF ||
	    ((itself || unknown) && is_sent_by_thread(replay, signal)))
		snprintf(text, size, "that it sent itself");
	else if (signal == SIGTRAP && told->kind != SENDER_OTHER && is_behind_int3(replay))
		snprintf(text, size, "of the breakpoint instruction int3 in its own code");
	else if (signal == SIGPIPE && (itself || (unknown && is_writing(replay))))
		snprintf(text, size, "of its own write to what nobody reads any more");
	else if (reason && (itself || told->kind == SENDER_KERNEL))
		snprintf(text, size, "%s", reason);
	else if (reason && unknown)
		snprintf(text, size, "%s, or from outside,", reason);
	else if (unknown && images_sent(replay) == SENT_MAYBE)
		snprintf(text, size, "that it sent itself, or from outside,");
	else
		snprintf(text, size, "from outside");
}
