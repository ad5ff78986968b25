/*
 * The same eight questions about the same program in each language: a crash, locals, who changed a
 * value, where it comes from, the life of a block, calls with arguments, who printed a line, and a
 * condition on a text. What is true of the program is in tests/programs/languages/ledger.c.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define PARTS_MAX 6
#define REFUSED	  "left none of its lines"

enum question { CRASH, LOCALS, CHANGED, ORIGIN, HEAP, CALLS, PRINTED, CONDITION, QUESTIONS };

static const char *const questions[] = {"a crash", "locals", "who changed a value",
    "where a value comes from", "the life of a block", "calls with arguments", "who printed a line",
    "a condition on a text"};

struct language {
	const char *name, *compiler;
	const char *program, *source;
	const char *deposit, *report;  /* locations */
	const char *balance, *worst;   /* expressions in report */
	const char *book;	       /* the pointer to the ledger */
	const char *condition, *other; /* on texts, at deposit: at carol's call, and at dave's */
	const char *unknown;	       /* a member that does not exist */
	const char *crash[PARTS_MAX];  /* in the conclusion */
	const char *locals[PARTS_MAX]; /* of report */
	const char *carol;	       /* her arguments */
	const char *story;	       /* how a call of deposit ends; NULL: it returns */
	const char *open[QUESTIONS];   /* what stands in the way of an answer */
};

static const struct language languages[] = {
    {.name = "C",
	.compiler = "cc",
	.program = "ledger_c",
	.source = "languages/ledger.c",
	.deposit = "deposit",
	.report = "report",
	.balance = "ledger->balance",
	.worst = "ledger->worst",
	.book = "ledger",
	.condition = "name == \"carol\"",
	.other = "\"dave\" == name && amount > 100",
	.unknown = "ledger->nothing == 1",
	.crash = {"SIGSEGV in report", "write of 0x0"},
	.locals = {"\"last\",\"value\":\"0x0\""},
	.carol = "\"carol\", amount=270"},
    {.name = "C++",
	.compiler = "c++",
	.program = "ledger_cc",
	.source = "languages/ledger.cc",
	.deposit = "deposit",
	.report = "report",
	.balance = "book.balance",
	.worst = "book.worst",
	.book = "&book",
	.condition = "name == \"carol\" && place == \"Basel\"",
	.other = "name != \"alice\" && name.size() == 4",
	.unknown = "book.nothing == 1",
	.crash = {"uncaught exception std::out_of_range", "(which is 18446744073709551276)"},
	.locals = {"\"title\",\"value\":\"\\\"worst\\\"\"", "= {940, -340}"},
	.carol = "name=\"carol\", place=\"Basel\", amount=270"},
    {.name = "Rust",
	.compiler = "rustc",
	.program = "ledger_rs",
	.source = "languages/ledger.rs",
	.deposit = "ledger::deposit",
	.report = "ledger::report",
	.balance = "ledger.balance",
	.worst = "ledger.worst",
	.book = "ledger",
	.condition = "name == \"carol\" && place == \"Basel\"",
	.other = "place == \"Basel\" && name != \"carol\"",
	.unknown = "ledger.nothing == 1",
	.crash = {"panicked at", "the len is 4 but the index is 18446744073709551276"},
	.locals = {"\"title\",\"value\":\"\\\"worst\\\"\"", "= {940, -340}"},
	.carol = "name=\"carol\", place=\"Basel\", amount=270"},
    {.name = "Go",
	.compiler = "go",
	.program = "ledger_go",
	.source = "languages/ledger.go",
	.deposit = "main.deposit",
	.report = "main.report",
	.balance = "ledger.balance",
	.worst = "ledger.worst",
	.book = "ledger",
	.condition = "name == \"carol\"",
	.other = "name != \"alice\" && ledger.balance == 820",
	.unknown = "ledger.nothing == 1",
	.crash = {"panic: runtime error: index out of range [-340]"},
	.locals = {"\\\"worst\\\"", "{940, -340}"},
	.carol = "\"carol\", amount=270",
	.open = {[HEAP] = "Go's allocator"}},
    {.name = "Fortran",
	.compiler = "gfortran",
	.program = "ledger_f90",
	.source = "languages/ledger.f90",
	.deposit = "deposit",
	.report = "report",
	.balance = "book%balance",
	.worst = "book%worst",
	.book = "&book",
	.condition = "name == \"carol\" && amount == 270",
	.other = "name == 'dave '",
	.unknown = "book%nothing == 1",
	.crash = {"SIGSEGV in books::report", "write of 0x0"},
	.locals = {"\"title\",\"value\":\"'worst'\"", "(940, -340)"},
	.carol = "name='carol', amount=270"},
    {.name = "D",
	.compiler = "gdc",
	.program = "ledger_d",
	.source = "languages/ledger.d",
	.deposit = "ledger.deposit",
	.report = "ledger.report",
	.balance = "ledger.balance",
	.worst = "ledger.worst",
	.book = "ledger",
	.condition = "name == \"carol\"",
	.other = "name != \"alice\" && ledger.balance == 820",
	.unknown = "ledger.nothing == 1",
	.crash = {"core.exception.ArrayIndexError", "called by ledger.report (",
	    "is out of bounds for array of length 4"},
	.locals = {"\"title\",\"value\":\"\\\"worst\\\"\"", "940", "-340"},
	.carol = "name=\"carol\", amount=270",
	.open = {[HEAP] = "D's garbage collector"}},
    {.name = "Ada",
	.compiler = "gnatmake",
	.program = "ledger_adb",
	.source = "languages/ledger.adb",
	.deposit = "deposit",
	.report = "report",
	.balance = "book.balance",
	.worst = "book.worst",
	.book = "book",
	.condition = "Name == \"carol\" && Amount == 270",
	.other = "name != \"alice\" && Book.Balance == 820",
	.unknown = "Book.Nothing == 1",
	.crash = {"CONSTRAINT_ERROR : ledger.adb:32 index check failed"},
	.locals = {"\"title\",\"value\":\"\\\"worst\\\"\"", "940, -340"},
	.carol = "name=\"carol\", amount=270"},
};

