/*
 * Parser of `rr dump -e -p`. Each event is a line with time, event and tid, a line of registers,
 * and what happened to tasks and mappings at that event. Must never trust a number or the length of
 * a line.
 */
#include "worker/trace/dump/execs.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "worker/serve/begins.h"
#include "worker/trace/dump/grow.h"

#define ENDINGS_MAX    20000
#define THREADS_MAX    4096
#define FORKS_MAX      20000
#define TOGETHER_MAX   3   /* events between two threads that end with their process */
#define TIMEOUT_STATUS 124 /* of timeout(1), if it ended its program */
#define CALLS_MAX      64  /* under way at the same time; of more the oldest are forgotten */
#define CALL_LENGTH    2   /* bytes of the instruction */
#define TICKS_MAX      (1LL << 62)
#define EXEC_NAMES     2 /* the first ones of the calls */

struct sender;

struct execs_parser {
	struct dump_parser dump;
	struct execs *execs;
	bool too_long;	  /* the line that is read */
	bool enters_call; /* the event is the beginning of a call of exec, or of fork */
	const struct sender *enters_sender; /* or of a call that sends a signal; or NULL */
	struct signal_cause *delivered;	    /* it is the arrival of a signal; or NULL */
	bool leaves_exec;		    /* it is the return of one */
	bool counted; /* which has succeeded: the last of the list is of this event */
	long long event, ticks;
	int tid;
	struct exec_call calls[CALLS_MAX]; /* a ring */
	size_t next_call;
};

/* Calls that send a signal, and which arguments say where and which. */
static const struct sender {
	const char *name;
	const char *target, *signal;
	int to;
} senders[] = {
    {"SYSCALL: kill'", " rdi:0x", " rsi:0x", TO_PROCESS},
    {"SYSCALL: tkill'", " rdi:0x", " rsi:0x", TO_THREAD},
    {"SYSCALL: tgkill'", " rdi:0x", " rdx:0x", TO_PROCESS},
    {"SYSCALL: rt_sigqueueinfo'", " rdi:0x", " rsi:0x", TO_PROCESS},
    {"SYSCALL: rt_tgsigqueueinfo'", " rdi:0x", " rdx:0x", TO_PROCESS},
    {"SYSCALL: pidfd_send_signal'", " rdi:0x", " rsi:0x", TO_DESCRIPTOR},
};

static const struct sender *sender_of(const char *line)
{
	for (size_t i = 0; i < sizeof(senders) / sizeof(*senders); i++)
		if (strstr(line, senders[i].name))
			return &senders[i];
	return NULL;
}

/* SIGKILL is not delivered: what the thread that sent it does next, but to end, is behind its call.
 */
static void forget_kill(struct execs *execs, int tid)
{
	for (size_t i = 0; i < SENDINGS_MAX; i++)
		if (execs->sendings[i].tid == tid && execs->sendings[i].signal == SIGKILL)
			execs->sendings[i].tid = 0;
}

static void add_sending(struct execs_parser *parser, const char *line)
{
	const struct sender *sender = parser->enters_sender;
	struct execs *execs = parser->execs;
	struct sending sending = {.tid = parser->tid,
	    .to = sender->to,
	    .target = (int)hex_behind(line, sender->target),
	    .signal = (int)hex_behind(line, sender->signal)};

	if (!strstr(line, sender->target) || !strstr(line, sender->signal))
		return;
	if (sending.to == TO_PROCESS && sending.target <= 0)
		sending.to = TO_GROUPS;
	execs->sendings[execs->next_sending++ % SENDINGS_MAX] = sending;
}

/* rr's name of a signal, which ends at "(", as its number; 0 for none. */
static int signal_number(const char *name)
{
	size_t length = strcspn(name, "(");
	long realtime;

	if (strncmp(name, "SIGRT", 5) == 0) {
		realtime = strtol(name + 5, NULL, 10);
		return realtime >= 0 && realtime <= 32 ? 32 + (int)realtime : 0;
	}
	if (strncmp(name, "SIGIO(", 6) == 0)
		return SIGIO;
	for (int number = 1; length > 3 && number < 32; number++) {
		const char *known = sigabbrev_np(number);
		if (known && strncmp(known, name + 3, length - 3) == 0 && !known[length - 3])
			return number;
	}
	return 0;
}

