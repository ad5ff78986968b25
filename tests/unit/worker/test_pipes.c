/*
 * Which write put a byte into a pipe: by the counts of bytes, through fork, dup, exec and threads;
 * and where that cannot be known, no write is named. Each scenario is written as rr dumps it.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include "tests/runner.h"
#include "worker/trace/dump/pipes.h"

#define ACTS_MAX 24
#define PARENT	 11
#define CHILD	 12
#define OTHER	 13

enum act_kind { NONE, WHOLE, IN, OUT, CLONED, EXECED, ENDED };

/* A call with its arguments; of pipe and its like, the descriptors that it gave. */
struct act {
	enum act_kind kind;
	int tid;
	const char *name;
	long long result, args[4];
	int pair[2];
	bool asked; /* about this read */
};

#define DO(tid, name, result, ...)                                                                 \
	{                                                                                          \
		WHOLE, tid, name, result, {__VA_ARGS__}, {0, 0}, false                             \
	}
#define ENTER(tid, name, ...)                                                                      \
	{                                                                                          \
		IN, tid, name, 0, {__VA_ARGS__}, {0, 0}, false                                     \
	}
#define LEAVE(tid, name, result)                                                                   \
	{                                                                                          \
		OUT, tid, name, result, {0}, {0, 0}, false                                         \
	}
#define ASKED(tid, result, fd)                                                                     \
	{                                                                                          \
		WHOLE, tid, "read", result, {fd, 0x100, 99}, {0, 0}, true                          \
	}
#define ASKED_LATER(tid, result)                                                                   \
	{                                                                                          \
		OUT, tid, "read", result, {0}, {0, 0}, true                                        \
	}
#define PIPE(tid, a, b)                                                                            \
	{                                                                                          \
		WHOLE, tid, "pipe", 0, {0x50}, {a, b}, false                                       \
	}
#define PIPE_WITH(tid, flags, a, b)                                                                \
	{                                                                                          \
		WHOLE, tid, "pipe2", 0, {0x50, flags}, {a, b}, false                               \
	}
#define SOCKETS(tid, type, a, b)                                                                   \
	{                                                                                          \
		WHOLE, tid, "socketpair", 0, {1, type, 0, 0x50}, {a, b}, false                     \
	}
#define FORK(parent, child)                                                                        \
	{                                                                                          \
		CLONED, parent, "", child, {SIGCHLD}, {0, 0}, false                                \
	}
#define THREAD(parent, child)                                                                      \
	{                                                                                          \
		CLONED, parent, "", child, {CLONE_FILES}, {0, 0}, false                            \
	}
#define EXEC(tid)                                                                                  \
	{                                                                                          \
		EXECED, tid, "", 0, {0}, {0, 0}, false                                             \
	}
#define END(tid)                                                                                   \
	{                                                                                          \
		ENDED, tid, "", 0, {0}, {0, 0}, false                                              \
	}
#define WRITE(tid, fd, tag, length) DO(tid, "write", length, fd, tag, length)
#define READ(tid, fd, length)	    DO(tid, "read", length, fd, 0x200, 99)
#define CLOSE(tid, fd)		    DO(tid, "close", 0, fd)

struct scenario {
	const char *name;
	struct act acts[ACTS_MAX];
	unsigned byte;		    /* of the read */
	unsigned long long tag, at; /* the write's address, and the byte of it */
	const char *why;	    /* instead: no write is named, and this is said */
};