/* The same in another build: what differs. */
static const struct build {
	const char *name, *of, *compiler, *program;
	const char *crash[PARTS_MAX], *locals[PARTS_MAX], *carol; /* none: as there */
	const char *story; /* how a pass through deposit ends, where it is inlined */
	const char *open[QUESTIONS];
} builds[] = {
    {.name = "C, -O2",
	.of = "C",
	.compiler = "cc",
	.program = "ledger_c_O2",
	.story = "ran to its end",
	.carol = "\"carol\"",
	.open = {[LOCALS] = "removed `last`"}},
    {.name = "C++, -O2",
	.of = "C++",
	.compiler = "c++",
	.program = "ledger_cc_O2",
	.story = REFUSED,
	.carol = "name=\"carol\"",
	.open = {[LOCALS] = "left no statement at that line",
	    [CONDITION] = "did not keep the arguments of the inlined function"}},
    {.name = "C++ with libc++",
	.of = "C++",
	.compiler = "clang++ with libc++",
	.program = "ledger_cc_libcxx",
	.crash = {"uncaught exception std::out_of_range: \"vector\""}},
    {.name = "C++ with libc++, -O2",
	.of = "C++",
	.compiler = "clang++ with libc++",
	.program = "ledger_cc_libcxx_O2",
	.story = "ran to its end",
	.carol = "place=\"Basel\", amount=270",
	.crash = {"uncaught exception std::out_of_range: \"vector\""},
	.open = {[LOCALS] = "has that line in several places",
	    [CONDITION] = "begins it with code of another inlined function"}},
    {.name = "Rust, -O2",
	.of = "Rust",
	.compiler = "rustc",
	.program = "ledger_rs_O2",
	.open = {[LOCALS] = "has that line in several places"}},
    {.name = "Go, optimized",
	.of = "Go",
	.compiler = "go",
	.program = "ledger_go_O2",
	.locals = {"\"seen\",\"value\":\"<optimized out>\""}},
    {.name = "Fortran, -O2", .of = "Fortran", .compiler = "gfortran", .program = "ledger_f90_O2"},
    {.name = "D, -O2",
	.of = "D",
	.compiler = "gdc",
	.program = "ledger_d_O2",
	.story = REFUSED,
	.carol = "<optimized out>",
	.open = {[LOCALS] = "removed the text",
	    [CONDITION] = "did not keep the arguments of the inlined function"}},
    {.name = "Ada, -O2",
	.of = "Ada",
	.compiler = "gnatmake",
	.program = "ledger_adb_O2",
	.open = {[LOCALS] = "removed them"}},
};

/* The rows whose toolchain is here. */
static struct language built[TIMES(languages) + TIMES(builds)];
static int built_count;

static const struct language *language_of(int row)
{
	return &built[row];
}

static bool is_built(const struct language *language)
{
	char path[512];
	const char *folder = getenv("PROGRAMS");

	snprintf(path, sizeof(path), "%s/%s", folder ? folder : "build/tests/programs",
	    language->program);
	return access(path, X_OK) == 0;
}

