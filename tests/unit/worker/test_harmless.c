/*
 * A client's text for gdb reaches no tool of a session if it names anything outside of the recorded
 * program, or is more than one expression or one location, whichever tool and argument it is.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "tests/runner.h"
#include "worker/serve/handlers.h"
#include "worker/serve/arguments/harmless.h"
#include "worker/serve/arguments/phrase.h"

/* Each argument of each tool that a session's worker answers. */
struct row {
	unsigned operation;
	const char *tool, *argument;
	bool of_session, several, text;
};

#define IS_SESSION	    true
#define IS_EITHER	    true
#define IS_OPEN		    false
#define IS_RECORD	    false
#define IS_QUERY	    false
#define IS_COMPARE	    true
#define IS_HERE		    false
#define SEVERAL_STRING	    false
#define SEVERAL_EXPRESSION  false
#define SEVERAL_EXPRESSIONS true
#define SEVERAL_LOCATION    false
#define SEVERAL_INTEGER	    false
#define SEVERAL_NUMBER	    false
#define SEVERAL_FLAG	    false
#define SEVERAL_CHOICE	    false
#define SEVERAL_TEXTS	    true
#define SEVERAL_TEXT_MAP    false
#define SEVERAL_OBJECTS	    false
#define TEXT_STRING	    true
#define TEXT_EXPRESSION	    true
#define TEXT_EXPRESSIONS    true
#define TEXT_LOCATION	    true
#define TEXT_INTEGER	    false
#define TEXT_NUMBER	    false
#define TEXT_FLAG	    false
#define TEXT_CHOICE	    false
#define TEXT_TEXTS	    true
#define TEXT_TEXT_MAP	    false
#define TEXT_OBJECTS	    false

