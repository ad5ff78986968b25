/*
 * Texts as `rr dump -e -p` prints them, and the execs, endings and files that we read from them.
 */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "worker/trace/dump/execs.h"
#include "worker/trace/process_list.h"
#include "tests/runner.h"

#define EVENT(event, name, state, tid)                                                             \
	"{\n  real_time:1.5 global_time:" event ", event:`" name "' (state:" state ") tid:" tid    \
	", ticks:7\n"
#define LEAVES(event, tid) EVENT(event, "SYSCALL: execve", "EXITING_SYSCALL", tid)
#define ENTERS(event, tid, rip)                                                                    \
	EVENT(event, "SYSCALL: execve", "ENTERING_SYSCALL", tid)                                   \
	"rax:0xffffffffffffffda rip:" rip " eflags:0x246\n" END
#define FINE		   "rax:0x0 rbx:0x0 rcx:0x1\n"
#define FAILED		   "rax:0xfffffffffffffffe rbx:0x0\n"
#define FILE_OF(tid, file) "  TraceTaskEvent::EXEC tid=" tid " file=" file "\n"
#define CLONES(tid, parent, flags)                                                                 \
	"  TraceTaskEvent::CLONE tid=" tid " parent=" parent " clone_flags=" flags "\n"
#define CLONE CLONES("17", "23", "0x50f00")
#define END   "}\n"

/* Feeds pieces of `step` bytes, because a line may be split anywhere. */
static struct execs parse_in(const char *text, size_t step)
{
	struct execs execs = {0};
	struct dump_parser *parser = execs_parser(&execs);
	size_t length = strlen(text);

	for (size_t at = 0; at < length; at += step)
		dump_parser_feed(parser, text + at, length - at < step ? length - at : step);
	dump_parser_end(parser);
	return execs;
}

#define MAPPING(file, rights, data, size)                                                          \
	"  { map_file:\"" file "\", addr:0x7000, length:0x1000, prot_flags:\"" rights              \
	"\", file_offset:0x0, device:65024, inode:12, data_file:\"" data                           \
	"\", data_offset:0x0, file_size:" size " }\n"

/* A scratch file of four bytes, and a trace that names it with this size. */
static struct execs name_file(char path[32], const char *size)
{
	char text[600];
	int file;

	strlcpy(path, "/tmp/rr-warden-test.XXXXXX", 32);
	file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, "code", 4), 4);
	close(file);
	snprintf(text, sizeof(text), LEAVES("1", "17") "}\n" MAPPING("%s", "r-xp", "%s", "%s"),
	    path, path, size);
	return parse_in(text, 7);
}

START_TEST(files_outside_of_the_trace_that_ran_are_known)
{
	struct execs execs = parse_in(
	    LEAVES("1", "17") "}\n" MAPPING("/bin/a", "r--p", "/bin/a", "0x10") MAPPING(
		"/bin/a", "r-xp", "/bin/a", "0x10") MAPPING("/bin/a", "r-xp", "/bin/a", "0x10")
		MAPPING("/bin/b", "r-xp", "/t/mmap_copy_5_b", "0x10") MAPPING(
		    "[vdso]", "r-xp", "", "0x0") MAPPING("/usr/lib/d o", "r-xp", "/usr/lib/d o",
		    "0x1f") "  { map_file:\"/bin/c\", addr:0x7000, prot_flags:\"r-xp\"\n",
	    5);

	ck_assert_uint_eq(execs.outside.count, 2);
	ck_assert_str_eq(execs.outside.list[0].path, "/bin/a");
	ck_assert_int_eq(execs.outside.list[0].size, 16);
	ck_assert_int_eq(execs.outside.list[0].inode, 12);
	ck_assert_int_eq(execs.outside.list[1].size, 31);
	execs_free(&execs);
}
END_TEST

START_TEST(a_file_that_ran_and_was_replaced_is_refused)
{
	struct failure failure = {0};
	char path[32];
	struct execs execs = name_file(path, "0x5");
	json_t *warnings = json_array();

	ck_assert(!outside_is_as_it_was(&execs.outside, warnings, &failure));
	ck_assert_ptr_nonnull(strstr(failure.message, "(4 bytes, and 5 then)"));
	/* A file that is gone is rr's to report. */
	unlink(path);
	ck_assert(outside_is_as_it_was(&execs.outside, warnings, &failure));
	ck_assert_uint_eq(json_array_size(warnings), 0);
	json_decref(warnings);
	execs_free(&execs);
}
END_TEST

