/*
 * A client's text for gdb reaches no tool of a session if it names anything outside of the recorded
 * program, whichever tool and argument it is.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "tests/runner.h"
#include "worker/serve/handlers.h"
#include "worker/serve/harmless.h"

/* Each argument of each tool that a session's worker answers. */
struct row {
	unsigned operation;
	const char *tool, *argument;
	bool of_session, several;
};

#define IS_SESSION	 true
#define IS_EITHER	 true
#define IS_OPEN		 false
#define IS_RECORD	 false
#define IS_QUERY	 false
#define IS_HERE		 false
#define SEVERAL_STRING	 false
#define SEVERAL_INTEGER	 false
#define SEVERAL_NUMBER	 false
#define SEVERAL_FLAG	 false
#define SEVERAL_CHOICE	 false
#define SEVERAL_TEXTS	 true
#define SEVERAL_TEXT_MAP false
#define SEVERAL_OBJECTS	 false

/* A row for the tool itself, and one for each of its arguments. */
static const struct row rows[] = {
#define TOOL(NAME, name, handler, operation, deadline, effect, title, description)                 \
	{operation, #name, NULL, IS_##handler, false},
#define ARG(type, name, required, absent, min, max, choices, help)                                 \
	{0, NULL, #name, false, SEVERAL_##type},
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

/* There is no worker, so a tool that got the text would crash. */
START_TEST(no_argument_of_any_session_tool_lets_it_in)
{
	const struct row *tool = NULL;
	size_t tried = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];
		struct failure failure = {0};
		json_t *given;
		if (row->tool)
			tool = row;
		if (row->tool || !tool || !tool->of_session ||
		    strcmp(tool->tool, "gdb_command") == 0)
			continue;
		given = row->several
			    ? json_pack("{s:[s, s]}", row->argument, "1", "$_shell(\"id\")")
			    : json_pack("{s:s}", row->argument, "$_shell(\"id\")");
		ck_assert_ptr_null(op_find(tool->operation)->handle(NULL, given, &failure));
		ck_assert_msg(failure.code == ERROR_NOT_ALLOWED, "%s of %s: %s", row->argument,
		    tool->tool, failure.message);
		json_decref(given);
		tried++;
	}
	ck_assert_uint_gt(tried, 20);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    what_reaches_outside_is_refused,
	    what_only_computes_is_let_through,
	    no_argument_of_any_session_tool_lets_it_in,
	    NULL,
	};

	return run_tests("harmless", tests, NULL, NULL);
}
