/*
 * Bugs whose cause is known: the tool that the guide names for each finds its function and line in
 * one call, in C and C++, at -O0 and -O2. test_heap has those of the heap, test_origins the value
 * that travels through structures, realloc, memcpy and a pipe, test_reports and test_races the
 * rest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/hang.h"
#include "tests/e2e/scene.h"

#define ATTEMPTS 300

/* One question about one recording, and what its answer must name. */
struct known {
	const char *program; /* also built as PROGRAM_O2 */
	const char *source;
	const char *at; /* a location to ask at; NULL: the start */
	int passes;	/* how often it is passed until then */
	const char *tool, *args;
	const char *path; /* where the answer names the place; NULL: in its conclusion */
	const char *function, *mark;
	const char *says; /* in the conclusion */
};

static const struct known rows[] = {
    {"unset", "unset.c", "use", 2, "rr_origin_of", "{\"expression\": \"*price\"}", NULL, "scratch",
	"/* left behind */", "*price is uninitialized: the call of price_of that began at"},
    {"unset_cc", "unset_cc.cc", "shop::use", 2, "rr_origin_of",
	"{\"expression\": \"*(long *) &price\"}", NULL, "shop::scratch", NULL,
	"is uninitialized: the call of shop::price_of that began at"},
    {"overflow", "overflow.c", "report", 1, "rr_when_became",
	"{\"predicate\": \"clock->seconds < 0\"}", NULL, "pass_year", "/* overflows */",
	"became true for the first time"},
    {"overflow_cc", "overflow_cc.cc", "calendar::Clock::report", 1, "rr_when_became",
	"{\"predicate\": \"seconds_ < 0\"}", NULL, "calendar::Clock::pass_year",
	"seconds_ = static_cast<int>(", "became true for the first time"},
    {"left_over", "left_over.c", "report", 2, "rr_when_became",
	"{\"predicate\": \"account->balance < 0\"}", NULL, "settle", "/* below zero */",
	"became true for the first time"},
    {"swallowed", "swallowed.c", NULL, 0, "rr_trace_calls",
	"{\"location\": \"parse_number\", \"returns\": true}", "hits.2.caller", "read_all",
	"/* not looked at */", "4 times through parse_number"},
    {"swallowed_cc", "swallowed_cc.cc", NULL, 0, "rr_trace_calls",
	"{\"location\": \"__cxa_begin_catch\"}", "hits.0.caller", "input::read_all",
	"/* swallowed here */", "1 time through __cxa_begin_catch"},
    {"printed", "printed.c", NULL, 0, "rr_who_printed", "{\"text\": \"total: 42\"}", NULL,
	"format_total", "/* made here */", "with printf made the text"},
    {"printed_stream", "printed_stream.cc", NULL, 0, "rr_who_printed",
	"{\"text\": \"told: value=42\"}", NULL, "tell", "// printed here", "printed it"},
    {"lost_update", "lost_update.c", NULL, 0, "rr_race_scan",
	"{\"expression\": \"account.balance\"}", "overtaken.other_write.frame", "store",
	"account.balance = value;", "one thread wrote it between another one's read and write"},
    {"lost_update_cc", "lost_update_cc.cc", NULL, 0, "rr_race_scan",
	"{\"expression\": \"bank::account.balance_\"}", "overtaken.other_write.frame",
	"bank::Account::store", "/* written here */",
	"one thread wrote it between another one's read and write"},
};

/* The text names the function and the line with the mark. */
static void expect_place(
    const char *text, const char *source, const char *function, const char *mark)
{
	char line[100];

	ck_assert_msg(strstr(text, function) != NULL, "no %s in: %s", function, text);
	if (!mark)
		return;
	snprintf(line, sizeof(line), "tests/programs/%s:%lld", source, harness_line(source, mark));
	ck_assert_msg(strstr(text, line) != NULL, "no %s in: %s", line, text);
}

/* The program's name as it is built: even tests at -O0, odd ones at -O2. */
static void name_build(char name[64], const char *program, int test)
{
	snprintf(name, 64, "%s%s", program, test % 2 ? "_O2" : "");
}

START_TEST(one_call_names_the_function_and_the_line)
{
	const struct known *row = &rows[_i / 2];
	char name[64];

	name_build(name, row->program, _i);
	struct place place = place_replay(name);
	for (int i = 0; i < row->passes; i++)
		client_tool_done(place.client, "rr_continue", "{s:s}", "until", row->at);
	long long id = client_tool_send(place.client, row->tool, json_loads(row->args, 0, NULL));
	json_auto_t *answer = client_tool_result(place.client, id, HARNESS_TIMEOUT_S);
	cleanup_free char *shown =
	    answer_show(answer_at(answer, row->path ? row->path : "conclusion"));
	expect_within(answer, "conclusion", row->says);
	expect_place(shown, row->source, row->function, row->mark);
	place_close(&place);
}
END_TEST

/* The same bug in C and in C++. */
static const struct bug {
	const char *program, *source, *function;
} smashed[] = {{"smashed", "smashed.c", "copy_name"},
    {"smashed_cc", "smashed_cc.cc", "party::Guest::write_to"}},
  tools[] = {{"grandchild", "grandchild.c", "measure"},
      {"grandchild_cc", "grandchild_cc.cc", "tool::total"}},
  rings[] = {
      {"deadlock_ring", "deadlock_ring.c", "dine"}, {"dined_cc", "dined_cc.cc", "table::dine"}};

static void expect_bug(const char *text, const struct bug *bug, const char *mark)
{
	expect_place(text, bug->source, bug->function, mark);
}

