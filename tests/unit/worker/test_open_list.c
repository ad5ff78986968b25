/*
 * Which descriptors a process has open at a moment: through copies, forks, threads, execs and
 * messages; and where that cannot be known, it is said. Each scenario is a trace's calls.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include "tests/runner.h"
#include "worker/trace/dump/open_list.h"

#define ACTS_MAX 16
#define PARENT	 11
#define CHILD	 12
#define OTHER	 13

enum act_kind { NOTHING, CALL, CLONED, EXECED, ENDED };

struct act {
	enum act_kind kind;
	int tid;
	const char *name;
	long long result, args[4];
};

#define DO(tid, name, result, ...)                                                                 \
	{                                                                                          \
		CALL, tid, name, result,                                                           \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}
#define OPEN(tid, fd)	      DO(tid, "openat", fd, AT_FDCWD, 0x50, 0)
#define OPEN_CLOEXEC(tid, fd) DO(tid, "openat", fd, AT_FDCWD, 0x50, O_CLOEXEC)
#define CLOSE(tid, fd)	      DO(tid, "close", 0, fd)
#define FORK(tid, child)                                                                           \
	{                                                                                          \
		CLONED, tid, "", child,                                                            \
		{                                                                                  \
			SIGCHLD                                                                    \
		}                                                                                  \
	}
#define THREAD(tid, child)                                                                         \
	{                                                                                          \
		CLONED, tid, "", child,                                                            \
		{                                                                                  \
			CLONE_FILES | CLONE_VM | CLONE_THREAD                                      \
		}                                                                                  \
	}
#define EXEC(tid)                                                                                  \
	{                                                                                          \
		EXECED, tid, "", 0,                                                                \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}
#define END(tid)                                                                                   \
	{                                                                                          \
		ENDED, tid, "", 0,                                                                 \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

struct scenario {
	const char *name;
	struct act acts[ACTS_MAX];
	int pid;
	const char *open;  /* "3 openat, 4 dup of openat"; without 0 to 2 */
	const char *doubt; /* a part of it; NULL: none */
	int from;	   /* the number of an act: before it */
	int before, closed, since;
	int received[2]; /* by the first recvmsg */
};

