/*
 * Checks the real tools against what every client accepts.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/tools.h"
#include "tests/lint/lint.h"
#include "tests/runner.h"

static void tell(const char *finding)
{
	fprintf(stderr, "lint: %s\n", finding);
}

START_TEST(every_tool_is_fit_for_every_client)
{
	const struct mcp_handler handler = {
	    .name = "rr-warden", .version = "0", .tools = tools_shown, .tool_count = TOOL_COUNT};

	ck_assert_uint_eq(mcp_lint_tools(&handler, tell), 0);
}

/* Clients prefix the server's name, and cut at 60 characters. */
START_TEST(a_name_fits_behind_the_servers_name)
{
	for (size_t i = 0; i < TOOL_COUNT; i++)
		ck_assert_uint_le(strlen("mcp__rr-warden__") + strlen(tools_shown[i].name), 60);
}

int main(void)
{
	const TTest *const tests[] = {
	    every_tool_is_fit_for_every_client,
	    a_name_fits_behind_the_servers_name,
	    NULL,
	};

	return run_tests("tool table", tests, NULL, NULL);
}