/* The last one, because a number may be used again. */
int threads_process(const struct thread *threads, size_t count, int tid)
{
	for (size_t i = count; i > 0; i--)
		if (threads[i - 1].tid == tid)
			return threads[i - 1].pid;
	return tid;
}

static int process_of(const struct execs *execs, int tid)
{
	return threads_process(execs->threads, execs->thread_count, tid);
}

static enum execs_sent sends(const struct execs *execs, const struct sending *sending, int pid)
{
	switch (sending->to) {
	case TO_PROCESS:
		return sending->target == pid ? SENT_ITSELF : SENT_NOT;
	case TO_GROUPS: /* its own group; all others but itself; a group by its number */
		return sending->target == 0    ? SENT_ITSELF
		       : sending->target == -1 ? SENT_NOT
					       : SENT_MAYBE;
	case TO_THREAD:
		return process_of(execs, (int)sending->target) == pid ? SENT_ITSELF : SENT_NOT;
	case TO_DESCRIPTOR:
		return SENT_MAYBE;
	}
	return SENT_NOT;
}

/* Whether that call has sent the process the signal. */
static enum execs_sent awaited(
    const struct execs *execs, const struct sending *sending, int pid, int number)
{
	if (!sending->tid || sending->signal != number || process_of(execs, sending->tid) != pid)
		return SENT_NOT;
	return sends(execs, sending, pid);
}

static enum execs_sent most_awaited(const struct execs *execs, int pid, int number)
{
	enum execs_sent most = SENT_NOT;

	for (size_t i = 0; i < SENDINGS_MAX; i++) {
		enum execs_sent sent = awaited(execs, &execs->sendings[i], pid, number);
		most = sent > most ? sent : most;
	}
	return most;
}

/* What has been delivered is no longer awaited. */
static void forget_delivered(struct execs *execs, int pid, int number)
{
	for (size_t i = 0; i < SENDINGS_MAX; i++)
		if (awaited(execs, &execs->sendings[i], pid, number) != SENT_NOT)
			execs->sendings[i].tid = 0;
}

static struct signal_cause *find_cause(struct execs *execs, int pid)
{
	for (size_t i = 0; i < CAUSES_MAX; i++)
		if (execs->causes[i].pid == pid)
			return &execs->causes[i];
	return &execs->causes[execs->next_cause++ % CAUSES_MAX];
}

/* "event:`SIGNAL: SIGTERM(async)'" of a thread; (det) is the failure of its instruction. */
static void note_delivery(struct execs_parser *parser, const char *line)
{
	const char *name = behind_mark(line, "event:`SIGNAL: ");
	int number = name ? signal_number(name) : 0;
	int pid = process_of(parser->execs, parser->tid);
	struct signal_cause before;

	if (!number)
		return;
	parser->delivered = find_cause(parser->execs, pid);
	before = *parser->delivered;
	*parser->delivered = (struct signal_cause){
	    .pid = pid,
	    .number = number,
	    .sent = most_awaited(parser->execs, pid, number),
	    .by_instruction = strstr(name, "(det)"),
	    .failed_before = before.pid == pid && before.number == number &&
			     (before.by_instruction || before.failed_before),
	};
	forget_delivered(parser->execs, pid, number);
}

/* The thread's call has just failed in the way for which there is that signal. */
static void note_write(struct signal_cause *cause, const char *line)
{
	int error = -(int)hex_behind(line, "ax:0x");

	cause->by_write = (cause->number == SIGPIPE && error == EPIPE) ||
			  (cause->number == SIGXFSZ && error == EFBIG);
}

static void note_signal(struct execs *execs, const char *line)
{
	const char *with = behind_mark(line, "event:`SIGNAL_HANDLER: ");
	const char *without = behind_mark(line, "event:`SIGNAL_DELIVERY: ");
	int number = with || without ? signal_number(with ? with : without) : 0;

	if (number > 0 && number <= 64)
		*(with ? &execs->handled : &execs->unhandled) |= 1ULL << (number - 1);
}