static const struct scenario scenarios[] = {
    {"partial reads",
	{PIPE(PARENT, 3, 4), WRITE(PARENT, 4, 0xa, 10), WRITE(PARENT, 4, 0xb, 10),
	    READ(PARENT, 3, 7), ASKED(PARENT, 6, 3)},
	4, 0xb, 1, NULL},
    {"partial writes",
	{PIPE(PARENT, 3, 4), DO(PARENT, "write", 4, 4, 0xa, 100), WRITE(PARENT, 4, 0xb, 10),
	    ASKED(PARENT, 14, 3)},
	4, 0xb, 0, NULL},
    {"failed calls move nothing",
	{PIPE(PARENT, 3, 4), DO(PARENT, "write", -EAGAIN, 4, 0xa, 5),
	    DO(PARENT, "read", -EINTR, 3, 0x200, 9), WRITE(PARENT, 4, 0xb, 5), ASKED(PARENT, 5, 3)},
	2, 0xb, 2, NULL},
    {"a child writes",
	{PIPE(PARENT, 3, 4), FORK(PARENT, CHILD), CLOSE(CHILD, 3), CLOSE(PARENT, 4),
	    WRITE(CHILD, 4, 0xa, 8), ASKED(PARENT, 8, 3)},
	3, 0xa, 3, NULL},
    {"two children write, one after the other",
	{PIPE(PARENT, 3, 4), FORK(PARENT, CHILD), FORK(PARENT, OTHER), WRITE(CHILD, 4, 0xa, 8),
	    WRITE(OTHER, 4, 0xb, 8), WRITE(CHILD, 4, 0xc, 8), ASKED(PARENT, 24, 3)},
	17, 0xc, 1, NULL},
    {"through copies",
	{PIPE(PARENT, 3, 4), DO(PARENT, "dup", 5, 3), DO(PARENT, "dup2", 1, 4, 1),
	    DO(PARENT, "fcntl", 20, 1, F_DUPFD, 20), CLOSE(PARENT, 3), CLOSE(PARENT, 4),
	    WRITE(PARENT, 1, 0xa, 3), WRITE(PARENT, 20, 0xb, 3), ASKED(PARENT, 6, 5)},
	3, 0xb, 0, NULL},
    {"a number that is used again",
	{PIPE(PARENT, 3, 4), WRITE(PARENT, 4, 0xa, 3), CLOSE(PARENT, 3), CLOSE(PARENT, 4),
	    PIPE(PARENT, 3, 4), WRITE(PARENT, 4, 0xb, 3), ASKED(PARENT, 3, 3)},
	0, 0xb, 0, NULL},
    {"a number that is another file's",
	{PIPE(PARENT, 3, 4), FORK(PARENT, CHILD), CLOSE(CHILD, 4),
	    DO(CHILD, "openat", 4, -100, 0, 0), WRITE(CHILD, 4, 0xa, 9), WRITE(PARENT, 4, 0xb, 9),
	    ASKED(PARENT, 9, 3)},
	0, 0xb, 0, NULL},
    {"an exec closes",
	{PIPE_WITH(PARENT, O_CLOEXEC, 3, 4), FORK(PARENT, CHILD), DO(CHILD, "dup2", 1, 4, 1),
	    EXEC(CHILD), DO(CHILD, "openat", 3, -100, 0, 0), PIPE(CHILD, 4, 5),
	    WRITE(CHILD, 4, 0xa, 2), WRITE(CHILD, 1, 0xb, 2), ASKED(PARENT, 2, 3)},
	1, 0xb, 1, NULL},
    {"threads share",
	{PIPE(PARENT, 3, 4), THREAD(PARENT, CHILD), CLOSE(CHILD, 4), PIPE(CHILD, 4, 5),
	    WRITE(PARENT, 5, 0xa, 2), ASKED(PARENT, 2, 4)},
	0, 0xa, 0, NULL},
    {"both ways of a socketpair",
	{SOCKETS(PARENT, SOCK_STREAM, 3, 4), WRITE(PARENT, 3, 0xa, 5), WRITE(PARENT, 4, 0xb, 5),
	    DO(PARENT, "recvfrom", 2, 4, 0x200, 2, 0), ASKED(PARENT, 5, 3)},
	1, 0xb, 1, NULL},
    {"looking takes nothing",
	{SOCKETS(PARENT, SOCK_STREAM, 3, 4), WRITE(PARENT, 3, 0xa, 5),
	    DO(PARENT, "recvfrom", 5, 4, 0x200, 5, MSG_PEEK), ASKED(PARENT, 5, 4)},
	2, 0xa, 2, NULL},
    {"descriptors from outside move the pipe's",
	{PIPE(PARENT, 5, 6), WRITE(PARENT, 6, 0xa, 5), ASKED(PARENT, 5, 5)}, 1, 0xa, 1, NULL},
    {"the read began before the write",
	{PIPE(PARENT, 3, 4), FORK(PARENT, CHILD), ENTER(PARENT, "read", 3, 0x100, 99),
	    WRITE(CHILD, 4, 0xa, 5), ASKED_LATER(PARENT, 5)},
	1, 0xa, 1, NULL},
    {"a write that began behind the read",
	{PIPE(PARENT, 3, 4), FORK(PARENT, CHILD), FORK(PARENT, OTHER),
	    ENTER(PARENT, "write", 4, 0xa, 5), ASKED(CHILD, 5, 3), WRITE(OTHER, 4, 0xb, 5),
	    LEAVE(PARENT, "write", 5)},
	1, 0xa, 1, NULL},
    {"a write that is under way at the end, after the read",
	{PIPE(PARENT, 3, 4), WRITE(PARENT, 4, 0xa, 5), ASKED(PARENT, 5, 3),
	    ENTER(PARENT, "write", 4, 0xb, 9)},
	1, 0xa, 1, NULL},
    /* and where it cannot be known */
    {"two writes at once",
	{PIPE(PARENT, 3, 4), FORK(PARENT, CHILD), WRITE(PARENT, 4, 0xc, 5),
	    ENTER(PARENT, "write", 4, 0xa, 5), WRITE(CHILD, 4, 0xb, 5), LEAVE(PARENT, "write", 5),
	    ASKED(PARENT, 15, 3)},
	5, 0, 0, "which of them came first is not recorded"},
    {"two reads at once",
	{PIPE(PARENT, 3, 4), FORK(PARENT, CHILD), WRITE(PARENT, 4, 0xa, 10),
	    ENTER(PARENT, "read", 3, 0x100, 5), READ(CHILD, 3, 5), ASKED_LATER(PARENT, 5)},
	0, 0, 0, "which of them came first is not recorded"},
    {"a write that did not return",
	{PIPE(PARENT, 3, 4), FORK(PARENT, CHILD), ENTER(CHILD, "write", 4, 0xa, 9), END(CHILD),
	    WRITE(PARENT, 4, 0xb, 5), ASKED(PARENT, 5, 3)},
	0, 0, 0, "came first is not recorded"},
    {"only a write that did not return",
	{PIPE(PARENT, 3, 4), FORK(PARENT, CHILD), ENTER(CHILD, "write", 4, 0xa, 9), END(CHILD),
	    ASKED(PARENT, 5, 3)},
	0, 0, 0, "did not return"},
    {"a call that failed within its bytes",
	{PIPE(PARENT, 3, 4), DO(PARENT, "write", -EFAULT, 4, 0xa, 9), WRITE(PARENT, 4, 0xb, 5),
	    ASKED(PARENT, 5, 3)},
	0, 0, 0, "failed within the bytes"},
    {"bytes that were spliced",
	{PIPE(PARENT, 3, 4), DO(PARENT, "splice", 5, 7, 0, 4, 0), WRITE(PARENT, 4, 0xb, 5),
	    ASKED(PARENT, 5, 3)},
	0, 0, 0, "called splice"},
    {"a descriptor that may have been sent away",
	{PIPE(PARENT, 3, 4), DO(PARENT, "sendmsg", 1, 9, 0x300, 0), WRITE(PARENT, 4, 0xb, 5),
	    ASKED(PARENT, 5, 3)},
	0, 0, 0, "may have passed the descriptor on"},
    {"packets", {PIPE_WITH(PARENT, O_DIRECT, 3, 4), WRITE(PARENT, 4, 0xb, 5), ASKED(PARENT, 5, 3)},
	0, 0, 0, "more than a stream"},
    {"messages",
	{SOCKETS(PARENT, SOCK_SEQPACKET, 3, 4), WRITE(PARENT, 4, 0xb, 5), ASKED(PARENT, 5, 3)}, 0,
	0, 0, "socket of messages"},
    {"more than was written", {PIPE(PARENT, 3, 4), WRITE(PARENT, 4, 0xb, 5), ASKED(PARENT, 9, 3)},
	7, 0, 0, "somebody else writes"},
    {"an end too early",
	{PIPE(PARENT, 3, 4), WRITE(PARENT, 4, 0xb, 5), ASKED(PARENT, 3, 3),
	    DO(PARENT, "read", 0, 3, 0x200, 99)},
	0, 0, 0, "somebody uses it who is not counted"},
    {"the standard input", {PIPE(PARENT, 3, 4), ASKED(PARENT, 3, 0)}, 0, 0, 0,
	"the recording began with this descriptor"},
    {"a connection", {DO(PARENT, "socket", 3, 2, 1, 0), ASKED(PARENT, 3, 3)}, 0, 0, 0,
	"connection between sockets"},
    {"a result that contradicts",
	{PIPE(PARENT, 3, 4), CLOSE(PARENT, 3), DO(PARENT, "openat", 9, -100, 0, 0),
	    WRITE(PARENT, 4, 0xb, 5), DO(PARENT, "dup", 10, 9), PIPE(PARENT, 11, 12),
	    WRITE(PARENT, 12, 0xb, 5), ASKED(PARENT, 5, 11)},
	0, 0, 0, "not all descriptors are known"},
    {"a call that goes on after a signal and is not known",
	{PIPE(PARENT, 3, 4), DO(PARENT, "restart_syscall", 5, 4, 0xa, 5), WRITE(PARENT, 4, 0xb, 5),
	    ASKED(PARENT, 5, 3)},
	0, 0, 0, "called restart_syscall"},
    {"a descriptor that may have been taken",
	{PIPE(PARENT, 3, 4), FORK(PARENT, CHILD), CLOSE(CHILD, 3), CLOSE(CHILD, 4),
	    DO(CHILD, "pidfd_getfd", 3, 9, 4, 0), WRITE(PARENT, 4, 0xb, 5), ASKED(PARENT, 5, 3)},
	0, 0, 0, "may have taken"},
    {"looking from elsewhere",
	{SOCKETS(PARENT, SOCK_STREAM, 3, 4),
	    DO(PARENT, "setsockopt", 0, 4, SOL_SOCKET, SO_PEEK_OFF), WRITE(PARENT, 3, 0xb, 5),
	    ASKED(PARENT, 5, 4)},
	0, 0, 0, "looking without taking"},
    {"a ring",
	{PIPE(PARENT, 3, 4), DO(PARENT, "io_uring_setup", 5, 8, 0), WRITE(PARENT, 4, 0xb, 5),
	    ASKED(PARENT, 5, 3)},
	0, 0, 0, "without calls of their own"},
};

