/*
 * Values from gdb, and the answer if gdb does not give one.
 */
#include "session.h"
#include "tests/runner.h"
#include "worker/serve/handlers.h"
#include "worker/read/values/values.h"
#include "worker/session/taught.h"

/* The deletion follows the creation at once, and nobody waits for its answer. */
#define CREATED(expression, answer)                                                                \
	{"-var-create --thread 1 --frame 0 v * \"" expression "\"", answer},                       \
	{                                                                                          \
		"-var-delete v", ""                                                                \
	}
#define EVALUATED(expression, answer)                                                              \
	{                                                                                          \
		"-data-evaluate-expression --thread 1 --frame 0 \"" expression "\"", answer        \
	}

/* What gdb refuses in the frame's language, it refuses once more, if that is none near to C++. */
#define LANGUAGE                                                                                   \
	{                                                                                          \
		"-interpreter-exec --thread 1 --frame 0 console \"show language\"",                \
		    "~\"The current language is \\\"auto; currently rust\\\".\\n\"\n^done"         \
	}
#define CREATED_NOT(expression, error)                                                             \
	CREATED(expression, error), LANGUAGE, CREATED(expression, error)
#define EVALUATED_NOT(expression, error)                                                           \
	EVALUATED(expression, error), LANGUAGE, EVALUATED(expression, error)

static char *value, *type, why[256];

static int read_value(const char *expression)
{
	why[0] = '\0';
	return values_read(replay, expression, &value, &type, why, sizeof(why));
}

static void end(void)
{
	free(value);
	free(type);
	session_end();
}

START_TEST(a_scalar_takes_one_exchange)
{
	session_begin(SCRIPT(CREATED("n", "^done,value=\"5\",type=\"int\"")));
	ck_assert_int_eq(read_value("n"), 0);
	ck_assert_str_eq(value, "5");
	ck_assert_str_eq(type, "int");
	end();
}
END_TEST

START_TEST(the_members_of_a_struct_are_read_by_themselves)
{
	session_begin(SCRIPT(CREATED("s", "^done,value=\"{...}\",type=\"struct s\""),
	    EVALUATED("s", "^done,value=\"{a = 1, b = 2}\"")));
	ck_assert_int_eq(read_value("s"), 0);
	ck_assert_str_eq(value, "{a = 1, b = 2}");
	ck_assert_str_eq(type, "struct s");
	end();
}
END_TEST

START_TEST(of_what_is_too_large_the_beginning_is_shown_and_called_that)
{
	session_begin(SCRIPT(CREATED("a", "^done,value=\"[100000]\",type=\"char [100000]\""),
	    EVALUATED("a", "^error,msg=\"value requires 100000 bytes, which is more than "
			   "max-value-size\""),
	    EVALUATED("(a)[0]@200", "^done,value=\"{1, 2...}\"")));
	ck_assert_int_eq(read_value("a"), 0);
	ck_assert_str_eq(value, "{1, 2...} (only the beginning, because it is large)");
	end();
}
END_TEST

START_TEST(gdbs_reason_is_that_of_the_evaluation)
{
	session_begin(
	    SCRIPT(CREATED_NOT("m", "^error,msg=\"-var-create: unable to create variable object\""),
		EVALUATED_NOT("m", "^error,msg=\"No symbol \\\"m\\\" in current context.\"")));
	ck_assert_int_eq(read_value("m"), -1);
	ck_assert_str_eq(why, "No symbol \"m\" in current context.");
	end();
}
END_TEST

START_TEST(what_c_refuses_is_read_as_cxx)
{
	session_begin(SCRIPT(CREATED("v.size()", "^error,msg=\"-var-create: unable\""),
	    {"-interpreter-exec --thread 1 --frame 0 console \"show language\"",
		"~\"The current language is \\\"auto; currently c\\\".\\n\"\n^done"},
	    {"-var-create --thread 1 --frame 0 --language c++ v * \"v.size()\"",
		"^done,value=\"2\",type=\"unsigned long\""},
	    {"-var-delete v", ""}));
	ck_assert_int_eq(read_value("v.size()"), 0);
	ck_assert_str_eq(value, "2");
	ck_assert_str_eq(type, "unsigned long");
	end();
}
END_TEST