/* A row for the tool itself, and one for each of its arguments. */
static const struct row rows[] = {
#define TOOL(NAME, name, handler, operation, deadline, effect, title, description)                 \
	{operation, #name, NULL, IS_##handler, false, false},
#define ARG(type, name, required, absent, min, max, choices, help)                                 \
	{0, NULL, #name, false, SEVERAL_##type, TEXT_##type},
#include "sandbox/wire/tools.def"
};

static bool refuses(const char *text)
{
	struct failure failure = {0};

	return !harmless_text(text, &failure) && failure.code == ERROR_NOT_ALLOWED &&
	       strlen(failure.message) > 0;
}

START_TEST(what_reaches_outside_is_refused)
{
	static const char *const texts[] = {"$_shell(\"id\")", "1 + $_shell (\"id\")",
	    "$_gdb_setting(\"args\")", "$_gdb_setting_str(\"args\")", "$_gdb_maint_setting(\"x\")",
	    "p if $_shell(\"id\")", "$_shell", "$_siginfo._sifields", "$_something_of_next_year",
	    "$_streq(a, b) && $_shell(\"id\")"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		ck_assert_msg(refuses(texts[i]), "%s", texts[i]);
}
END_TEST

START_TEST(what_only_computes_is_let_through)
{
	static const char *const texts[] = {"counter", "$rip", "$_", "$__", "$_12", "$1",
	    "$_streq(name, \"root\")", "$_strlen(text) > 4", "_shell(1)", "price_$",
	    "$_thread == 2", ""};
	struct failure failure = {0};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		ck_assert_msg(harmless_text(texts[i], &failure), "%s", texts[i]);
}
END_TEST

START_TEST(an_expression_with_something_beside_it_is_refused)
{
	static const char *const texts[] = {"counter if 0", "counter  if(0)", "counter) if (0",
	    "a) + (b", "counter]", "f(x", "a[1}", "counter thread 1", "counter t 1",
	    "counter task 2", "counter mask 0xff", "counter inferior 1", "counter thr  1.2",
	    "/x counter", "  /c x", "\"open", "'", "\"a\\\"", "f(\")\""};
	struct failure failure;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		failure = (struct failure){0};
		ck_assert_msg(
		    !phrase_is_expression("expression", texts[i], &failure), "%s", texts[i]);
		ck_assert_int_eq(failure.code, ERROR_INVALID_ARGUMENT);
		ck_assert_msg(strstr(failure.message, "expression"), "%s", failure.message);
	}
}
END_TEST

START_TEST(an_expression_is_let_through)
{
	static const char *const texts[] = {"counter", "-1", "--counter", "-exec", "*0 -exec",
	    "node->next[2].name", "f(\"if )\", ')')", "'a.c'::counter", "'\\''", "thread",
	    "thread + 1", "task[1]", "(struct thread *) p", "struct task", "a, b", "x ? y : z",
	    "t1 / 2", "iffy", "unsigned char", "std::map<int, int>", "operator()", "diff if_ == 1",
	    "$_thread == 1", "{int} 0x1234", "table[0]@4", "2 / x"};
	struct failure failure = {0};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		ck_assert_msg(phrase_is_expression("expression", texts[i], &failure), "%s: %s",
		    texts[i], failure.message);
}
END_TEST

/* gdb would evaluate the ones with $: its own variables are no memory of the program. */
START_TEST(an_expression_that_changes_something_is_refused)
{
	static const char *const texts[] = {"a = 3", "a=3", "$x = 3", "$rax=1", "a += 1", "a -= 1",
	    "a <<= 1", "a >>= 1", "a |= 1", "a++", "++a", "a--", "--a", "$n++", "b == 1 && a = 2",
	    "b == 1 || (a = 2)", "f(\"x\", a = 1)", "x ? a = 1 : 2", "a ==b=c"};
	static const char *const ok[] = {"a == 3", "a==3", "a != 3", "a <= 3", "a >= 3", "a << 3",
	    "a >> 3", "a <=> b", "a - -b", "a + +b", "\"a = b++\"", "'='", "c == '='",
	    "x::operator=", "operator++", "operator<<=", "x::operator== (a, b)", "a->b", "-1",
	    "v<v<int>>==x", "\"open = "};
	struct failure failure;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		failure = (struct failure){0};
		ck_assert_msg(!phrase_only_reads("predicate", texts[i], &failure), "%s", texts[i]);
		ck_assert_int_eq(failure.code, ERROR_NOT_ALLOWED);
		ck_assert_ptr_nonnull(strstr(failure.message, "predicate"));
		ck_assert_str_ne(failure.hint, "");
	}
	for (size_t i = 0; i < sizeof(ok) / sizeof(*ok); i++)
		ck_assert_msg(phrase_only_reads("predicate", ok[i], &failure), "%s", ok[i]);
}
END_TEST

/* With calls into the program it runs in a copy, where it may change. */
START_TEST(only_a_call_that_may_run_the_program_may_change_something)
{
	json_auto_t *given = json_pack("{s:s}", "expression", "a = 3");
	struct failure failure = {0};

	ck_assert(!harmless_arguments("evaluate", given, &failure));
	ck_assert_int_eq(failure.code, ERROR_NOT_ALLOWED);
	json_object_set_new(given, "allow_calls", json_true());
	ck_assert(harmless_arguments("evaluate", given, &failure));
}
END_TEST

START_TEST(a_location_is_no_option)
{
	static const char *const refused[] = {"-exec x", "-h", "--", "  -t", "-probe x",
	    "-force-condition", "*0) if (1", "*main thread 1"};
	static const char *const ok[] = {"main", "a-b.c:12", "*0x1234", "*0 -exec", "operator-",
	    "list::operator()(int)", "if.c:1", "f<'a'>"};
	struct failure failure = {0};

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		ck_assert_msg(
		    !phrase_is_location("location", refused[i], &failure), "%s", refused[i]);
	for (size_t i = 0; i < sizeof(ok) / sizeof(*ok); i++)
		ck_assert_msg(phrase_is_location("location", ok[i], &failure), "%s", ok[i]);
}
END_TEST

/* Calls `try` for each argument of each tool that a session's worker answers. */
static size_t for_each_argument(void (*try)(const struct row *tool, const struct row *argument))
{
	const struct row *tool = NULL;
	size_t tried = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].tool)
			tool = &rows[i];
		if (rows[i].tool || !tool || !tool->of_session ||
		    strcmp(tool->tool, "gdb_command") == 0)
			continue;
		try(tool, &rows[i]);
		tried++;
	}
	return tried;
}