START_TEST(a_file_of_the_same_size_in_the_place_of_one_that_ran_is_a_warning)
{
	struct failure failure = {0};
	char path[32];
	struct execs execs = name_file(path, "0x4");
	json_t *warnings = json_array();

	ck_assert(outside_is_as_it_was(&execs.outside, warnings, &failure));
	ck_assert_uint_eq(json_array_size(warnings), 1);
	ck_assert_ptr_nonnull(strstr(json_string_value(json_array_get(warnings, 0)), path));
	unlink(path);
	json_decref(warnings);
	execs_free(&execs);
}
END_TEST

START_TEST(an_exec_has_its_event_its_process_and_its_file)
{
	static const char text[] = EVENT("1", "SYSCALL: prctl", "EXITING_SYSCALL", "17")
	    FINE END LEAVES("14", "17") FINE FILE_OF("17", "/usr/bin/sh") END LEAVES("159", "17")
		FINE FILE_OF("17", "/home/me/a b") END;

	for (size_t step = 1; step < 40; step += 6) {
		struct execs execs = parse_in(text, step);
		ck_assert_uint_eq(execs.count, 2);
		ck_assert_int_eq(execs.first_pid, 17);
		ck_assert_int_eq(execs.list[0].event, 14);
		ck_assert_str_eq(execs.list[0].file, "/usr/bin/sh");
		ck_assert_int_eq(execs.list[1].event, 159);
		ck_assert_str_eq(execs.list[1].file, "/home/me/a b");
		ck_assert(!execs.list[1].by_thread);
		ck_assert_int_eq(execs.last, 159);
		execs_free(&execs);
	}
}
END_TEST

START_TEST(an_exec_that_failed_or_only_begins_is_none)
{
	struct execs execs = parse_in(
	    LEAVES("20", "17") FAILED END EVENT("21", "SYSCALL: execve", "ENTERING_SYSCALL", "17")
		FINE END EVENT("22", "SYSCALL: read", "EXITING_SYSCALL", "17") FINE END,
	    1000);

	ck_assert_uint_eq(execs.count, 0);
	execs_free(&execs);
}
END_TEST

START_TEST(execveat_and_32_bit_registers_count_too)
{
	struct execs execs = parse_in(EVENT("30", "SYSCALL: execveat", "EXITING_SYSCALL", "17")
					  FINE END LEAVES("31", "17") "eax:0x0 ebx:0x0\n" END,
	    1000);

	ck_assert_uint_eq(execs.count, 2);
	execs_free(&execs);
}
END_TEST

/* rr before 5.9 writes a CLONE instead of an EXEC then, and names no file. */
START_TEST(an_exec_from_a_thread_is_told_by_its_missing_file)
{
	struct execs execs = parse_in(LEAVES("269", "17") FINE CLONE END, 1000);

	ck_assert_uint_eq(execs.count, 1);
	ck_assert(execs.list[0].by_thread);
	ck_assert_ptr_null(execs.list[0].file);
	execs_free(&execs);
}
END_TEST

#define FORKS(event, tid, rip, child)                                                              \
	EVENT(event, "SYSCALL: clone", "ENTERING_SYSCALL", tid)                                    \
	"rax:0xffffffffffffffda rip:" rip " eflags:0x246\n" CLONES(child, tid, "0x1200011") END