struct script {
	struct dump_parser *parser;
	long long event;
};

__attribute__((format(printf, 2, 3))) static void say(
    struct script *script, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	dump_parser_feed(
	    script->parser, text, (size_t)vsnprintf(text, sizeof(text), format, arguments));
	va_end(arguments);
}

static void say_side(struct script *script, const struct act *act, bool enters)
{
	say(script,
	    "  real_time:1.5 global_time:%lld, event:`SYSCALL: %s' (state:%s_SYSCALL) tid:%d, "
	    "ticks:5\n",
	    ++script->event, act->name, enters ? "ENTERING" : "EXITING", act->tid);
	say(script, "rax:0x%llx rdx:0x%llx rsi:0x%llx rdi:0x%llx r10:0x%llx rip:0x4002\n",
	    (unsigned long long)act->result, (unsigned long long)act->args[2],
	    (unsigned long long)act->args[1], (unsigned long long)act->args[0],
	    (unsigned long long)act->args[3]);
}

static void say_task(struct script *script, const struct act *act)
{
	say(script, "  real_time:1.5 global_time:%lld, event:`SCHED' tid:%d, ticks:5\nrax:0x0\n",
	    ++script->event, act->tid);
	if (act->kind == CLONED)
		say(script, "  TraceTaskEvent::CLONE tid=%lld parent=%d clone_flags=0x%llx\n",
		    act->result, act->tid, (unsigned long long)act->args[0]);
	else
		say(script, "  TraceTaskEvent::%s tid=%d status=0\n",
		    act->kind == EXECED ? "EXEC" : "EXIT", act->tid);
}