/* rr_evaluate checks the texts of a longer list one by one: test_values shows that none gets in. */
static bool is_checked_later(const struct row *tool, const struct row *row)
{
	return strcmp(tool->tool, "evaluate") == 0 && strcmp(row->argument, "expressions") == 0;
}

/* There is no worker, so a tool that got the text would crash. */
static void expect_refused(
    const struct row *tool, const struct row *row, const char *text, enum error_code code)
{
	struct failure failure = {0};
	json_auto_t *given = !row->several ? json_pack("{s:s}", row->argument, text)
			     : is_checked_later(tool, row)
				 ? json_pack("{s:[s]}", row->argument, text)
				 : json_pack("{s:[s, s]}", row->argument, "1", text);

	ck_assert_ptr_null(op_find(tool->operation)->handle(NULL, given, &failure));
	ck_assert_msg(failure.code == code, "%s of %s, %s: %s", row->argument, tool->tool, text,
	    failure.message);
}

static void expect_shell_refused(const struct row *tool, const struct row *row)
{
	expect_refused(tool, row, "$_shell(\"id\")", ERROR_NOT_ALLOWED);
}

START_TEST(no_argument_of_any_session_tool_lets_it_in)
{
	ck_assert_uint_gt(for_each_argument(expect_shell_refused), 20);
}
END_TEST

/* The arguments with text that gdb does not read as an expression or a location. */
static bool is_name(const char *argument)
{
	static const char *const names[] = {"thread", "thread_id", "function", "register_names",
	    "at", "from", "to", "moment", "file", "trace_dir", "text", "hex", "mapping", "pattern",
	    "alloc", "free", "filter", "pass", "skip", "stop", "name", "note", "title", "narrative",
	    "good", "bad", "core", "program", "sysroot"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], argument) == 0)
			return true;
	return false;
}

static void expect_more_refused(const struct row *tool, const struct row *row)
{
	if (!row->text)
		return;
	switch (harmless_kind(tool->tool, row->argument)) {
	case HARMLESS_EXPRESSION:
		expect_refused(tool, row, "counter if 0", ERROR_INVALID_ARGUMENT);
		break;
	case HARMLESS_LOCATION:
		expect_refused(tool, row, "-exec x", ERROR_INVALID_ARGUMENT);
		break;
	case HARMLESS_NAME:
		ck_assert_msg(is_name(row->argument),
		    "what is %s of %s? see ARG in sandbox/wire/tools.def", row->argument,
		    tool->tool);
		break;
	}
}

/* A new text has a type of its own in tools.def, or is in the list above. */
START_TEST(every_expression_and_location_is_checked)
{
	ck_assert_uint_gt(for_each_argument(expect_more_refused), 20);
}
END_TEST

START_TEST(an_expression_within_an_object_is_checked)
{
	json_auto_t *given = json_pack("{s:[{s:s,s:s,s:s}]}", "claims", "moment", "start",
	    "expression", "counter if 0", "value", "0 if (");
	struct failure failure = {0};

	ck_assert(!harmless_arguments("verify_claims", given, &failure));
	ck_assert_int_eq(failure.code, ERROR_INVALID_ARGUMENT);
	json_object_set_new(
	    json_array_get(json_object_get(given, "claims"), 0), "expression", json_string("1"));
	ck_assert(harmless_arguments("verify_claims", given, &failure));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    what_reaches_outside_is_refused,
	    what_only_computes_is_let_through,
	    an_expression_with_something_beside_it_is_refused,
	    an_expression_is_let_through,
	    an_expression_that_changes_something_is_refused,
	    only_a_call_that_may_run_the_program_may_change_something,
	    a_location_is_no_option,
	    no_argument_of_any_session_tool_lets_it_in,
	    every_expression_and_location_is_checked,
	    an_expression_within_an_object_is_checked,
	    NULL,
	};

	return run_tests("harmless", tests, NULL, NULL);
}