/* "ledger.c:16": the line of that mark, as answers name it. */
static const char *line_of(const struct language *language, const char *mark)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s:%lld", strrchr(language->source, '/') + 1,
	    harness_line(language->source, mark));
	return text;
}

static void expect_parts(const json_t *answer, const char *path, const char *const *parts)
{
	json_t *at = path ? answer_at(answer, path) : (json_t *)answer;
	char *text = json_is_string(at) ? strdup(json_string_value(at))
					: json_dumps(at, JSON_COMPACT | JSON_ENCODE_ANY);

	for (size_t i = 0; i < PARTS_MAX && parts[i]; i++)
		ck_assert_msg(
		    strstr(text, parts[i]) != NULL, "no \"%s\" in \"%s\"", parts[i], text);
	free(text);
}

#define PARTS(...) ((const char *const[PARTS_MAX]){__VA_ARGS__})

START_TEST(a_crash_report_has_the_message_the_own_line_and_its_locals)
{
	const struct language *language = language_of(_i);
	cleanup_client struct client *client = client_start(NULL);
	json_auto_t *report = client_tool(
	    client, "rr_crash_report", "{s:s}", "trace_dir", scene_trace(language->program));

	expect_parts(report, "conclusion", language->crash);
	expect_parts(report, "conclusion", PARTS(line_of(language, "crash")));
	expect_parts(report, "frames", PARTS(line_of(language, "crash")));
}
END_TEST

START_TEST(locals_are_shown_as_they_were_written)
{
	const struct language *language = language_of(_i);

	if (language->open[LOCALS])
		return;
	cleanup_scene struct scene scene = scene_open(language->program, NULL);

	scene_run_to(&scene, line_of(language, "crash"));
	json_auto_t *locals = client_tool(scene.client, "rr_locals", NULL);
	expect_parts(locals, "variables", language->locals);
}
END_TEST

START_TEST(the_last_change_is_found_with_both_values)
{
	const struct language *language = language_of(_i);
	cleanup_scene struct scene scene = scene_open_at(language->program, language->report);
	json_auto_t *change =
	    client_tool(scene.client, "rr_last_change", "{s:s}", "expression", language->balance);

	expect_parts(change, "conclusion", PARTS("deposit", line_of(language, "changed")));
	expect_text(change, "old", "820");
	expect_text(change, "new", "940");
}
END_TEST

START_TEST(the_origin_is_followed_to_the_computation)
{
	const struct language *language = language_of(_i);
	cleanup_scene struct scene scene = scene_open_at(language->program, language->report);
	json_auto_t *origin =
	    client_tool(scene.client, "rr_origin_of", "{s:s}", "expression", language->worst);

	expect_parts(origin, "conclusion", PARTS("= -340", line_of(language, "origin")));
}
END_TEST

/* The language's own allocator is named, and nothing is made up. */
static void expect_collector(const struct language *language, struct client *client)
{
	long long id = client_tool_send(
	    client, "rr_heap_history", json_pack("{s:s}", "pointer", language->book));
	json_auto_t *answer = client_wait(client, id, HARNESS_TIMEOUT_S);

	expect_parts(answer, NULL, PARTS(language->open[HEAP], "not followed"));
}

START_TEST(the_block_was_allocated_at_its_own_line)
{
	const struct language *language = language_of(_i);
	cleanup_scene struct scene scene = scene_open_at(language->program, language->report);

	if (language->open[HEAP]) {
		expect_collector(language, scene.client);
		return;
	}
	json_auto_t *history =
	    client_tool(scene.client, "rr_heap_history", "{s:s}", "pointer", language->book);

	expect_parts(history, "conclusion", PARTS("allocated by", line_of(language, "made")));
}
END_TEST

START_TEST(calls_are_listed_with_readable_arguments)
{
	const struct language *language = language_of(_i);

	if (language->open[CALLS])
		return;
	cleanup_scene struct scene scene = scene_open(language->program, NULL);
	json_auto_t *calls =
	    client_tool(scene.client, "rr_trace_calls", "{s:s}", "location", language->deposit);

	expect_number(calls, "total", 4);
	expect_parts(calls, "hits.2.args", PARTS(language->carol));
}
END_TEST

START_TEST(a_printed_line_leads_to_the_own_line_that_made_it)
{
	const struct language *language = language_of(_i);
	cleanup_scene struct scene scene = scene_open(language->program, NULL);
	json_auto_t *printed =
	    client_tool(scene.client, "rr_who_printed", "{s:s}", "pattern", "carol has");

	expect_parts(printed, "conclusion", PARTS("deposit", line_of(language, "printed")));
}
END_TEST