/* Returns the event at which the read that is asked about ended. */
static long long play(const struct scenario *scenario, struct inputs *inputs)
{
	struct script script = {inputs_parser(inputs), 0};
	long long asked = 0;

	for (const struct act *act = scenario->acts; act->kind; act++) {
		if (act->kind == WHOLE || act->kind == IN)
			say_side(&script, act, true);
		if (act->kind == WHOLE || act->kind == OUT)
			say_side(&script, act, false);
		if (act->kind >= CLONED)
			say_task(&script, act);
		if (act->asked)
			asked = script.event;
	}
	dump_parser_end(script.parser);
	return asked;
}

/* The n-th call that gave a pair gave these. */
static struct pipe_given given_by(
    const struct scenario *scenario, const struct inputs *inputs, size_t call)
{
	size_t pairs = 0;

	for (size_t i = 0; i < call; i++)
		pairs += strncmp(inputs->calls[i].name, "pipe", 4) == 0 ||
			 strcmp(inputs->calls[i].name, "socketpair") == 0;
	for (const struct act *act = scenario->acts; act->kind; act++)
		if (act->pair[1] && pairs-- == 0)
			return (struct pipe_given){call, {act->pair[0], act->pair[1]}};
	ck_abort_msg("%s: call %zu gave no pair", scenario->name, call);
}