/* Rust has no "unsigned long". */
START_TEST(our_own_numbers_are_c_in_a_frame_of_another_language)
{
	unsigned long long number = 0;

	session_begin(SCRIPT(CREATED_NOT("(unsigned long)$pc", "^error,msg=\"-var-create: no\""),
	    EVALUATED_NOT("(unsigned long)$pc", "^error,msg=\"No symbol 'unsigned'\""), LANGUAGE,
	    {"-data-evaluate-expression --thread 1 --frame 0 --language c \"(unsigned long)$pc\"",
		"^done,value=\"4198\""}));
	ck_assert(values_number(replay, "(unsigned long)$pc", &number, why, sizeof(why)));
	ck_assert_uint_eq(number, 4198);
	end();
}
END_TEST

/* gdb goes on behind a printer that fails, without a word in the value. */
static const struct {
	const char *plain, *printed, *shown;
} printings[] = {
    {"{_M_len = 2}", "\\\"ab\\\"", "\"ab\""},
    {"{_M_ptr = <optimized out>, _M_count = {_M_pi = <optimized out>}}", "", "<optimized out>"},
    {"{_M_ptr = 0x10, _M_pi = <optimized out>}", "", "{_M_ptr = 0x10, _M_pi = <optimized out>}"},
    {"{a = 1, next = {_M_pi = <optimized out>}}", "{a = 1, next = }",
	"{a = 1, next = {_M_pi = <optimized out>}}"},
    {"{_M_next = {_M_pi = 0x0}, a = 1}", "{next = , a = 1}", "{_M_next = {_M_pi = 0x0}, a = 1}"},
    {"{_M_text = 0x10}", "{\\\" = ,\\\\\\\" = }\\\"}", "{\" = ,\\\" = }\"}"},
};

static void show_printed(size_t row)
{
	char plain[300], printed[300];

	snprintf(plain, sizeof(plain), "^done,value=\"%s\"", printings[row].plain);
	snprintf(printed, sizeof(printed), "^done,value=\"%s\"", printings[row].printed);
	session_begin(SCRIPT(CREATED("s", "^done,value=\"{...}\",type=\"S\""),
	    EVALUATED("s", plain), {"-interpreter-exec console \"enable pretty-printer\"", "^done"},
	    EVALUATED("s", printed),
	    {"-interpreter-exec console \"disable pretty-printer *", "^done"}));
	replay_taught(replay)->printers_loaded = true;
	ck_assert_int_eq(values_show(replay, "s", &value, &type, why, sizeof(why)), 0);
	ck_assert_str_eq(value, printings[row].shown);
	end();
}

START_TEST(a_value_whose_printer_fails_is_shown_by_its_members)
{
	for (size_t i = 0; i < sizeof(printings) / sizeof(*printings); i++)
		show_printed(i);
}
END_TEST

START_TEST(an_expression_of_two_lines_never_reaches_gdb)
{
	session_begin(SCRIPT({0}));
	ck_assert_int_eq(read_value("1\n-exec-run"), -1);
	ck_assert_ptr_nonnull(strstr(why, "control characters"));
	end();
}
END_TEST

/* Registers are read in the innermost frame, whatever the frames are: nothing asks for them. */
START_TEST(unreadable_memory_says_what_to_ask_next)
{
	const struct evaluate_args args = {
	    .expression = "*$p", .frame = -1, .max_elements = VALUE_ELEMENTS_DEFAULT};
	struct failure failure = {0};

	session_begin(SCRIPT(CREATED("*$p", "^done,value=\"\",type=\"int\""),
	    EVALUATED("*$p", "^error,msg=\"Cannot access memory at address 0x10\"")));
	ck_assert_ptr_null(tool_evaluate(peer.worker.replay, &args, &failure));
	ck_assert_int_eq(failure.code, ERROR_INVALID_ARGUMENT);
	ck_assert_str_eq(failure.message, "Cannot access memory at address 0x10");
	ck_assert_ptr_nonnull(strstr(failure.hint, "rr_last_change"));
	end();
}
END_TEST

