/*
 * What the trace's events say that the kernel wrote.
 */
#include <check.h>
#include "tests/runner.h"
#include "worker/trace/dump/inputs.h"

static const char dump[] =
    "{\n  real_time:1.5 global_time:119, event:`SYSCALL: read' (state:ENTERING_SYSCALL) tid:11, "
    "ticks:27721\n"
    "rax:0xffffffffffffffda rbx:0x1 rcx:0xffffffffffffffff rdx:0x28 rsi:0x7ffe69b24440 rdi:0x3 "
    "rbp:0x0 rsp:0x0 r8:0x0 r9:0x0 r10:0x7 r11:0x246 rip:0x7f0ca07342ad eflags:0x246\n}\n"
    "{\n  real_time:1.6 global_time:120, event:`SYSCALL: read' (state:EXITING_SYSCALL) tid:11, "
    "ticks:27721\n"
    "rax:0x28 rbx:0x1 rcx:0xffffffffffffffff rdx:0x28 rsi:0x7ffe69b24440 rdi:0x3 rip:0x1\n"
    "  { tid:11, addr:0x7ffe69b24440, length:0x28 }\n}\n"
    "{\n  real_time:1.7 global_time:121, event:`SIGNAL_HANDLER: SIGCHLD(async)' tid:12, ticks:9\n"
    "rax:0x0 rbx:0x1 rip:0x1\n"
    "  { tid:12, addr:0x1000, length:0x8 }\n}\n";

static void read_dump(struct inputs *inputs, size_t pieces)
{
	struct dump_parser *parser = inputs_parser(inputs);

	for (size_t at = 0; at < sizeof(dump) - 1; at += pieces)
		dump_parser_feed(parser, dump + at,
		    at + pieces < sizeof(dump) - 1 ? pieces : sizeof(dump) - 1 - at);
	dump_parser_end(parser);
}

/* However the text is split. */
START_TEST(what_the_kernel_wrote_has_its_call)
{
	static const size_t splits[] = {1, 7, sizeof(dump)};
	struct inputs inputs = {0};

	read_dump(&inputs, splits[_i]);
	ck_assert_uint_eq(inputs.count, 2);
	ck_assert_uint_eq(inputs.range_count, 2);
	ck_assert_str_eq(inputs.calls[0].name, "read");
	ck_assert_int_eq(inputs.calls[0].entered, 119);
	ck_assert_int_eq(inputs.calls[0].event, 120);
	ck_assert_int_eq(inputs.calls[0].ticks, 27721);
	ck_assert_uint_eq(inputs.calls[0].pc, 0x7f0ca07342abULL);
	ck_assert_uint_eq(inputs.calls[0].args[0], 3);
	ck_assert_uint_eq(inputs.calls[0].args[3], 7);
	ck_assert_int_eq(inputs.calls[0].result, 0x28);
	ck_assert_uint_eq(inputs.ranges[0].address, 0x7ffe69b24440ULL);
	ck_assert_uint_eq(inputs.ranges[0].length, 0x28);
	ck_assert(!inputs.calls[1].is_call);
	ck_assert_str_eq(inputs.calls[1].name, "SIGNAL_HANDLER");
	ck_assert_uint_eq(inputs.ranges[1].call, 1);
	inputs_free(&inputs);
}
END_TEST

/* A call that goes on after a signal has the name of the call that it is, by its number. */
START_TEST(a_call_that_goes_on_is_named)
{
	static const char text[] =
	    "  real_time:1.5 global_time:7, event:`SYSCALL: restart_syscall' "
	    "(state:ENTERING_SYSCALL) tid:11, ticks:5\n"
	    "rax:0xffffffffffffffda rdx:0x8 rsi:0x100 rdi:0x3 rip:0x4002 orig_rax:0x0 fs_base:0x0\n"
	    "  real_time:1.5 global_time:8, event:`SYSCALL: restart_syscall' "
	    "(state:EXITING_SYSCALL) tid:11, ticks:5\n"
	    "rax:0x8 rdx:0x8 rsi:0x100 rdi:0x3 rip:0x4002 orig_rax:0x0 fs_base:0x0\n"
	    "  real_time:1.5 global_time:9, event:`SYSCALL: restart_syscall' "
	    "(state:ENTERING_SYSCALL) tid:11, ticks:5\n"
	    "rax:0xffffffffffffffda rdx:0x8 rsi:0x100 rdi:0x3 rip:0x4002 orig_rax:0xdb\n";
	struct inputs inputs = {0};
	struct dump_parser *parser = inputs_parser(&inputs);

	dump_parser_feed(parser, text, sizeof(text) - 1);
	dump_parser_end(parser);
	ck_assert_uint_eq(inputs.count, 1);
	ck_assert_str_eq(inputs.calls[0].name, "read");
	ck_assert_int_eq(inputs.calls[0].entered, 7);
	ck_assert_int_eq(inputs.calls[0].result, 8);
	ck_assert_uint_eq(inputs.unended_count, 1);
	ck_assert_str_eq(inputs.unended[0].name, "restart_syscall");
	inputs_free(&inputs);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {what_the_kernel_wrote_has_its_call, 3},
	    {a_call_that_goes_on_is_named, 1},
	    {NULL, 0},
	};

	return run_loops("inputs", tests, NULL, NULL);
}