/* Whether the event is one of a call of exec, or of fork and its like. */
static void note_call(struct execs_parser *parser, const char *line)
{
	static const char *const names[] = {
	    "execve'", "execveat'", "clone'", "clone3'", "fork'", "vfork'"};
	const char *name = behind_mark(line, "`SYSCALL: ");
	size_t i = 0;

	if (!name)
		return;
	while (i < sizeof(names) / sizeof(*names) && strncmp(name, names[i], strlen(names[i])) != 0)
		i++;
	if (i == sizeof(names) / sizeof(*names))
		return;
	parser->enters_call = strstr(line, "ENTERING_SYSCALL");
	parser->leaves_exec = i < EXEC_NAMES && strstr(line, "EXITING_SYSCALL");
}

static void note_event(struct execs_parser *parser, const char *line)
{
	long long event = dump_number(line, "global_time:", DUMP_EVENT_MAX);
	long long tid = dump_number(line, " tid:", INT_MAX);

	parser->enters_call = parser->leaves_exec = parser->counted = false;
	parser->enters_sender = NULL;
	parser->delivered = NULL;
	if (event < 0 || tid <= 0)
		return;
	parser->ticks = dump_number(line, " ticks:", TICKS_MAX);
	parser->event = parser->execs->last = event;
	parser->tid = (int)tid;
	parser->execs->open = !strstr(line, "event:`EXIT'");
	work_add(&parser->execs->work, (int)tid, event, parser->ticks);
	note_signal(parser->execs, line);
	if (!parser->execs->first_pid)
		parser->execs->first_pid = (int)tid;
	if (parser->execs->open)
		forget_kill(parser->execs, (int)tid);
	note_delivery(parser, line);
	parser->enters_sender = strstr(line, "ENTERING_SYSCALL") ? sender_of(line) : NULL;
	note_call(parser, line);
}

static struct exec_call *call_of(struct execs_parser *parser, long long tid)
{
	for (size_t i = 0; i < CALLS_MAX; i++)
		if (parser->calls[i].event && parser->calls[i].tid == tid)
			return &parser->calls[i];
	return NULL;
}

static void add_call(struct execs_parser *parser, const char *line)
{
	unsigned long long behind = hex_behind(line, " rip:0x");
	struct exec_call *call = call_of(parser, parser->tid);

	if (!call)
		call = &parser->calls[parser->next_call++ % CALLS_MAX];
	*call = (struct exec_call){0};
	if (behind >= CALL_LENGTH && parser->ticks >= 0)
		*call = (struct exec_call){
		    .tid = parser->tid,
		    .event = parser->event,
		    .ticks = parser->ticks,
		    .pc = behind - CALL_LENGTH,
		};
}

/* The exec of this event is the one that the task called. */
static void note_caller(struct execs_parser *parser, long long tid)
{
	struct exec_call *call = call_of(parser, tid);

	if (call)
		parser->execs->list[parser->execs->count - 1].call = *call;
}

static void add_exec(struct execs_parser *parser)
{
	struct execs *execs = parser->execs;
	struct exec *list;

	if (execs->count >= EXECS_MAX ||
	    !(list = grow_list(execs->list, execs->count, sizeof(*list)))) {
		execs->cut = true;
		return;
	}
	execs->list = list;
	/* Until the task event says otherwise: for a thread's exec it is the thread's, or rr
	 * writes none. */
	list[execs->count++] =
	    (struct exec){.pid = parser->tid, .event = parser->event, .by_thread = true};
	parser->counted = true;
}

static void note_registers(struct execs_parser *parser, const char *line)
{
	if (parser->leaves_exec &&
	    (strncmp(line, "rax:0x0 ", 8) == 0 || strncmp(line, "eax:0x0 ", 8) == 0))
		add_exec(parser);
	if (parser->enters_call)
		add_call(parser, line);
	if (parser->enters_sender)
		add_sending(parser, line);
	if (parser->delivered)
		note_write(parser->delivered, line);
	parser->enters_call = parser->leaves_exec = false;
	parser->enters_sender = NULL;
	parser->delivered = NULL;
}