START_TEST(one_of_several_that_fails_leaves_the_others)
{
	json_t *expressions = json_pack("[ss]", "m", "$n"), *result, *results;
	const struct evaluate_args args = {
	    .expressions = expressions, .frame = -1, .max_elements = VALUE_ELEMENTS_DEFAULT};
	struct failure failure = {0};

	session_begin(SCRIPT(CREATED_NOT("m", "^error,msg=\"unable\""),
	    EVALUATED_NOT("m", "^error,msg=\"No symbol \\\"m\\\".\""),
	    CREATED("$n", "^done,value=\"5\",type=\"int\"")));
	result = tool_evaluate(peer.worker.replay, &args, &failure);
	results = json_object_get(result, "results");
	ck_assert_str_eq(json_string_value(json_object_get(json_array_get(results, 0), "error")),
	    "No symbol \"m\".");
	ck_assert_str_eq(
	    json_string_value(json_object_get(json_array_get(results, 1), "value")), "5");
	json_decref(result);
	json_decref(expressions);
	end();
}
END_TEST

START_TEST(calls_are_refused_before_gdb_is_asked)
{
	const struct evaluate_args args = {.expression = "f()", .allow_calls = true};
	struct failure failure = {0};

	session_begin(SCRIPT({0}));
	ck_assert_ptr_null(tool_evaluate(peer.worker.replay, &args, &failure));
	ck_assert_int_eq(failure.code, ERROR_NOT_ALLOWED);
	end();
}
END_TEST

#define VARIABLES                                                                                  \
	"^done,variables=[{name=\"n\",arg=\"1\",type=\"int\",value=\"5\"},"                        \
	"{name=\"s\",type=\"struct s\"}]"

START_TEST(the_variables_of_a_frame_come_with_their_members)
{
	json_t *list;

	session_begin(SCRIPT(
	    {"-stack-list-variables --thread 1 --frame 2 --simple-values", VARIABLES},
	    {"-data-evaluate-expression --thread 1 --frame 2 \"s\"", "^done,value=\"{a = 1}\""}));
	list = values_list(replay, 1, 2, true, VALUES_BUDGET, NULL);
	ck_assert_uint_eq(json_array_size(list), 2);
	ck_assert_str_eq(
	    json_string_value(json_object_get(json_array_get(list, 1), "value")), "{a = 1}");
	json_decref(list);
	end();
}
END_TEST

START_TEST(variables_that_do_not_fit_are_counted)
{
	size_t left_out;
	json_t *list;

	session_begin(
	    SCRIPT({"-stack-list-variables --thread 1 --frame 2 --simple-values", VARIABLES}));
	list = values_list(replay, 1, 2, true, 10, &left_out);
	ck_assert_uint_eq(json_array_size(list), 0);
	ck_assert_uint_eq(left_out, 2);
	json_decref(list);
	end();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_scalar_takes_one_exchange,
	    the_members_of_a_struct_are_read_by_themselves,
	    of_what_is_too_large_the_beginning_is_shown_and_called_that,
	    gdbs_reason_is_that_of_the_evaluation, what_c_refuses_is_read_as_cxx,
	    our_own_numbers_are_c_in_a_frame_of_another_language,
	    a_value_whose_printer_fails_is_shown_by_its_members,
	    an_expression_of_two_lines_never_reaches_gdb, unreadable_memory_says_what_to_ask_next,
	    one_of_several_that_fails_leaves_the_others, calls_are_refused_before_gdb_is_asked,
	    the_variables_of_a_frame_come_with_their_members, variables_that_do_not_fit_are_counted,
	    NULL};

	return run_tests("values", tests, NULL, NULL);
}