/* Both ways of evaluating it: while the program runs, and where it stands. */
static void expect_stop(struct client *client, const struct language *language,
    const char *condition, const char *arguments)
{
	json_auto_t *set = client_tool(client, "rr_breakpoint_set", "{s:s, s:s}", "location",
	    language->deposit, "condition", condition);
	json_auto_t *stop = client_tool(client, "rr_continue", NULL);

	expect_text(stop, "reason", "breakpoint");
	expect_within(stop, "frame.args", arguments);
	ck_assert_ptr_null(json_object_get(stop, "condition_unread"));
	json_decref(client_tool(client, "rr_breakpoint_remove", "{s:i}", "breakpoint_number",
	    (int)answer_number(set, "number")));
	expect_all(client_tool(client, "rr_trace_calls", "{s:s, s:s}", "location",
		       language->deposit, "condition", condition),
	    NUMBER("total", 1), ABSENT("condition_unread"));
}

START_TEST(a_condition_on_a_text_holds_where_the_text_is_that)
{
	const struct language *language = language_of(_i);

	if (language->open[CONDITION])
		return;
	cleanup_scene struct scene scene = scene_open(language->program, NULL);

	expect_stop(scene.client, language, language->condition, "carol");
	expect_stop(scene.client, language, language->other, "dave");
}
END_TEST

/* Libraries are loaded between the start and deposit: gdb reads each condition again then. */
START_TEST(a_condition_holds_when_it_comes_later)
{
	const struct language *language = language_of(_i);

	if (language->open[CONDITION])
		return;
	cleanup_scene struct scene scene = scene_open(language->program, NULL);
	json_auto_t *set =
	    client_tool(scene.client, "rr_breakpoint_set", "{s:s}", "location", language->deposit);

	json_decref(
	    client_tool(scene.client, "rr_breakpoint_update", "{s:I, s:s}", "breakpoint_number",
		(json_int_t)answer_number(set, "number"), "condition", language->condition));
	json_auto_t *stop = client_tool(scene.client, "rr_continue", NULL);
	expect_within(stop, "frame.args", "carol");
	ck_assert_ptr_null(json_object_get(stop, "condition_unread"));
}
END_TEST

START_TEST(a_condition_that_can_never_be_read_is_refused_at_once)
{
	const struct language *language = language_of(_i);
	cleanup_scene struct scene scene = scene_open(language->program, NULL);

	json_decref(client_tool_fails(scene.client, "rr_breakpoint_set", "invalid_argument",
	    "{s:s, s:s}", "location", language->deposit, "condition", language->unknown));
	json_decref(client_tool_fails(scene.client, "rr_trace_calls", "invalid_argument",
	    "{s:s, s:s}", "location", language->deposit, "condition", language->unknown));
}
END_TEST

/* Where an inlined function begins, gdb can stand in it and in the function around it. */
START_TEST(names_mean_the_same_after_any_question)
{
	const struct language *language = language_of(_i);
	cleanup_scene struct scene scene = scene_open_at(language->program, language->report);

	for (int asked = 0; asked < 2; asked++) {
		json_auto_t *value = client_tool(
		    scene.client, "rr_evaluate", "{s:s}", "expression", language->balance);
		expect_within(value, "value", "940");
		json_decref(client_tool(
		    scene.client, "rr_last_change", "{s:s}", "expression", language->balance));
	}
}
END_TEST

/* What another compiler left of optimized code decides whether there is an answer or a refusal: the
 * structure of either. */
static json_t *ask(struct client *client, const char *tool, const char *location)
{
	json_auto_t *answer = client_wait(client,
	    client_tool_send(client, tool, json_pack("{s:s}", "location", location)),
	    HARNESS_TIMEOUT_S);

	ck_assert_ptr_nonnull(answer);
	return json_incref(json_object_get(json_object_get(answer, "result"), "structuredContent"));
}

START_TEST(the_story_of_a_call_is_of_that_function)
{
	const struct language *language = language_of(_i);
	cleanup_scene struct scene scene = scene_open(language->program, NULL);

	if (language->story && strcmp(language->story, REFUSED) == 0) {
		json_auto_t *told = ask(scene.client, "rr_frame_story", language->deposit);
		const char *code = json_string_value(json_object_get(told, "code"));

		if (code)
			ck_assert_str_eq(code, "unsupported");
		else
			expect_parts(told, "conclusion", PARTS("deposit("));
		return;
	}
	json_auto_t *story =
	    client_tool(scene.client, "rr_frame_story", "{s:s}", "location", language->deposit);

	expect_parts(story, "conclusion", PARTS("deposit("));
	expect_parts(story, "conclusion", PARTS(language->story ? language->story : "returned"));
	expect_parts(story, "story", PARTS("changed"));
}
END_TEST