static void note_file(struct execs_parser *parser, const char *line)
{
	struct execs *execs = parser->execs;
	const char *file = strstr(line, " file=");
	long long tid = dump_number(line, " tid=", INT_MAX);
	struct exec *exec;

	if (!parser->counted)
		return;
	note_caller(parser, tid);
	exec = &execs->list[execs->count - 1];
	if (tid == parser->tid)
		exec->by_thread = false;
	if (file && file[6] && !exec->file && !parser->too_long)
		exec->file = strdup(file + 6);
}

static void note_ending(struct execs_parser *parser, const char *line)
{
	struct execs *execs = parser->execs;
	long long tid = dump_number(line, " tid=", INT_MAX);
	long long status = dump_number(line, " status=", INT_MAX);
	struct ending *list;

	if (tid <= 0 || status < 0 || execs->ending_count >= ENDINGS_MAX ||
	    !(list = grow_list(execs->endings, execs->ending_count, sizeof(*list))))
		return;
	execs->endings = list;
	list[execs->ending_count++] =
	    (struct ending){(int)tid, process_of(execs, (int)tid), (int)status, parser->event};
}

static void add_fork(struct execs_parser *parser, int pid, int parent)
{
	struct execs *execs = parser->execs;
	const struct exec_call *call = call_of(parser, parent);
	struct forking *list;

	if (execs->fork_count >= FORKS_MAX ||
	    !(list = grow_list(execs->forks, execs->fork_count, sizeof(*list))))
		return;
	execs->forks = list;
	list[execs->fork_count++] = (struct forking){
	    .pid = pid,
	    .parent = process_of(execs, parent),
	    .event = parser->event,
	    .call = call ? *call : (struct exec_call){0},
	};
}

static void add_thread(struct execs *execs, int tid, int parent)
{
	struct thread *list;

	if (execs->thread_count >= THREADS_MAX ||
	    !(list = grow_list(execs->threads, execs->thread_count, sizeof(*list))))
		return;
	execs->threads = list;
	list[execs->thread_count++] = (struct thread){tid, process_of(execs, parent)};
}

/* A clone that shares the process makes a thread of it; at an exec its parent is who called. */
static void note_clone(struct execs_parser *parser, const char *line)
{
	static const char flags[] = " clone_flags=";
	long long tid = dump_number(line, " tid=", INT_MAX);
	long long parent = dump_number(line, " parent=", INT_MAX);

	if (parser->counted)
		note_caller(parser, parent);
	if (tid <= 0 || parent <= 0 || !strstr(line, flags))
		return;
	if (hex_behind(line, flags) & CLONE_THREAD)
		add_thread(parser->execs, (int)tid, (int)parent);
	else if (!parser->counted)
		add_fork(parser, (int)tid, (int)parent);
}

static void note_mapping(struct execs_parser *parser, const char *line)
{
	if (!parser->too_long)
		outside_note(&parser->execs->outside, line);
}

static void read_line(struct dump_parser *dump, const char *line, bool too_long)
{
	static const struct {
		const char *begins;
		void (*take)(struct execs_parser *parser, const char *line);
	} kinds[] = {
	    {"  real_time:", note_event},
	    {"rax:", note_registers},
	    {"eax:", note_registers},
	    {"  TraceTaskEvent::EXEC ", note_file},
	    {"  TraceTaskEvent::EXIT ", note_ending},
	    {"  TraceTaskEvent::CLONE ", note_clone},
	    {OUTSIDE_LINE, note_mapping},
	};
	struct execs_parser *parser = (struct execs_parser *)dump;

	parser->too_long = too_long;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strncmp(line, kinds[i].begins, strlen(kinds[i].begins)) != 0)
			continue;
		kinds[i].take(parser, line);
		break;
	}
}

struct dump_parser *execs_parser(struct execs *execs)
{
	struct execs_parser *parser = calloc(1, sizeof(*parser));

	if (!parser)
		return NULL;
	parser->dump.read_line = read_line;
	parser->execs = execs;
	return &parser->dump;
}

