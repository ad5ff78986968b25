/*
 * Texts as `rr ps` prints them, and the processes that we read from them.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "worker/trace/process_list.h"
#include "tests/runner.h"

#define HEAD "PID\tPPID\tEXIT\tCMD\n"

static json_t *parse(const char *text)
{
	return process_list_parse(text, strlen(text), PROCESS_LIST_BUDGET);
}

static json_t *process_at(json_t *list, size_t index)
{
	return json_array_get(json_object_get(list, "processes"), index);
}

static long long number(json_t *process, const char *key)
{
	json_t *value = json_object_get(process, key);

	return value ? json_integer_value(value) : -1;
}

static const char *text(json_t *process, const char *key)
{
	const char *value = json_string_value(json_object_get(process, key));

	return value ? value : "";
}

START_TEST(the_first_process_has_no_parent)
{
	json_auto_t *list = parse(HEAD "17\t--\t0\t/bin/echo hi\n");

	ck_assert_int_eq(number(process_at(list, 0), "pid"), 17);
	ck_assert_int_eq(number(process_at(list, 0), "ppid"), -1);
	ck_assert_int_eq(number(process_at(list, 0), "exit_code"), 0);
	ck_assert_str_eq(text(process_at(list, 0), "command"), "/bin/echo hi");
}
END_TEST

START_TEST(a_negative_exit_is_a_signal)
{
	json_auto_t *list = parse(HEAD "17\t--\t-11\t./bug\n");

	ck_assert_str_eq(text(process_at(list, 0), "signal"), "SIGSEGV");
	ck_assert_int_eq(number(process_at(list, 0), "exit_code"), -1);
}
END_TEST

START_TEST(a_process_without_an_end_says_so)
{
	json_auto_t *list = parse(HEAD "17\t--\tnone\t./bug\n18\t17\tdetach\t./x\n");

	ck_assert(json_is_false(json_object_get(process_at(list, 0), "ended")));
	ck_assert(json_is_false(json_object_get(process_at(list, 1), "ended")));
}
END_TEST

START_TEST(a_fork_that_never_called_exec_is_marked)
{
	json_auto_t *list = parse(HEAD "17\t--\t0\t./a\n18\t17\t0\t(forked without exec)\n");

	ck_assert(json_is_true(json_object_get(process_at(list, 1), "forked")));
	ck_assert_int_eq(number(process_at(list, 1), "ppid"), 17);
}
END_TEST

START_TEST(a_pid_of_another_namespace_is_left_out)
{
	json_auto_t *list = parse(HEAD "17\t--\t0\t./a\n18 (2)\t17\t3\t./b\n");

	ck_assert_int_eq(number(process_at(list, 1), "pid"), 18);
	ck_assert_int_eq(number(process_at(list, 1), "exit_code"), 3);
}
END_TEST

START_TEST(newlines_and_tabs_of_a_command_stay_in_it)
{
	json_auto_t *list = parse(HEAD "17\t--\t0\tsh -c a\nb\tc\n12\tx\n18\t17\t0\t./b\n");

	ck_assert_int_eq(json_array_size(json_object_get(list, "processes")), 2);
	ck_assert_str_eq(text(process_at(list, 0), "command"), "sh -c a\nb\tc\n12\tx");
}
END_TEST

static const struct {
	const char *lines, *command;
} commands[] = {
    {HEAD "17\t--\t0\t./a \xff\x01\n",
	"./a \\xff\\x01"},	    /* bytes that are no text become visible */
    {HEAD "17\t--\t0\t./a", "./a"}, /* a last line without a newline counts */
};

START_TEST(a_command_is_told_as_text)
{
	json_auto_t *list = parse(commands[_i].lines);

	ck_assert_str_eq(text(process_at(list, 0), "command"), commands[_i].command);
}
END_TEST

START_TEST(numbers_out_of_range_make_no_process)
{
	json_auto_t *list =
	    parse(HEAD "99999999999\t--\t0\ta\n0\t--\t0\ta\n5\t--\t256\ta\n6\t--\t-65\tb\n");

	ck_assert_int_eq(json_array_size(json_object_get(list, "processes")), 0);
}
END_TEST

START_TEST(processes_beyond_the_budget_are_counted)
{
	char lines[64 * 1000] = HEAD;
	size_t length = strlen(lines);
	json_t *list;

	for (int pid = 1; pid <= 1000; pid++)
		length += (size_t)snprintf(
		    lines + length, sizeof(lines) - length, "%d\t1\t0\tsome command\n", pid);
	list = process_list_parse(lines, length, 4096);
	size_t kept = json_array_size(json_object_get(list, "processes"));
	ck_assert_uint_gt(kept, 10);
	ck_assert_int_eq((long long)kept + number(list, "more"), 1000);
	ck_assert_uint_lt(json_dumpb(list, NULL, 0, JSON_COMPACT), 4096 + 100);
	json_decref(list);
}
END_TEST

START_TEST(other_text_is_refused)
{
	ck_assert_ptr_null(parse("rr: Trace file not found\n"));
	ck_assert_ptr_null(parse(""));
}
END_TEST

START_TEST(a_signal_without_a_name_is_numbered)
{
	char name[32];

	ck_assert_str_eq(signal_to_name(6, name, sizeof(name)), "SIGABRT");
	ck_assert_str_eq(signal_to_name(40, name, sizeof(name)), "signal 40");
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {the_first_process_has_no_parent, 1},
	    {a_negative_exit_is_a_signal, 1},
	    {a_process_without_an_end_says_so, 1},
	    {a_fork_that_never_called_exec_is_marked, 1},
	    {a_pid_of_another_namespace_is_left_out, 1},
	    {newlines_and_tabs_of_a_command_stay_in_it, 1},
	    {numbers_out_of_range_make_no_process, 1},
	    {processes_beyond_the_budget_are_counted, 1},
	    {other_text_is_refused, 1},
	    {a_signal_without_a_name_is_numbered, 1},
	    {a_command_is_told_as_text, TIMES(commands)},
	    {NULL, 0},
	};

	return run_loops("process list", tests, NULL, NULL);
}