START_TEST(a_fork_has_its_parent_and_the_place_of_its_call)
{
	static const char text[] = LEAVES("5", "10") FINE FILE_OF("10", "/bin/sh") END
	    /* A thread of 10 forks 12, and 12 forks 13 without an exec in between. */
	    EVENT("8", "SYSCALL: clone", "ENTERING_SYSCALL",
		"10") "rax:0xffffffffffffffda rip:0x5002 eflags:0x246\n" CLONES("11", "10",
		"0x50f00") END FORKS("20", "11", "0x7002", "12") FORKS("30", "12", "0x9002", "13")
		LEAVES("40", "12") FINE FILE_OF("12", "/bin/true") END;
	struct execs execs = parse_in(text, 3);
	const struct forking *fork = execs_fork(&execs, 12);

	ck_assert_ptr_null(execs_fork(&execs, 10));
	ck_assert_ptr_null(execs_fork(&execs, 11));
	ck_assert_int_eq(fork->parent, 10);
	ck_assert_int_eq(fork->event, 20);
	ck_assert_int_eq(fork->call.tid, 11);
	ck_assert_int_eq(fork->call.event, 20);
	ck_assert_int_eq(fork->call.ticks, 7);
	ck_assert_uint_eq(fork->call.pc, 0x7000);
	ck_assert_int_eq(execs_fork(&execs, 13)->parent, 12);
	/* Which program each of them ran. */
	ck_assert_int_eq(execs_program(&execs, 10, 5), 0);
	ck_assert_int_eq(execs_program(&execs, 10, 100), 5);
	ck_assert_int_eq(execs_program(&execs, 12, 35), 5);
	ck_assert_int_eq(execs_program(&execs, 12, 41), 40);
	ck_assert_int_eq(execs_program(&execs, 13, 100), 5);
	execs_free(&execs);
}
END_TEST

/* Three calls of exec are under way at the same time, one of them by a thread. */
START_TEST(an_exec_has_the_place_of_its_call_whoever_called_it)
{
	static const char text[] = ENTERS("20", "17", "0x7002") ENTERS("21", "23", "0x7fae2f299b42")
	    ENTERS("22", "40", "0x9002") EVENT("23", "EXIT", "x", "17") FINE END LEAVES("24", "17")
		FINE "%s" END LEAVES("25", "40") FINE FILE_OF("40", "/bin/true")
		    END LEAVES("26", "50") FINE FILE_OF("50", "/bin/true") END;
	/* rr 5.6 names the caller in one way and rr 5.9 in two. */
	static const char *const named[] = {CLONE, FILE_OF("23", "/bin/sh") CLONE};

	for (int i = 0; i < 2; i++) {
		char whole[sizeof(text) + 200];
		struct execs execs;

		snprintf(whole, sizeof(whole), text, named[i]);
		execs = parse_in(whole, 1000);
		ck_assert_uint_eq(execs.count, 3);
		ck_assert(execs.list[0].by_thread);
		ck_assert_pstr_eq(execs.list[0].file, i == 0 ? NULL : "/bin/sh");
		ck_assert_int_eq(execs.list[0].call.event, 21);
		ck_assert_int_eq(execs.list[0].call.ticks, 7);
		ck_assert_int_eq(execs.list[0].call.tid, 23);
		ck_assert_uint_eq(execs.list[0].call.pc, 0x7fae2f299b40);
		ck_assert_int_eq(execs.list[1].call.event, 22);
		ck_assert_uint_eq(execs.list[1].call.pc, 0x9000);
		ck_assert_int_eq(execs.list[2].call.event, 0);
		execs_free(&execs);
	}
}
END_TEST

START_TEST(endings_carry_their_status)
{
	struct execs execs = parse_in(EVENT("40", "EXIT", "x", "17") FINE
	    "  TraceTaskEvent::EXIT tid=17 status=139\n" END,
	    1000);

	ck_assert_uint_eq(execs.ending_count, 1);
	ck_assert_int_eq(execs.endings[0].pid, 17);
	ck_assert_int_eq(execs.endings[0].status, 139);
	execs_free(&execs);
}
END_TEST

static struct execs with_endings(struct ending *endings, size_t count)
{
	return (struct execs){.endings = endings, .ending_count = count, .first_pid = 10};
}

#define EXITED(code)   ((code) << 8)
#define KILLED(signal) (signal)