static enum pipes_end find(const struct scenario *scenario, const struct inputs *inputs,
    long long asked, struct pipes_found *found)
{
	struct pipe_given given[ACTS_MAX];
	size_t count = 0, read = 0;
	enum pipes_end end;

	while (inputs->calls[read].event != asked)
		read++;
	while ((end = pipes_find(inputs, given, count, &inputs->calls[read], scenario->byte,
		    found)) == PIPES_ASK) {
		ck_assert_msg(count < ACTS_MAX, "%s: asks for ever", scenario->name);
		given[count++] = given_by(scenario, inputs, found->begun);
	}
	return end;
}

START_TEST(the_counts_of_bytes_say_which_write_it_was)
{
	const struct scenario *scenario = &scenarios[_i];
	struct inputs inputs = {0};
	struct pipes_found found;
	long long asked = play(scenario, &inputs);
	enum pipes_end end = find(scenario, &inputs, asked, &found);

	if (scenario->why) {
		ck_assert_msg(end == PIPES_CANNOT && strstr(found.why, scenario->why), "%s: %d, %s",
		    scenario->name, (int)end, found.why);
	} else {
		ck_assert_msg(
		    end == PIPES_FOUND, "%s: %d, %s", scenario->name, (int)end, found.why);
		ck_assert_msg(found.write->args[1] == scenario->tag && found.byte == scenario->at,
		    "%s: byte %llu of 0x%llx", scenario->name, found.byte, found.write->args[1]);
	}
	inputs_free(&inputs);
}
END_TEST

static const char buffered[] =
    "  real_time:1.5 global_time:9, event:`SYSCALLBUF_FLUSH' tid:11, ticks:5\nrax:0x0\n";

/* What rr kept in its buffer has no arguments, and a 32-bit program other registers. */
START_TEST(calls_that_are_not_seen_are_not_guessed)
{
	static const char *const texts[] = {buffered, "eax:0x4 ebx:0x3\n"};
	struct inputs inputs = {0};
	struct pipes_found found;
	struct script script = {inputs_parser(&inputs), 0};

	say(&script, "%s", texts[_i]);
	dump_parser_end(script.parser);
	ck_assert_int_eq(
	    pipes_find(&inputs, NULL, 0, &(struct input_call){0}, 0, &found), PIPES_CANNOT);
	ck_assert_ptr_nonnull(strstr(found.why, "record with"));
	inputs_free(&inputs);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {the_counts_of_bytes_say_which_write_it_was, sizeof(scenarios) / sizeof(*scenarios)},
	    {calls_that_are_not_seen_are_not_guessed, 2},
	    {NULL, 0},
	};

	return run_loops("pipes", tests, NULL, NULL);
}
