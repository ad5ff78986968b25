/*
 * The client's breakpoints: how they get into gdb, are disabled and enabled again, and come back in
 * another worker.
 */
#include "session.h"
#include "tests/runner.h"
#include "worker/serve/handlers.h"
#include "worker/breaks/breakpoints.h"

#define MADE(number) "^done,bkpt={number=\"" #number "\",addr=\"0x4010\",func=\"f\"}"
/* Where a condition is to be read is looked up first. */
#define NOWHERE(location)                                                                          \
	{                                                                                          \
		"-break-insert -- \"" location "\"", "^error,msg=\"It is nowhere.\""               \
	}
#define WATCHES(command)                                                                           \
	{"-interpreter-exec --thread 1 --frame 0 console \"" command "\"",                         \
	    "=breakpoint-created,bkpt={number=\"3\",type=\"hw watchpoint\"}\n^done"},              \
	{                                                                                          \
		"-break-list", "^done,BreakpointTable={body=[" HARDWARE "]}"                       \
	}
#define IN_FRAME(command, answer)                                                                  \
	{                                                                                          \
		"-interpreter-exec --thread 1 --frame 0 console \"" command "\"", answer           \
	}
/* How many registers the watched expression takes. */
#define EXTENT(expression)                                                                         \
	{                                                                                          \
		"-data-evaluate-expression --thread 1 --frame 0 \"{(long) &(" expression           \
		"), (long) (&(" expression ") + 1) - (long) &(" expression ")}\"",                 \
		    "^done,value=\"{4096, 4}\""                                                    \
	}
/* It may be a member of this, and a bit-field; if not, a pointer of ours is watched. */
#define NO_SYMBOL(command) IN_FRAME(command, "^error,msg=\"No symbol\"")
#define LANGUAGE                                                                                   \
	IN_FRAME("show language",                                                                  \
	    "~\"The current language is \\\"auto; currently rust\\\".\\n\"\n^done")
#define IS_NO_MEMBER	   NO_SYMBOL("ptype (*this)"), LANGUAGE, NO_SYMBOL("ptype (*this)")
#define POINTS(expression) IN_FRAME("set $rr_watched1 = &(" expression ")", "^done")
#define WATCHED(name)	   EXTENT(name), IS_NO_MEMBER, POINTS(name)
#define ADDRESS(expression, value)                                                                 \
	{                                                                                          \
		"-data-evaluate-expression --thread 1 --frame 0 \"(void *) &(" expression ")\"",   \
		    "^done,value=\"" value "\""                                                    \
	}
#define HARDWARE "bkpt={number=\"3\",type=\"hw watchpoint\",enabled=\"y\"}"

static json_t *set(const struct breakpoint_set_args *args, struct failure *failure)
{
	return tool_breakpoint_set(peer.worker.replay, args, failure);
}

static void expect_number(const json_t *result, int number)
{
	ck_assert_int_eq(json_integer_value(json_object_get(result, "number")), number);
}

START_TEST(all_that_was_asked_for_reaches_gdb)
{
	const struct breakpoint_set_args args = {
	    .location = "f", .condition = "n > 1", .temporary = true, .ignore_count = 2};
	struct failure failure = {0};
	json_t *result;

	session_begin(
	    SCRIPT(NOWHERE("f"), {"-break-insert -t -i 2 -c \"n > 1\" -- \"f\"", MADE(3)}));
	result = set(&args, &failure);
	expect_number(result, 1);
	ck_assert_int_eq(replay->breakpoints->entries[0].gdb, 3);
	json_decref(result);
	session_end();
}
END_TEST

/* By the base of the thread's storage, because gdb's numbers of threads do not last. */
START_TEST(a_breakpoint_for_one_thread_is_a_condition)
{
	const struct breakpoint_set_args args = {
	    .location = "f", .condition = "n > 1", .thread = "7"};
	struct failure failure = {0};

	session_begin(SCRIPT(
	    {"-thread-info", "^done,threads=[{id=\"1\",target-id=\"Thread 7.7\"}]"},
	    {"-data-evaluate-expression --thread 1 --frame 0 $fs_base", "^done,value=\"4096\""},
	    NOWHERE("f"), {"-break-insert -c \"$fs_base == 4096 && (n > 1)\" -- \"f\"", MADE(3)}));
	json_decref(set(&args, &failure));
	ck_assert_str_eq(failure.message, "");
	session_end();
}
END_TEST

/* It would never stop. */
START_TEST(a_thread_without_storage_of_its_own_is_refused)
{
	const struct breakpoint_set_args args = {.location = "f", .thread = "7"};
	struct failure failure = {0};

	session_begin(
	    SCRIPT({"-thread-info", "^done,threads=[{id=\"1\",target-id=\"Thread 7.7\"}]"},
		{"-data-evaluate-expression --thread 1 --frame 0 $fs_base", "^done,value=\"0\""}));
	ck_assert_ptr_null(set(&args, &failure));
	ck_assert_ptr_nonnull(strstr(failure.message, "thread 7 has just begun"));
	ck_assert_uint_eq(replay->breakpoints->count, 0);
	session_end();
}
END_TEST