void execs_free(struct execs *execs)
{
	for (size_t i = 0; i < execs->count; i++)
		free(execs->list[i].file);
	free(execs->list);
	free(execs->endings);
	free(execs->threads);
	free(execs->forks);
	work_free(&execs->work);
	outside_free(&execs->outside);
	*execs = (struct execs){0};
}

int execs_status(const struct execs *execs, int pid)
{
	for (size_t i = execs->ending_count; i > 0; i--)
		if (execs->endings[i - 1].tid == pid)
			return execs->endings[i - 1].status;
	return -1;
}

/* The last one, because a number may be used again. */
const struct forking *execs_fork(const struct execs *execs, int pid)
{
	for (size_t i = execs->fork_count; i > 0; i--)
		if (execs->forks[i - 1].pid == pid)
			return &execs->forks[i - 1];
	return NULL;
}

static long long last_exec(const struct execs *execs, int pid, long long before)
{
	long long event = 0;

	for (size_t i = 0; i < execs->count && execs->list[i].event < before; i++)
		if (execs->list[i].pid == pid)
			event = execs->list[i].event;
	return event;
}

long long execs_program(const struct execs *execs, int pid, long long event)
{
	long long exec = last_exec(execs, pid, event);
	const struct forking *fork;

	/* A fork is earlier than what the child does; a number used again may say otherwise. */
	while (!exec && (fork = execs_fork(execs, pid)) && fork->event < event) {
		pid = fork->parent;
		event = fork->event;
		exec = last_exec(execs, pid, event);
	}
	return exec;
}

/* Whether a program that ended so crashed: by a signal that it brought on itself. */
static bool is_crash(int status)
{
	static const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP};

	for (size_t i = 0; status >= 0 && i < sizeof(crashes) / sizeof(*crashes); i++)
		if (WIFSIGNALED(status) && WTERMSIG(status) == crashes[i])
			return true;
	return false;
}

/* Whether the first process ended as another did before it: directly, as shells put it, or as
 * timeout(1) puts it, which ended the other. */
static bool passes_on(int first, int other)
{
	if (first <= 0 || other <= 0)
		return false;
	if (WIFSIGNALED(other) && WIFEXITED(first))
		return WEXITSTATUS(first) == 128 + WTERMSIG(other) ||
		       (WEXITSTATUS(first) == TIMEOUT_STATUS && WTERMSIG(other) == SIGTERM);
	return first == other && !(WIFSIGNALED(other) && WTERMSIG(other) == SIGKILL);
}

int execs_worst_pid(const struct execs *execs)
{
	int first = execs_status(execs, execs->first_pid), heir = execs->first_pid;

	for (size_t i = 0; i < execs->ending_count; i++) {
		const struct ending *ending = &execs->endings[i];

		if (ending->tid != ending->pid || ending->pid == execs->first_pid)
			continue;
		if (is_crash(ending->status))
			return ending->pid;
		if (passes_on(first, ending->status))
			heir = ending->pid;
	}
	return heir;
}

bool execs_had_threads(const struct execs *execs, int pid)
{
	bool had = execs->cut || execs->thread_count == THREADS_MAX;

	for (size_t i = 0; !had && i < execs->thread_count; i++)
		had = execs->threads[i].pid == pid;
	return had;
}

long long execs_together(const struct execs *execs, int pid)
{
	long long from = 0;
	size_t count = 0;

	for (size_t i = execs->ending_count; i > 0; i--) {
		const struct ending *ending = &execs->endings[i - 1];

		if (ending->pid != pid)
			continue;
		if (from && from - ending->event > TOGETHER_MAX)
			break;
		from = ending->event;
		count++;
	}
	return count > 1 ? from - 1 : 0;
}

struct signal_cause execs_cause(const struct execs *execs, int pid)
{
	int status = execs_status(execs, pid), number = WTERMSIG(status);

	if (status < 0 || !WIFSIGNALED(status))
		return (struct signal_cause){0};
	if (number == SIGKILL)
		return (struct signal_cause){
		    .pid = pid, .number = number, .sent = most_awaited(execs, pid, number)};
	for (size_t i = 0; i < CAUSES_MAX; i++)
		if (execs->causes[i].pid == pid && execs->causes[i].number == number)
			return execs->causes[i];
	return (struct signal_cause){0};
}