START_TEST(the_process_that_the_trace_is_about_is_who_the_first_one_ended_like)
{
	static const struct {
		int first, other;
		bool is_other;
	} cases[] = {
	    {EXITED(0), EXITED(3), false},		    /* sh -c "./a; true" */
	    {EXITED(3), EXITED(3), true},		    /* timeout 9 ./a */
	    {EXITED(128 + SIGTERM), KILLED(SIGTERM), true}, /* as shells put it */
	    {EXITED(128 + SIGTERM), KILLED(SIGINT), false}, /* of itself */
	    {EXITED(0), KILLED(SIGSEGV), true},		    /* a crash is the worst */
	    {EXITED(1), KILLED(SIGABRT), true},		    /* likewise */
	    {KILLED(SIGTERM), KILLED(SIGTERM), true},	    /* passed on */
	    {KILLED(SIGKILL), KILLED(SIGKILL), false},	    /* both were killed */
	    {EXITED(124), KILLED(SIGTERM), true},	    /* timeout ended it */
	    {EXITED(124), KILLED(SIGINT), false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ending endings[] = {{12, 12, cases[i].other, 80},
		    {13, 12, cases[i].other, 81}, {10, 10, cases[i].first, 90}};
		struct execs execs = with_endings(endings, 3);

		ck_assert_msg(execs_worst_pid(&execs) == (cases[i].is_other ? 12 : 10),
		    "case %zu: %d", i, execs_worst_pid(&execs));
	}
}
END_TEST

START_TEST(threads_that_end_with_their_process_were_together_before)
{
	struct ending endings[] = {{11, 10, 0, 40}, {21, 20, 0, 88}, {12, 10, 0, 90},
	    {20, 20, 0, 91}, {13, 10, 0, 92}, {10, 10, 0, 93}};
	struct execs execs = with_endings(endings, 6);

	/* Thread 11 had ended long before; those of the other process do not count. */
	ck_assert_int_eq(execs_together(&execs, 10), 89);
	ck_assert_int_eq(execs_together(&execs, 20), 87);
	ck_assert_int_eq(execs_together(&execs, 30), 0);
	execs.ending_count = 1;
	ck_assert_int_eq(execs_together(&execs, 10), 0);
}
END_TEST

START_TEST(a_process_has_threads_where_a_clone_shared_it)
{
	struct execs execs = parse_in(CLONE CLONES("12", "11", "0x3d0f00"), 4096);

	ck_assert(execs_had_threads(&execs, 23));
	ck_assert(execs_had_threads(&execs, 11));
	execs_free(&execs);
	execs = parse_in(CLONES("12", "11", "0x1200000"), 4096);
	ck_assert(!execs_had_threads(&execs, 11));
	execs.cut = true;
	ck_assert(execs_had_threads(&execs, 11));
	execs_free(&execs);
}
END_TEST

START_TEST(signals_are_told_apart_by_whether_a_handler_ran)
{
	struct execs execs = parse_in(
	    EVENT("50", "SIGNAL: SIGCHLD(async)", "x", "17")
		FINE END EVENT("51", "SIGNAL_HANDLER: SIGCHLD(async)", "x", "17")
		    FINE END EVENT("52", "SIGNAL_HANDLER: SIGRT2(async)", "x", "17")
			FINE END EVENT("53", "SIGNAL_DELIVERY: SIGSEGV(det)", "x", "17")
			    FINE END EVENT("54", "SIGNAL_HANDLER: SIGnothing(async)", "x", "17")
				FINE END EVENT("55", "SIGNAL_HANDLER: SIGRT99(async)", "x", "17")
				    FINE END,
	    1000);

	ck_assert(execs.handled == (1ULL << (SIGCHLD - 1) | 1ULL << (34 - 1)));
	ck_assert(execs.unhandled == 1ULL << (SIGSEGV - 1));
	execs_free(&execs);
}
END_TEST

START_TEST(strange_text_gives_nothing_and_takes_no_memory)
{
	cleanup_free char *text = malloc(200000);

	memset(text, 'x', 199999);
	text[199999] = '\0';
	memcpy(text, "  TraceTaskEvent::EXEC tid=17 file=", 35);
	struct execs execs = parse_in(text, 4096);
	ck_assert_uint_eq(execs.count, 0);
	execs_free(&execs);
	execs = parse_in("  real_time:1 global_time:-4, event:`SYSCALL: execve' "
			 "(state:EXITING_SYSCALL) tid:-9, ticks:1\n" FINE
			 "  real_time:1 global_time:99999999999999999999, tid:1\n" FINE,
	    7);
	ck_assert_uint_eq(execs.count, 0);
	execs_free(&execs);
	/* A file's name that is too long is unknown, the exec is not. */
	memcpy(text, LEAVES("14", "17") FINE, strlen(LEAVES("14", "17") FINE));
	memcpy(text + strlen(LEAVES("14", "17") FINE), "  TraceTaskEvent::EXEC tid=17 file=", 35);
	execs = parse_in(text, 4096);
	ck_assert_uint_eq(execs.count, 1);
	ck_assert(!execs.list[0].by_thread);
	ck_assert_ptr_null(execs.list[0].file);
	execs_free(&execs);
}
END_TEST

START_TEST(the_list_is_bounded)
{
	struct execs execs = {0};
	struct dump_parser *parser = execs_parser(&execs);
	char text[200];

	for (int i = 0; i < EXECS_MAX + 10; i++) {
		int length = snprintf(text, sizeof(text),
		    "  real_time:1 global_time:%d, event:`SYSCALL: "
		    "execve' (state:EXITING_SYSCALL) tid:17, ticks:1\nrax:0x0 \n",
		    i + 1);
		dump_parser_feed(parser, text, (size_t)length);
	}
	dump_parser_end(parser);
	ck_assert_uint_eq(execs.count, EXECS_MAX);
	ck_assert(execs.cut);
	json_auto_t *shown = process_images(&execs, 17);
	ck_assert_uint_eq(json_array_size(shown), PROCESS_IMAGES_MAX);
	ck_assert_ptr_null(process_images(&execs, 18));
	execs_free(&execs);
}
END_TEST

#define SENDS(event, call, tid, rdi, rsi, rdx)                                                     \
	EVENT(event, "SYSCALL: " call, "ENTERING_SYSCALL", tid)                                    \
	"rax:0xffffffffffffffda rdx:" rdx " rsi:" rsi " rdi:" rdi " rip:0x1002\n" END
#define ARRIVES(event, signal, tid, rax)                                                           \
	"{\n  real_time:1.5 global_time:" event ", event:`SIGNAL: " signal "' tid:" tid            \
	", ticks:7\nrax:" rax " rbx:0x0\n" END
#define DIES(event, tid, status)                                                                   \
	"{\n  real_time:1.5 global_time:" event ", event:`EXIT' tid:" tid ", ticks:7\n"            \
	"  TraceTaskEvent::EXIT tid=" tid " status=" status "\n" END
#define TERM ARRIVES("6", "SIGTERM(async)", "17", "0x0")

/* Process 17 (0x11), which a signal ends, has the thread 23 (0x17). */
static const struct {
	const char *status, *calls;
	enum execs_sent sent;
	bool by_instruction, by_write;
} causes[] = {
    {"9", SENDS("3", "kill", "23", "0x11", "0x9", "0x0"), .sent = SENT_ITSELF},
    {"9", SENDS("3", "kill", "17", "0x11", "0x9", "0x0"), .sent = SENT_ITSELF},
    {"9", SENDS("3", "kill", "23", "0x0", "0x9", "0x0"), .sent = SENT_ITSELF},
    {"9", SENDS("3", "kill", "23", "0xffffffff", "0x9", "0x0"), .sent = SENT_NOT},
    {"9", SENDS("3", "kill", "23", "0xfffffffffffffff0", "0x9", "0x0"), .sent = SENT_MAYBE},
    {"9", SENDS("3", "kill", "23", "0x12", "0x9", "0x0"), .sent = SENT_NOT},
    {"9", SENDS("3", "kill", "23", "0x11", "0xf", "0x0"), .sent = SENT_NOT},
    {"9", SENDS("3", "kill", "40", "0x11", "0x9", "0x0"),
	.sent = SENT_NOT}, /* by another process */
    {"9", SENDS("3", "tgkill", "23", "0x11", "0x17", "0x9"), .sent = SENT_ITSELF},
    {"9", SENDS("3", "tgkill", "23", "0x11", "0x9", "0xf"), .sent = SENT_NOT},
    {"9", SENDS("3", "tkill", "23", "0x17", "0x9", "0x0"), .sent = SENT_ITSELF},
    {"9", SENDS("3", "tkill", "23", "0x28", "0x9", "0x0"), .sent = SENT_NOT},
    {"9", SENDS("3", "rt_sigqueueinfo", "23", "0x11", "0x9", "0x0"), .sent = SENT_ITSELF},
    {"9", SENDS("3", "rt_tgsigqueueinfo", "23", "0x11", "0x17", "0x9"), .sent = SENT_ITSELF},
    {"9", SENDS("3", "pidfd_send_signal", "23", "0x3", "0x9", "0x0"), .sent = SENT_MAYBE},
    /* what the thread does next is behind the call; what others do is not */
    {"9",
	SENDS("3", "kill", "23", "0x11", "0x9", "0x0")
	    EVENT("4", "SYSCALL: kill", "EXITING_SYSCALL", "23") FINE END,
	.sent = SENT_NOT},
    {"9", SENDS("3", "kill", "23", "0x11", "0x9", "0x0") EVENT("4", "SCHED", "x", "17") FINE END,
	.sent = SENT_ITSELF},
    /* others arrive later, and once */
    {"15",
	SENDS("3", "kill", "23", "0x11", "0xf", "0x0")
	    EVENT("4", "SYSCALL: kill", "EXITING_SYSCALL", "23") FINE END TERM,
	.sent = SENT_ITSELF},
    {"15", TERM, .sent = SENT_NOT},
    {"15", SENDS("3", "kill", "23", "0x11", "0xf", "0x0") TERM TERM, .sent = SENT_NOT},
    {"15", SENDS("3", "kill", "40", "0x11", "0xf", "0x0") TERM, .sent = SENT_NOT},
    {"15", TERM SENDS("7", "kill", "23", "0x11", "0xf", "0x0"), .sent = SENT_NOT},
    {"11", ARRIVES("6", "SIGSEGV(det)", "23", "0x0"), .by_instruction = true},
    {"11", ARRIVES("5", "SIGSEGV(det)", "23", "0x0") ARRIVES("6", "SIGSEGV(async)", "23", "0x0"),
	.sent = SENT_NOT},
    {"13", ARRIVES("6", "SIGPIPE(async)", "23", "0xffffffffffffffe0"), .by_write = true},
    {"13", ARRIVES("6", "SIGPIPE(async)", "23", "0x0"), .sent = SENT_NOT},
    {"25", ARRIVES("6", "SIGXFSZ(async)", "23", "0xffffffffffffffe5"), .by_write = true},
};

START_TEST(where_the_signal_came_from_that_ended_a_process_is_known)
{
	static const char birth[] = EVENT("1", "SYSCALL: clone", "EXITING_SYSCALL", "17")
	    CLONES("23", "17", "0x3d0f00") END;
	char text[4000];

	snprintf(text, sizeof(text), "%s%s" DIES("8", "23", "%s") DIES("9", "17", "%s"), birth,
	    causes[_i].calls, causes[_i].status, causes[_i].status);
	struct execs execs = parse_in(text, 1000);
	struct signal_cause cause = execs_cause(&execs, 17);
	ck_assert_int_eq(cause.number, (int)strtol(causes[_i].status, NULL, 10));
	ck_assert_int_eq(cause.sent, causes[_i].sent);
	ck_assert_int_eq(cause.by_instruction, causes[_i].by_instruction);
	ck_assert_int_eq(cause.by_write, causes[_i].by_write);
	ck_assert_int_eq(execs_cause(&execs, 40).number, 0);
	execs_free(&execs);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {files_outside_of_the_trace_that_ran_are_known, 1},
	    {a_file_that_ran_and_was_replaced_is_refused, 1},
	    {a_file_of_the_same_size_in_the_place_of_one_that_ran_is_a_warning, 1},
	    {an_exec_has_its_event_its_process_and_its_file, 1},
	    {an_exec_that_failed_or_only_begins_is_none, 1},
	    {execveat_and_32_bit_registers_count_too, 1},
	    {an_exec_from_a_thread_is_told_by_its_missing_file, 1},
	    {an_exec_has_the_place_of_its_call_whoever_called_it, 1},
	    {a_fork_has_its_parent_and_the_place_of_its_call, 1},
	    {endings_carry_their_status, 1},
	    {the_process_that_the_trace_is_about_is_who_the_first_one_ended_like, 1},
	    {threads_that_end_with_their_process_were_together_before, 1},
	    {a_process_has_threads_where_a_clone_shared_it, 1},
	    {signals_are_told_apart_by_whether_a_handler_ran, 1},
	    {strange_text_gives_nothing_and_takes_no_memory, 1},
	    {the_list_is_bounded, 1},
	    {where_the_signal_came_from_that_ended_a_process_is_known, TIMES(causes)},
	    {NULL, 0},
	};

	return run_loops("execs", tests, NULL, NULL);
}