START_TEST(a_location_that_is_nowhere_is_an_error_and_is_not_kept)
{
	static const char *const said[] = {"^error,msg=\"No line 900 in file \\\"x.c\\\".\"",
	    "^error,msg=\"No compiled code for line 900 in file \\\"x.c\\\".\""};
	const struct breakpoint_set_args args = {.location = "x.c:900", .condition = "n > 1"};

	for (int i = 0; i < 2; i++) {
		struct failure failure = {0};

		session_begin(SCRIPT(
		    NOWHERE("x.c:900"), {"-break-insert -c \"n > 1\" -- \"x.c:900\"", said[i]}));
		ck_assert_ptr_null(set(&args, &failure));
		ck_assert_int_eq(failure.code, ERROR_INVALID_ARGUMENT);
		ck_assert_str_eq(failure.hint, "rr_source_lines shows the lines of the file");
		ck_assert_uint_eq(replay->breakpoints->count, 0);
		session_end();
	}
}
END_TEST

START_TEST(an_address_where_nothing_is_mapped_is_refused_and_taken_away)
{
	const struct breakpoint_set_args args = {.location = "*0x4010"};
	struct failure failure = {0};

	session_begin(SCRIPT({"-break-insert -- \"*0x4010\"", MADE(3)},
	    {"-data-read-memory-bytes 0x4010 1", "^error,msg=\"Unable to read memory.\""},
	    {"-break-delete 3", "^done"}));
	ck_assert_ptr_null(set(&args, &failure));
	ck_assert_str_eq(failure.message, "nothing is mapped at 0x4010 at this moment");
	ck_assert_uint_eq(replay->breakpoints->count, 0);
	session_end();
}
END_TEST

START_TEST(a_watchpoint_knows_its_address)
{
	const struct watchpoint_set_args args = {
	    .expression = "x", .access_type = WATCH_READ, .location = true};
	struct failure failure = {0};
	json_t *result;

	session_begin(
	    SCRIPT(WATCHED("x"), WATCHES("rwatch (*$rr_watched1)"), ADDRESS("x", "0x601040 <x>"),
		IS_NO_MEMBER, IN_FRAME("whatis &(x)", "~\"type = int *\\n\"\n^done")));
	result = tool_watchpoint_set(peer.worker.replay, &args, &failure);
	expect_number(result, 1);
	ck_assert_str_eq(json_string_value(json_object_get(result, "address")), "0x601040");
	ck_assert_str_eq(replay->breakpoints->entries[0].absolute, "*(int *) 0x601040");
	json_decref(result);
	session_end();
}
END_TEST

/* Sets a watchpoint as the last step of the script. */
static void expect_unsupported(const struct watchpoint_set_args *args)
{
	struct failure failure = {0};

	ck_assert_ptr_null(tool_watchpoint_set(peer.worker.replay, args, &failure));
	ck_assert_int_eq(failure.code, ERROR_UNSUPPORTED);
	ck_assert_uint_eq(replay->breakpoints->count, 0);
	session_end();
}

/* rr would single-step, which takes hours. */
START_TEST(a_fifth_watchpoint_is_refused_and_taken_away)
{
	const struct watchpoint_set_args args = {.expression = "x", .location = true};

	session_begin(SCRIPT(WATCHED("x"),
	    {"-interpreter-exec --thread 1 --frame 0 console \"watch (*$rr_watched1)\"",
		"=breakpoint-created,bkpt={number=\"3\",type=\"hw watchpoint\"}\n^done"},
	    {"-break-list", "^done,BreakpointTable={body=[" HARDWARE "," HARDWARE "," HARDWARE
			    "," HARDWARE "," HARDWARE "]}"},
	    {"-break-delete 3", "^done"}));
	expect_unsupported(&args);
}
END_TEST

/* gdb would single-step, which takes hours. */
START_TEST(what_the_hardware_cannot_watch_is_refused_and_taken_away)
{
	const struct watchpoint_set_args args = {.expression = "large", .location = true};

	session_begin(SCRIPT(WATCHED("large"),
	    {"-interpreter-exec --thread 1 --frame 0 console \"watch (*$rr_watched1)\"",
		"=breakpoint-created,bkpt={number=\"3\",type=\"watchpoint\"}\n^done"},
	    {"-break-delete 3", "^done"}));
	expect_unsupported(&args);
}
END_TEST

START_TEST(they_are_out_of_the_way_until_all_who_asked_are_back)
{
	const struct breakpoint_set_args args = {.location = "f"};
	struct failure failure = {0};

	session_begin(
	    SCRIPT({"-break-insert -- \"f\"", MADE(3)}, {"-break-insert -- \"f\"", MADE(4)},
		{"-break-disable 3 4", "^done"}, {"-break-enable 3 4", "^done"}));
	json_decref(set(&args, &failure));
	json_decref(set(&args, &failure));
	breakpoints_suspend(replay);
	breakpoints_suspend(replay);
	breakpoints_resume(replay);
	breakpoints_resume(replay);
	session_end();
}
END_TEST