static const struct scenario scenarios[] = {
    {"opened and closed", {OPEN(PARENT, 3), OPEN(PARENT, 4), CLOSE(PARENT, 3), OPEN(PARENT, 3)},
	PARENT, "3 openat, 4 openat", NULL, 2, 5, 1, 1, {0}},
    {"calls that fail",
	{DO(PARENT, "openat", -ENOENT, AT_FDCWD, 0x50), OPEN(PARENT, 3),
	    DO(PARENT, "socket", -EMFILE, 1, 1), DO(PARENT, "dup2", -EBADF, 9, 3)},
	PARENT, "3 openat", NULL, 0, 0, 0, 0, {0}},
    {"copies",
	{OPEN(PARENT, 3), DO(PARENT, "dup", 4, 3), DO(PARENT, "fcntl", 20, 3, F_DUPFD, 20),
	    DO(PARENT, "dup2", 4, 20, 4), DO(PARENT, "dup3", 9, 3, 9, O_CLOEXEC), CLOSE(PARENT, 3)},
	PARENT, "4 dup2 of openat, 9 dup3 of openat, 20 fcntl of openat", NULL, 0, 0, 0, 0, {0}},
    {"the standard ones", {CLOSE(PARENT, 0), OPEN(PARENT, 0), DO(PARENT, "dup2", 5, 1, 5)}, PARENT,
	"0 openat, 5 dup2 of -1", NULL, 0, 0, 0, 0, {0}},
    {"pairs",
	{DO(PARENT, "pipe2", 0, 0x50, O_CLOEXEC), DO(PARENT, "socketpair", 0, 1, 1, 0, 0x50),
	    CLOSE(PARENT, 4)},
	PARENT, "3 pipe2, 5 socketpair, 6 socketpair", NULL, 0, 0, 0, 0, {0}},
    {"a range",
	{OPEN(PARENT, 3), OPEN(PARENT, 4), OPEN(PARENT, 5), OPEN(PARENT, 6),
	    DO(PARENT, "close_range", 0, 4, 5, 0), DO(PARENT, "close_range", 0, 6, 99, 4),
	    EXEC(PARENT)},
	PARENT, "3 openat", NULL, 0, 0, 0, 0, {0}},
    {"an exec",
	{OPEN(PARENT, 3), OPEN_CLOEXEC(PARENT, 4), OPEN(PARENT, 5),
	    DO(PARENT, "fcntl", 0, 5, F_SETFD, FD_CLOEXEC), DO(PARENT, "dup", 6, 4),
	    DO(PARENT, "signalfd4", 7, -1, 0x50, 8, O_CLOEXEC), EXEC(PARENT)},
	PARENT, "3 openat, 6 dup of openat", NULL, 0, 0, 0, 0, {0}},
    {"signals of the same descriptor",
	{DO(PARENT, "signalfd4", 3, -1, 0x50, 8, 0), DO(PARENT, "signalfd4", 3, 3, 0x50, 8, 0)},
	PARENT, "3 signalfd4", NULL, 0, 0, 0, 0, {0}},
    {"a child has its parent's",
	{OPEN(PARENT, 3), FORK(PARENT, CHILD), OPEN(CHILD, 4), CLOSE(CHILD, 3), OPEN(PARENT, 4),
	    OPEN(PARENT, 5)},
	CHILD, "4 openat", NULL, 0, 0, 0, 0, {0}},
    {"a parent has not its child's",
	{OPEN(PARENT, 3), FORK(PARENT, CHILD), OPEN(CHILD, 4), CLOSE(CHILD, 3)}, PARENT, "3 openat",
	NULL, 0, 0, 0, 0, {0}},
    {"threads share",
	{OPEN(PARENT, 3), THREAD(PARENT, CHILD), OPEN(CHILD, 4), CLOSE(CHILD, 3), END(PARENT),
	    OPEN(CHILD, 3)},
	PARENT, "3 openat, 4 openat", NULL, 0, 0, 0, 0, {0}},
    {"a message brings some",
	{DO(PARENT, "socket", 3, 1, 1), DO(PARENT, "recvmsg", 1, 3, 0x50, 0), CLOSE(PARENT, 3)},
	PARENT, "4 recvmsg, 5 recvmsg", NULL, 0, 0, 0, 0, {4, 5}},
    {"one that closes at an exec",
	{DO(PARENT, "socket", 3, 1, 1), DO(PARENT, "recvmsg", 1, 3, 0x50, MSG_CMSG_CLOEXEC),
	    EXEC(PARENT)},
	PARENT, "3 socket", NULL, 0, 0, 0, 0, {4, 5}},
    {"numbers below were there before", {OPEN(PARENT, 5)}, PARENT, "3 -1, 4 -1, 5 openat", NULL, 0,
	0, 0, 0, {0}},
    {"one is missing", {OPEN(PARENT, 3), CLOSE(PARENT, 3), OPEN(PARENT, 4)}, PARENT, "4 openat",
	"not all descriptors are known", 0, 0, 0, 0, {0}},
    {"calls that nobody follows", {DO(PARENT, "io_uring_setup", 3, 8, 0x50)}, PARENT, "",
	"without calls of their own", 0, 0, 0, 0, {0}},
    {"a process that was not seen", {OPEN(PARENT, 3)}, OTHER, NULL, NULL, 0, 0, 0, 0, {0}},
};

/* A trace with a call for each act. */
struct trace {
	struct input_call calls[ACTS_MAX];
	struct input_task tasks[ACTS_MAX];
	struct thread threads[ACTS_MAX];
	struct inputs inputs;
	size_t thread_count;
	long long from, end;
};

static void add_call(struct trace *trace, const struct act *act, long long event)
{
	struct input_call *call = &trace->calls[trace->inputs.count++];

	*call = (struct input_call){.entered = event,
	    .event = event + 1,
	    .result = act->result,
	    .tid = act->tid,
	    .is_call = true};
	snprintf(call->name, sizeof(call->name), "%s", act->name);
	for (int i = 0; i < 4; i++)
		call->args[i] = (unsigned long long)act->args[i];
}

static void add_task(struct trace *trace, const struct act *act, long long event)
{
	struct input_task *task = &trace->tasks[trace->inputs.task_count++];
	const bool clone = act->kind == CLONED;

	*task = (struct input_task){.kind = clone		  ? INPUT_CLONE
					    : act->kind == EXECED ? INPUT_EXEC
								  : INPUT_EXIT,
	    .event = event,
	    .tid = clone ? (int)act->result : act->tid,
	    .parent = act->tid,
	    .flags = (unsigned long long)act->args[0]};
	if (clone && (task->flags & CLONE_THREAD))
		trace->threads[trace->thread_count++] = (struct thread){task->tid, act->tid};
}

