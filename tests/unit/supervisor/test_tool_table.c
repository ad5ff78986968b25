/*
 * Checks the real tools against what every client accepts.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/resources.h"
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

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; at != NULL && (at = strcasestr(at, word)) != NULL; at++)
		if ((at == text || !is_letter(at[-1])) && !is_letter(at[length]))
			return true;
	return false;
}

/* How many of the query's words it has, as a host counts that searches for words. */
static int rank_of(const struct mcp_tool *tool, const char *query)
{
	char copy[128], *rest = copy;
	int rank = 0;

	snprintf(copy, sizeof(copy), "%s", query);
	for (const char *word; (word = strsep(&rest, " ")) != NULL;)
		rank += has_word(tool->name, word) || has_word(tool->title, word) ||
			has_word(tool->description, word) || has_word(tool->search_words, word);
	return rank;
}

static const struct {
	const char *query;
	enum tool tool;
} queries[] = {{"deadlock", TOOL_CRASH_REPORT}, {"hang", TOOL_CRASH_REPORT},
    {"segfault root cause", TOOL_CRASH_REPORT}, {"segfault", TOOL_CRASH_REPORT},
    {"time travel debugger", TOOL_RECORD}, {"reverse debugging", TOOL_RECORD},
    {"memory corruption", TOOL_LAST_CHANGE}, {"data race", TOOL_RACE_SCAN},
    {"flaky test", TOOL_RECORD_UNTIL}, {"use after free", TOOL_HEAP_HISTORY}};

START_TEST(words_of_a_symptom_find_the_tool)
{
	const struct mcp_tool *right = &tools_shown[queries[_i].tool];
	int rank = rank_of(right, queries[_i].query);

	for (size_t i = 0; i < TOOL_COUNT; i++)
		ck_assert_msg(
		    &tools_shown[i] == right || rank_of(&tools_shown[i], queries[_i].query) < rank,
		    "\"%s\" finds %s", queries[_i].query, tools_shown[i].name);
}
END_TEST

START_TEST(the_first_steps_are_there_without_a_search)
{
	for (int i = 0; i < TOOL_COUNT; i++)
		ck_assert_int_eq(
		    tools_shown[i].always_shown, i == TOOL_RECORD || i == TOOL_CRASH_REPORT ||
						     i == TOOL_ORIGIN_OF || i == TOOL_LAST_CHANGE);
}
END_TEST

/* One host shows 250 characters of the first line, and one cuts at 4096. */
START_TEST(the_instructions_begin_with_the_symptoms)
{
	static const char *const symptoms[] = {
	    "crash", "corruption", "race", "deadlock", "flaky", "wrong output"};
	char first[251];

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(resources_instructions, "\n"),
	    resources_instructions);
	for (size_t i = 0; i < sizeof(symptoms) / sizeof(symptoms[0]); i++)
		ck_assert_msg(has_word(first, symptoms[i]), "no %s in %s", symptoms[i], first);
	ck_assert_uint_lt(strlen(resources_instructions), 4096);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {every_tool_is_fit_for_every_client, 1},
	    {a_name_fits_behind_the_servers_name, 1},
	    {words_of_a_symptom_find_the_tool, TIMES(queries)},
	    {the_first_steps_are_there_without_a_search, 1},
	    {the_instructions_begin_with_the_symptoms, 1},
	    {NULL, 0},
	};

	return run_loops("tool table", tests, NULL, NULL);
}