START_TEST(one_that_keeps_the_program_from_running_is_named_as_the_client_knows_it)
{
	const struct breakpoint_set_args args = {.location = "f"};
	struct failure failure = {0};

	session_begin(SCRIPT({"-break-insert -- \"f\"", MADE(3)}));
	json_decref(set(&args, &failure));
	failure_set(&failure, ERROR_RR_FAILED, NULL, "Cannot insert breakpoint 3.");
	breakpoints_explain(replay, &failure);
	ck_assert_ptr_nonnull(strstr(failure.message, "breakpoint 1 prevents the program"));
	session_end();
}
END_TEST

START_TEST(another_image_gets_them_again_and_hits_go_on_counting)
{
	const struct breakpoint_set_args args = {.location = "f"};
	struct failure failure = {0};
	const struct breakpoint *kept;

	session_begin(SCRIPT({"-break-insert -- \"f\"", MADE(3)},
	    {"-break-list", "^done,BreakpointTable={body=[bkpt={number=\"3\",times=\"2\"}]}"},
	    {"-break-delete", "^done"}, {"-break-insert -f -- \"f\"", MADE(9)}));
	json_decref(set(&args, &failure));
	breakpoints_leave(replay);
	breakpoints_enter(replay);
	kept = &replay->breakpoints->entries[0];
	ck_assert_int_eq(kept->gdb, 9);
	ck_assert_int_eq(breakpoint_hits(kept, NULL), 2);
	session_end();
}
END_TEST

static json_t *saved(void)
{
	return json_pack("[{s:i,s:s,s:s,s:s,s:i},{s:i,s:s,s:s,s:s,s:b,s:s,s:s,s:i}]", "number", 4,
	    "kind", "breakpoint", "what", "f", "condition", "n", "ignore_count", 2, "number", 7,
	    "kind", "watchpoint", "what", "x", "access", "write", "by_location", 1, "resolved",
	    "0x10", "absolute", "*(int *) 0x10", "image", 0);
}

START_TEST(in_another_worker_they_keep_their_numbers)
{
	json_t *state = saved(), *again;

	session_begin(SCRIPT(NOWHERE("f"), {"-break-insert -i 2 -c \"n\" -- \"f\"", MADE(2)},
	    ADDRESS("x", "0x20"), EXTENT("*(int *) 0x10"), POINTS("*(int *) 0x10"),
	    WATCHES("watch (*$rr_watched1)")));
	breakpoints_restore(replay, state);
	again = breakpoints_save(replay);
	ck_assert(json_equal(state, again));
	ck_assert_int_eq(replay->breakpoints->next, 8);
	json_decref(state);
	json_decref(again);
	session_end();
}
END_TEST

START_TEST(what_cannot_be_set_again_is_a_warning)
{
	json_auto_t *state = saved();

	json_array_remove(state, 1);
	session_begin(SCRIPT(NOWHERE("f"),
	    {"-break-insert -i 2 -c \"n\" -- \"f\"", "^error,msg=\"No symbol \\\"n\\\".\""}));
	breakpoints_restore(replay, state);
	ck_assert_uint_eq(replay->breakpoints->count, 0);
	ck_assert_str_eq(json_string_value(json_array_get(replay->warnings, 0)),
	    "breakpoint 4 could not be set again: No symbol \"n\".");
	session_end();
}
END_TEST

START_TEST(a_state_that_names_no_breakpoint_is_passed_over)
{
	json_auto_t *state = json_pack("[{s:i},{s:i,s:s}]", "number", 1, "number", 2, "what", "f");

	session_begin(SCRIPT({0}));
	breakpoints_restore(replay, state);
	ck_assert_uint_eq(replay->breakpoints->count, 0);
	session_end();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {all_that_was_asked_for_reaches_gdb,
	    a_breakpoint_for_one_thread_is_a_condition,
	    a_thread_without_storage_of_its_own_is_refused,
	    a_location_that_is_nowhere_is_an_error_and_is_not_kept,
	    an_address_where_nothing_is_mapped_is_refused_and_taken_away,
	    a_watchpoint_knows_its_address, a_fifth_watchpoint_is_refused_and_taken_away,
	    what_the_hardware_cannot_watch_is_refused_and_taken_away,
	    they_are_out_of_the_way_until_all_who_asked_are_back,
	    one_that_keeps_the_program_from_running_is_named_as_the_client_knows_it,
	    another_image_gets_them_again_and_hits_go_on_counting,
	    in_another_worker_they_keep_their_numbers, what_cannot_be_set_again_is_a_warning,
	    a_state_that_names_no_breakpoint_is_passed_over, NULL};

	return run_tests("breakpoints", tests, NULL, NULL);
}