static char *program_built(const char *program, int test)
{
	char name[64];

	name_build(name, program, test);
	return harness_program(name);
}

/* Records with these arguments of rr_record, which it takes, and reports the crash. */
static json_t *report_of(const struct place *place, json_t *arguments)
{
	json_object_set_new(arguments, "trace_dir", json_string(place->trace));
	long long id = client_tool_send(place->client, "rr_record", arguments);

	json_decref(client_tool_result(place->client, id, HARNESS_TIMEOUT_S));
	return client_tool(place->client, "rr_crash_report", "{s:s}", "trace_dir", place->trace);
}

START_TEST(who_overwrote_a_return_address_is_told_with_the_crash)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = program_built(smashed[_i / 2].program, _i);
	char slot[64];

	json_auto_t *report = report_of(&place, json_pack("{s:[s]}", "command", program));
	expect_within(report, "conclusion", "a return to 0x");
	expect_within(report, "conclusion", "its return address was overwritten");
	snprintf(
	    slot, sizeof(slot), "*(long *) %s", answer_text(report, "fault.return_address_at"));
	expect_bug(
	    answer_text(report, "overflow.conclusion"), &smashed[_i / 2], "/* beyond the array */");
	json_auto_t *change =
	    client_tool(place.client, "rr_last_change", "{s:s}", "expression", slot);
	expect_bug(answer_text(change, "conclusion"), &smashed[_i / 2], "/* beyond the array */");
}
END_TEST

START_TEST(a_crash_behind_a_shell_and_a_build_tool_is_found_by_one_report)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = program_built(tools[_i / 2].program, _i);
	cleanup_free char *makefile = NULL, *file = NULL;

	file = harness_path(place.folder, "Makefile");
	if (asprintf(&makefile, "all:\n\t@echo building\n\t@\"%s\"; echo done\n", program) < 0)
		harness_fail("out of memory");
	harness_write_file(file, makefile);
	json_auto_t *report = report_of(&place, json_pack("{s:[s, s, s, s]}", "command", "sh", "-c",
						    "make -C \"$0\"; true", place.folder));
	expect_within(report, "conclusion", "SIGSEGV in ");
	expect_bug(answer_text(report, "conclusion"), &tools[_i / 2], "/* crashes */");
}
END_TEST

START_TEST(a_ring_of_three_locks_is_found_by_one_report)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = program_built(rings[_i / 2].program, _i);

	hang_record(place.client, place.trace, json_pack("[s]", program), 4);
	json_auto_t *report =
	    client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace);
	expect_within(report, "conclusion", "deadlock: ");
	cleanup_free char *threads = answer_show(answer_at(report, "threads"));
	expect_bug(threads, &rings[_i / 2], "/* the first fork */");
	expect_bug(threads, &rings[_i / 2], "/* the second fork */");
}
END_TEST

static const struct {
	const char *program, *source, *variable, *reader, *writer;
} hasty[] = {{"hasty", "hasty.c", "job.count", "add_up", "prepare"},
    {"hasty_cc", "hasty_cc.cc", "work::job.count", "work::Job::add_up", "work::Job::prepare"}};

/* Records in chaos mode until the output has that text. */
static void record_until(
    struct place *place, const char *program, const char *text, const char *trace)
{
	cleanup_free char *path = harness_program(program);
	long long id = client_tool_send(place->client, "rr_record_until",
	    json_pack("{s:[s], s:i, s:s, s:b, s:s}", "command", path, "attempts", ATTEMPTS,
		"fail_when", text, "chaos", 1, "trace_dir", trace));

	expect_all(client_tool_result(place->client, id, HARNESS_TIMEOUT_S), TRUE("failed"));
}

START_TEST(a_test_that_fails_in_some_schedules_only_is_told_by_the_race_and_by_the_parting)
{
	struct place place = place_open();
	char name[64];

	name_build(name, hasty[_i / 2].program, _i);
	cleanup_free char *good = harness_path(place.folder, "good");
	record_until(&place, name, "output:sum 24", good);
	record_until(&place, name, "output:sum 0", place.trace);
	json_auto_t *parting = client_tool(
	    place.client, "rr_compare_runs", "{s:s, s:s}", "good", good, "bad", place.trace);
	expect_within(parting, "conclusion", "the runs part after ");
	expect_place(answer_text(parting, "conclusion"), hasty[_i / 2].source, hasty[_i / 2].reader,
	    "/* left out */");
	free(client_replay(place.client, place.trace));
	json_auto_t *race = client_tool(
	    place.client, "rr_race_scan", "{s:s}", "expression", hasty[_i / 2].variable);
	const char *told = answer_text(race, "conclusion");
	expect_text(race, "verdict", "race");
	expect_place(told, hasty[_i / 2].source, hasty[_i / 2].reader, "/* read too early */");
	expect_place(told, hasty[_i / 2].source, hasty[_i / 2].writer, "/* said too late */");
	place_close(&place);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {one_call_names_the_function_and_the_line, 2 * TIMES(rows)},
	    {who_overwrote_a_return_address_is_told_with_the_crash, 2 * TIMES(smashed)},
	    {a_crash_behind_a_shell_and_a_build_tool_is_found_by_one_report, 2 * TIMES(tools)},
	    {a_ring_of_three_locks_is_found_by_one_report, 2 * TIMES(rings)},
	    {a_test_that_fails_in_some_schedules_only_is_told_by_the_race_and_by_the_parting,
		2 * TIMES(hasty)},
	    {NULL, 0},
	};

	return scene_main_loops("known", tests, (const char *const[]){NULL});
}
