/*
 * Of a recording, the trace tells: the calls that send a signal, and its arrival. rr must not be
 * asked for siginfo: up to today's master it takes that for the beginning of a function call by
 * gdb, and what it replays from then on was never recorded (GdbServer.cc, DREQ_READ_SIGINFO). A
 * core file has it.
 */
#include "worker/investigate/fault/sender.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include "worker/read/values/accessed.h"
#include "worker/session/core.h"
#include "worker/session/images.h"
#include "worker/trace/process_list.h"

#define EXPRESSION_MAX 500

long long sender_of_core(struct replay *replay)
{
	unsigned long long code = 0, pid = 0;

	if (!accessed_number(replay, "(unsigned int) $_siginfo.si_code", &code) ||
	    ((int)code != SI_USER && (int)code != SI_TKILL && (int)code != SI_QUEUE) ||
	    !accessed_number(replay, "(unsigned int) $_siginfo._sifields._kill.si_pid", &pid))
		return 0;
	return (long long)pid != replay_pid(replay) ? (long long)pid : 0;
}

static bool holds(struct replay *replay, int thread, const char *expression)
{
	unsigned long long value;

	return accessed_thread_number(replay, thread, expression, &value) && value == 1;
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

/* False: the trace tells nothing of that signal. */
static bool is_known(struct replay *replay, int signal, struct signal_cause *cause)
{
	*cause = images_cause(replay);
	if (cause->number != signal)
		*cause = (struct signal_cause){0};
	return cause->number;
}

void sender_phrase(struct replay *replay, int signal, char *text, size_t size)
{
	const char *reason = reason_of(signal);
	struct signal_cause cause;

	is_known(replay, signal, &cause);
	if (cause.sent == SENT_ITSELF)
		snprintf(text, size, "that it sent itself");
	else if (signal == SIGTRAP && is_behind_int3(replay))
		snprintf(text, size, "of the breakpoint instruction int3 in its own code");
	else if (signal == SIGPIPE && (cause.by_write || is_writing(replay)))
		snprintf(text, size, "of its own write to what nobody reads any more");
	else if (reason && cause.by_write)
		snprintf(text, size, "%s", reason);
	else if (reason)
		snprintf(text, size, "%s, or from outside,", reason);
	else if (cause.sent == SENT_MAYBE)
		snprintf(text, size, "that it sent itself, or from outside,");
	else
		snprintf(text, size, "from outside");
}

static bool is_last(struct replay *replay, const char *signal, struct signal_cause *cause)
{
	char name[32];

	*cause = images_cause(replay);
	return !replay_core(replay) && cause->number &&
	       strcmp(signal_to_name(cause->number, name, sizeof(name)), signal) == 0;
}

bool sender_is_there(struct replay *replay, const char *signal, bool *itself)
{
	struct signal_cause cause;
	bool there = is_last(replay, signal, &cause) && !cause.by_instruction &&
		     !cause.failed_before; /* it stands where the instruction has failed */

	*itself = there && cause.sent == SENT_ITSELF;
	return there;
}

bool sender_is_instruction(struct replay *replay, const char *signal)
{
	struct signal_cause cause;

	return is_last(replay, signal, &cause) && cause.by_instruction;
}