/* gdb slides to the next line that has code, and took code that was moved away for none. */
START_TEST(a_breakpoint_at_a_line_is_there_or_says_where_it_is)
{
	const struct language *language = language_of(_i);
	cleanup_scene struct scene scene = scene_open(language->program, NULL);
	json_auto_t *set = ask(scene.client, "rr_breakpoint_set", line_of(language, "crash"));
	const char *at = json_string_value(json_object_get(set, "at"));
	const char *message = json_string_value(json_object_get(set, "message"));

	/* So says gdb 16. */
	if (message)
		ck_assert_ptr_nonnull(strstr(message, "No compiled code for line"));
	ck_assert_msg(message || (at && strstr(at, line_of(language, "crash"))) ||
			  json_object_get(set, "warnings") || json_object_get(set, "warning"),
	    "it is at %s", at ? at : "no line");
}
END_TEST

START_TEST(a_stripped_program_names_its_code_by_its_place)
{
	cleanup_scene struct scene scene = scene_open("ledger_c_stripped", NULL);
	json_auto_t *stop = client_tool(scene.client, "rr_continue", NULL);
	json_auto_t *history = client_tool(scene.client, "rr_heap_history", "{s:s}", "pointer",
	    "*(unsigned long *)($rbp - 0x18)"); /* report's argument */

	expect_text(stop, "signal", "SIGSEGV");
	expect_parts(
	    history, "conclusion", PARTS("allocated by code without a name (ledger_c_stripped+0x"));
	expect_parts(
	    history, "events.0.callers", PARTS("code without a name (ledger_c_stripped+0x"));
}
END_TEST

/* make builds the programs whose compiler it finds. */
static void add_row(const struct language *language)
{
	if (!is_built(language)) {
		printf("skipped: the eight questions in %s: there is no %s (make deps "
		       "FOR=languages)\n",
		    language->name, language->compiler);
		return;
	}
	built[built_count++] = *language;
	for (int q = 0; q < QUESTIONS; q++)
		if (language->open[q])
			printf("skipped: %s in %s, which %s%s\n", questions[q], language->name,
			    q == HEAP ? "has " : "", language->open[q]);
}

static void add_build(const struct build *build)
{
	struct language row = {0};

	for (int i = 0; i < TIMES(languages); i++)
		if (strcmp(languages[i].name, build->of) == 0)
			row = languages[i];
	row.name = build->name;
	row.compiler = build->compiler;
	row.program = build->program;
	if (build->crash[0])
		memcpy(row.crash, build->crash, sizeof(row.crash));
	if (build->locals[0])
		memcpy(row.locals, build->locals, sizeof(row.locals));
	row.carol = build->carol ? build->carol : row.carol;
	row.story = build->story;
	for (int q = 0; q < QUESTIONS; q++)
		row.open[q] = build->open[q] ? build->open[q] : row.open[q];
	add_row(&row);
}

static void find_built(const char **programs)
{
	for (int i = 0; i < TIMES(languages); i++)
		add_row(&languages[i]);
	for (int i = 0; i < TIMES(builds); i++)
		add_build(&builds[i]);
	for (int i = 0; i < built_count; i++)
		programs[i] = built[i].program;
	programs[built_count] = "ledger_c_stripped";
}

int main(void)
{
	static const char *programs[TIMES(languages) + TIMES(builds) + 2];

	find_built(programs);
	const struct looped tests[] = {
	    {a_crash_report_has_the_message_the_own_line_and_its_locals, built_count},
	    {locals_are_shown_as_they_were_written, built_count},
	    {the_last_change_is_found_with_both_values, built_count},
	    {the_origin_is_followed_to_the_computation, built_count},
	    {the_block_was_allocated_at_its_own_line, built_count},
	    {calls_are_listed_with_readable_arguments, built_count},
	    {a_printed_line_leads_to_the_own_line_that_made_it, built_count},
	    {a_condition_on_a_text_holds_where_the_text_is_that, built_count},
	    {a_condition_holds_when_it_comes_later, built_count},
	    {a_condition_that_can_never_be_read_is_refused_at_once, built_count},
	    {names_mean_the_same_after_any_question, built_count},
	    {the_story_of_a_call_is_of_that_function, built_count},
	    {a_breakpoint_at_a_line_is_there_or_says_where_it_is, built_count},
	    {a_stripped_program_names_its_code_by_its_place, 1},
	    {NULL, 0},
	};
	return scene_main_loops("languages", tests, programs);
}