static void make(struct trace *trace, const struct scenario *scenario)
{
	*trace = (struct trace){.end = 2};
	for (int i = 0; i < ACTS_MAX && scenario->acts[i].kind; i++) {
		if (i == scenario->from)
			trace->from = trace->end;
		if (scenario->acts[i].kind == CALL)
			add_call(trace, &scenario->acts[i], trace->end);
		else
			add_task(trace, &scenario->acts[i], trace->end);
		trace->end += 2;
	}
	trace->inputs.calls = trace->calls;
	trace->inputs.tasks = trace->tasks;
}

static bool find(const struct trace *trace, const struct scenario *scenario, struct open_list *open)
{
	struct received received[2] = {{0, scenario->received[0]}, {0, scenario->received[1]}};
	struct open_question question = {.inputs = &trace->inputs,
	    .received = received,
	    .received_count = scenario->received[0] ? 2 : 0,
	    .threads = trace->threads,
	    .thread_count = trace->thread_count,
	    .pid = scenario->pid,
	    .from = trace->from,
	    .at = trace->end};

	while (
	    question.received_count && strcmp(trace->calls[received[0].call].name, "recvmsg") != 0)
		received[1].call = ++received[0].call;
	return open_list_find(&question, open);
}

static const char *name_of(const struct input_call *call)
{
	return call ? call->name : "-1";
}

/* As a scenario says it. */
static void tell(const struct open_list *open, char *to, size_t size)
{
	size_t length = 0;

	to[0] = '\0';
	for (size_t i = 0; i < open->count; i++) {
		const struct open_descriptor *one = &open->list[i];
		const bool copied = one->slot.made && one->slot.made != one->file.call;

		if (one->fd < 3 && !one->slot.made)
			continue;
		length += (size_t)snprintf(to + length, size - length, "%s%d %s%s%s",
		    length ? ", " : "", one->fd, name_of(one->slot.made), copied ? " of " : "",
		    copied ? name_of(one->file.call) : "");
	}
}

START_TEST(what_is_open)
{
	const struct scenario *scenario = &scenarios[_i];
	struct open_list open = {0};
	struct trace trace;
	char text[400];
	int since = 0;

	make(&trace, scenario);
	ck_assert(find(&trace, scenario, &open));
	ck_assert_msg(open.known == (scenario->open != NULL), "%s", scenario->name);
	tell(&open, text, sizeof(text));
	ck_assert_msg(strcmp(text, scenario->open ? scenario->open : "") == 0, "%s: %s, not %s",
	    scenario->name, text, scenario->open);
	ck_assert_msg(!open.doubt.what == !scenario->doubt, "%s: %s", scenario->name,
	    open.doubt.what ? open.doubt.what : "no doubt");
	if (scenario->doubt)
		ck_assert_ptr_nonnull(strstr(open.doubt.what, scenario->doubt));
	for (size_t i = 0; i < open.count; i++)
		since += open.list[i].since;
	if (scenario->before) {
		ck_assert_int_eq((int)open.before, scenario->before);
		ck_assert_int_eq((int)open.closed, scenario->closed);
		ck_assert_int_eq(since, scenario->since);
	}
	open_list_free(&open);
}
END_TEST

START_TEST(ends_of_a_pair_know_each_other)
{
	const struct scenario pair = {"",
	    {DO(PARENT, "pipe", 0, 0x50), DO(PARENT, "dup2", 9, 3, 9), CLOSE(PARENT, 3)}, PARENT,
	    NULL, NULL, 0, 0, 0, 0, {0}};
	struct open_list open = {0};
	struct trace trace;

	make(&trace, &pair);
	ck_assert(find(&trace, &pair, &open));
	ck_assert_uint_eq(open.count, 5);
	ck_assert_int_eq(open.list[3].fd, 4);
	ck_assert_int_eq(open.list[3].other, 9);
	ck_assert_int_eq(open.list[4].other, 4);
	ck_assert(open.list[3].concluded);
	open_list_free(&open);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {what_is_open, TIMES(scenarios)}, {ends_of_a_pair_know_each_other, 1}, {NULL, 0}};

	return run_loops("open_list", tests, NULL, NULL);
}
