/*
 * Questions that cannot be answered as they are asked: expressions that change something,
 * conditions that cannot be read, addresses of nothing, stretches upside down. Each gets an answer
 * that says what is wrong and what to do; never one that sounds like a fact of the recording. The
 * session stays where it was.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PROGRAM	  "histories"
#define OPTIMIZED "truths_O2"

/* A question, and words of its answer. */
struct question {
	const char *tool, *args;
	const char *code; /* of the error; NULL: it is an answer */
	const char *says[3];
};

static void expect_words(const struct question *question, const json_t *answer)
{
	cleanup_free char *text = answer_show(answer);

	for (size_t i = 0; i < 3 && question->says[i]; i++)
		ck_assert_msg(strstr(text, question->says[i]) != NULL, "%s %s: no \"%s\" in %s",
		    question->tool, question->args, question->says[i], text);
}

static void ask(struct scene *scene, const struct question *question)
{
	json_t *args = json_loads(question->args, 0, NULL);
	long long id = client_tool_send(scene->client, question->tool, args);

	ck_assert_msg(args != NULL, "%s", question->args);
	fprintf(stderr, "%s %s\n", question->tool, question->args);
	if (question->code) {
		json_auto_t *failed =
		    client_tool_failure(scene->client, id, question->code, HARNESS_TIMEOUT_S);
		expect_words(question, failed);
		ck_assert_msg(answer_at(failed, "hint") != NULL, "%s %s: no hint", question->tool,
		    question->args);
	} else {
		json_auto_t *answer = client_tool_result(scene->client, id, HARNESS_TIMEOUT_S);
		expect_words(question, answer);
	}
}

/* Each question in a session that stands in `place`, which stays there. */
static void ask_each(
    const char *program, const char *place, const struct question *questions, size_t count)
{
	cleanup_scene struct scene scene = scene_open_at(program, place);
	json_auto_t *here = client_tool(scene.client, "rr_when", NULL);

	for (size_t i = 0; i < count; i++) {
		ask(&scene, &questions[i]);
		expect_same(json_incref(here), client_tool(scene.client, "rr_when", NULL));
	}
	expect_all(client_tool(scene.client, "rr_backtrace", NULL), IS("frames.0.function", place),
	    FALSE("restored"));
}

#define ASK_EACH(program, place, questions)                                                        \
	ask_each(program, place, questions, sizeof(questions) / sizeof(*(questions)))

/* ---- Expressions that would change something ------------------------------------------------- */

/* Where an expression may stand; %s is the expression. A condition is evaluated only where the
 * program passes, and only as far as needed, so gdb alone would not notice the assignment. */
static const struct {
	const char *tool, *args;
} slots[] = {
    {"rr_when_became", "{\"predicate\": \"%s\"}"},
    {"rr_trace_calls", "{\"location\": \"add\", \"condition\": \"amount < 0 && (%s)\"}"},
    {"rr_trace_calls", "{\"location\": \"add\", \"evaluate\": [\"%s\"]}"},
    {"rr_trace_calls", "{\"location\": \"add\", \"group_by\": \"%s\"}"},
    {"rr_last_time", "{\"location\": \"add\", \"condition\": \"amount < 0 && (%s)\"}"},
    {"rr_last_time", "{\"location\": \"add\", \"evaluate\": [\"%s\"]}"},
    {"rr_last_change", "{\"expression\": \"%s\"}"},
    {"rr_last_change", "{\"expression\": \"phase\", \"evaluate\": [\"%s\"]}"},
    {"rr_value_history", "{\"expression\": \"%s\"}"},
    {"rr_origin_of", "{\"expression\": \"%s\"}"},
    {"rr_heap_history", "{\"pointer\": \"%s\"}"},
    {"rr_race_scan", "{\"expression\": \"%s\"}"},
    {"rr_find_memory", "{\"value\": \"%s\"}"},
    {"rr_find_memory", "{\"text\": \"a\", \"from\": \"%s\"}"},
    {"rr_expand", "{\"expression\": \"%s\"}"},
    {"rr_type", "{\"expression\": \"%s\"}"},
    {"rr_evaluate", "{\"expression\": \"%s\"}"},
    {"rr_breakpoint_update", "{\"breakpoint_number\": 1, \"condition\": \"1 || (%s)\"}"},
    {"rr_verify_claims",
	"{\"claims\": [{\"moment\": \"end\", \"expression\": \"%s\", \"value\": \"3\"}]}"},
    {"rr_report", "{\"title\": \"t\", \"claims\": "
		  "[{\"moment\": \"end\", \"expression\": \"%s\", \"value\": \"3\"}]}"},
};

/* gdb lets the ones with $ through: its own variables are no memory of the program. */
static const char *const changes[] = {"phase = 3", "phase++", "--phase", "phase <<= 1", "$x = 3",
    "$rax = 3", "$x++", "$rr_bound0 = 0"};

static void ask_to_change(struct scene *scene, const char *tool, const char *form)
{
	char args[300];
	const struct question question = {
	    tool, args, "not_allowed", {"changes the program or the session", "== "}};

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(args, sizeof(args), form, changes[i]);
#pragma GCC diagnostic pop
		ask(scene, &question);
	}
}

START_TEST(an_expression_that_changes_something_is_refused_everywhere)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "local_work");
	json_auto_t *here = client_tool(scene.client, "rr_when", NULL);

	for (size_t i = 0; i < sizeof(slots) / sizeof(*slots); i++)
		ask_to_change(&scene, slots[i].tool, slots[i].args);
	expect_same(json_incref(here), client_tool(scene.client, "rr_when", NULL));
	expect_value(scene.client, "phase", "3");
}
END_TEST

/* They compare, or are text. */
START_TEST(what_only_looks_like_a_change_is_answered)
{
	static const struct {
		const char *expression, *value;
	} reads[] = {{"phase == 3", "1"}, {"phase <= 3", "1"}, {"phase >= 4", "0"},
	    {"phase != 3", "0"}, {"1 << 2 == 4", "1"}, {"block->name[0] == '='", "0"},
	    {"- -phase", "3"}, {"$_streq(block->name, \"a=b++\")", "0"}};
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "local_work");

	for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++)
		expect_value(scene.client, reads[i].expression, reads[i].value);
}
END_TEST

static const struct question calls[] = {
    {"rr_when_became", "{\"predicate\": \"factorial(3) > 5\"}", "not_allowed", {"calls"}},
    {"rr_trace_calls", "{\"location\": \"add\", \"group_by\": \"half(2.0)\"}", "not_allowed",
	{"calls"}},
    {"rr_last_time", "{\"location\": \"add\", \"condition\": \"half(2.0) > 0\"}", "not_allowed",
	{"calls"}},
    {"rr_last_change", "{\"expression\": \"factorial(3)\"}", "not_allowed", {"call functions"}},
    {"rr_value_history", "{\"expression\": \"factorial(3)\"}", "not_allowed", {"call functions"}},
    {"rr_race_scan", "{\"expression\": \"factorial(3)\"}", "not_allowed", {"call functions"}},
    {"rr_origin_of", "{\"expression\": \"factorial(3)\"}", "invalid_argument", {"computed"}},
    {"rr_heap_history", "{\"pointer\": \"malloc(3)\"}", "not_allowed", {"call functions"}},
    {"rr_expand", "{\"expression\": \"factorial(3)\"}", "not_allowed", {"call functions"}},
    {"rr_find_memory", "{\"value\": \"factorial(3)\"}", "not_allowed", {"call functions"}},
    {"rr_trace_calls", "{\"location\": \"add\", \"evaluate\": [\"half(2.0)\"], \"limit\": 1}", NULL,
	{"<Cannot call functions"}},
    {"rr_last_change", "{\"expression\": \"phase\", \"evaluate\": [\"half(2.0)\"]}", NULL,
	{"<Cannot call functions"}},
    {"rr_verify_claims",
	"{\"claims\": [{\"moment\": \"end\", \"expression\": \"factorial(3)\", \"value\": \"6\"}]}",
	NULL, {"0 of 1 claim held", "not checked", "Cannot call functions"}},
};

START_TEST(a_call_of_the_program_is_refused)
{
	ASK_EACH(PROGRAM, "local_work", calls);
}
END_TEST

/* ---- What holds never, always, or cannot be read --------------------------------------------- */

static const struct question predicates[] = {
    {"rr_when_became", "{\"predicate\": \"phase > 100\"}", NULL, {"was never true"}},
    {"rr_when_became", "{\"predicate\": \"phase >= 0\"}", NULL,
	{"is true at", "where the search begins"}},
    {"rr_when_became", "{\"predicate\": \"0\"}", "invalid_argument", {"reads nothing"}},
    {"rr_when_became", "{\"predicate\": \"5 > 3\"}", "invalid_argument", {"reads nothing"}},
    {"rr_when_became", "{\"predicate\": \"*block\"}", "invalid_argument",
	{"*block is neither true nor false"}},
    {"rr_when_became", "{\"predicate\": \"block->name\"}", "invalid_argument",
	{"neither true nor false"}},
    {"rr_when_became", "{\"predicate\": \"half\"}", "invalid_argument", {"neither true nor false"}},
    {"rr_when_became", "{\"predicate\": \"*(int *) 0 == 1\"}", NULL,
	{"cannot be read", "Cannot access memory"}},
    /* gdb gives the watchpoint up where it divides by zero. */
    {"rr_when_became", "{\"predicate\": \"block->sum / phase > 3\"}", NULL,
	{"it became true between them"}},
    /* Once phase is 2, gdb watches more than the processor has room for. */
    {"rr_when_became",
	"{\"predicate\": \"phase >= 2 && flag >= 0 && block->sum > 0 && block->name[0] && "
	"from_pipe[0] >= 0\"}",
	NULL, {"it became true between them", "cannot be watched"}},
    {"rr_when_became", "{\"predicate\": \"phase >\"}", "invalid_argument", {"syntax error"}},
    {"rr_when_became", "{\"predicate\": \"phase == 3\", \"from\": \"start\", \"to\": \"start\"}",
	NULL, {"nothing else was searched"}},
};

START_TEST(a_predicate_that_can_mean_nothing_is_not_said_to_be_false)
{
	ASK_EACH(PROGRAM, "local_work", predicates);
}
END_TEST

static const struct question conditions[] = {
    {"rr_trace_calls", "{\"location\": \"add\", \"condition\": \"0\"}", NULL, {"nothing passed"}},
    {"rr_trace_calls", "{\"location\": \"add\", \"condition\": \"1\"}", NULL, {"10 times"}},
    {"rr_trace_calls", "{\"location\": \"add\", \"condition\": \"*(int *) 0 == 1\"}", NULL,
	{"at 10 passes it could not be read", "Cannot access memory"}},
    {"rr_trace_calls", "{\"location\": \"add\", \"condition\": \"block->sum / (amount - 3) > 0\"}",
	NULL, {"7 times", "at 1 pass it could not be read: Division by zero"}},
    {"rr_trace_calls", "{\"location\": \"add\", \"condition\": \"*block\"}", "invalid_argument",
	{"neither true nor false"}},
    {"rr_trace_calls", "{\"location\": \"add\", \"condition\": \"half\"}", "invalid_argument",
	{"neither true nor false"}},
    {"rr_trace_calls", "{\"location\": \"add\", \"group_by\": \"nosuch\"}", NULL, {"<No symbol"}},
    {"rr_trace_calls", "{\"location\": \"add\", \"condition\": \"amount == 3 if 1\"}",
	"invalid_argument", {"not one expression"}},
    {"rr_last_time", "{\"location\": \"add\", \"condition\": \"*(int *) 0 == 1\"}", "not_found",
	{"at 10 passes it could not be read"}},
    /* The last pass is one of those that cannot be read. */
    {"rr_last_time", "{\"location\": \"add\", \"condition\": \"block->sum / (amount - 10) >= 0\"}",
	NULL, {"amount=3", "at 1 pass it could not be read: Division by zero"}},
    {"rr_last_time", "{\"location\": \"add\", \"condition\": \"*block\"}", "invalid_argument",
	{"neither true nor false"}},
    {"rr_last_time", "{\"location\": \"add\", \"condition\": \"amount > 99\"}", "not_found",
	{"nothing passed"}},
};

START_TEST(a_condition_that_cannot_be_read_is_not_taken_for_false)
{
	ASK_EACH(PROGRAM, "local_work", conditions);
}
END_TEST

/* gdb stops there too. */
START_TEST(a_breakpoint_says_where_its_condition_could_not_be_read)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);

	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:s}", "location", "add",
	    "condition", "20 / (amount - 3) > 15");
	expect_all(client_tool(scene.client, "rr_continue", NULL), IS("frame.args", "amount=3"),
	    HAS("condition_unread", "Division by zero"));
	expect_all(client_tool(scene.client, "rr_continue", NULL), ABSENT("condition_unread"));
}
END_TEST

static const char *const builds[] = {"truths", OPTIMIZED};

/* gdb prints the enumerator INF, which is 0, and "<optimized out>". */
START_TEST(a_value_without_a_number_is_not_taken_for_true)
{
	cleanup_scene struct scene scene = scene_open(builds[_i], NULL);

	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	expect_all(client_tool(scene.client, "rr_when_became", "{s:s}", "predicate", "seen"),
	    HAS("conclusion", "became true for the first time"), HAS("frame.function", "log_at"));
	expect_all(client_tool(scene.client, "rr_trace_calls", "{s:s, s:s}", "location", "log_at",
		       "condition", "how"),
	    NUMBER("total", 2), HAS("hits.0.args", "how=NOTE"));
	if (strcmp(builds[_i], OPTIMIZED) == 0)
		expect_all(client_tool(scene.client, "rr_trace_calls", "{s:s, s:s}", "location",
			       "log_at", "condition", "loud"),
		    NUMBER("total", 0),
		    HAS("conclusion", "at 4 passes it could not be read: <optimized out>"));
	else
		expect_all(client_tool(scene.client, "rr_trace_calls", "{s:s, s:s}", "location",
			       "log_at", "condition", "loud"),
		    NUMBER("total", 1), HAS("hits.0.args", "how=ALARM"));
}
END_TEST

/* ---- Stretches ------------------------------------------------------------------------------- */

static const struct {
	const char *tool, *args;
} stretched[] = {
    {"rr_value_history", "\"expression\": \"phase\""},
    {"rr_trace_calls", "\"location\": \"add\""},
    {"rr_lines_executed", "\"location\": \"add\""},
    {"rr_race_scan", "\"expression\": \"phase\""},
    {"rr_when_became", "\"predicate\": \"phase == 3\""},
};

static const struct {
	const char *from, *to, *code, *says;
} stretches[] = {
    {"end", "start", "invalid_argument", "nothing to search"},
    {"110", "20", "invalid_argument", "nothing to search"},
    {"999999", "end", "invalid_argument", "there is no event 999999"},
    {"start", "999999", "invalid_argument", "there is no event 999999"},
    {"elsewhere", "end", "not_found", "no bookmark elsewhere"},
    {"1:x", "end", "invalid_argument", "moment must be"},
    /* Event 1 comes before the program's first instruction. */
    {"start", "start", NULL, "same moment"},
    {"start", "1", NULL, "same moment"},
};

START_TEST(a_stretch_in_which_nothing_can_be_is_no_proof)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "local_work");
	char args[200];

	for (size_t i = 0; i < sizeof(stretches) / sizeof(*stretches); i++) {
		struct question question = {
		    stretched[_i].tool, args, stretches[i].code, {stretches[i].says}};

		if (!question.code && strcmp(question.tool, "rr_when_became") == 0)
			question.says[0] = "nothing else was searched";
		snprintf(args, sizeof(args), "{%s, \"from\": \"%s\", \"to\": \"%s\"}",
		    stretched[_i].args, stretches[i].from, stretches[i].to);
		ask(&scene, &question);
	}
	expect_all(client_tool(scene.client, "rr_lines_executed", "{s:s, s:s, s:s}", "location",
		       "add", "from", "start", "to", "start"),
	    ABSENT("never"), PRESENT("not_seen"));
}
END_TEST

/* A stretch of one moment that has several instructions is not empty. */
START_TEST(a_stretch_within_one_moment_is_searched)
{
	cleanup_scene struct scene scene = scene_open_at("straight", "mark");
	json_auto_t *from = client_tool(scene.client, "rr_when", NULL);

	client_tool_done(scene.client, "rr_continue", "{s:i}", "count", 1);
	json_auto_t *passes = client_tool(scene.client, "rr_trace_calls", "{s:s, s:s, s:i}",
	    "location", "mark", "from", answer_text(from, "moment"), "limit", 3);
	expect_all(
	    client_tool(scene.client, "rr_trace_calls", "{s:s, s:s, s:s}", "location", "mark",
		"from", answer_text(from, "moment"), "to", answer_text(passes, "hits.2.moment")),
	    ABSENT("warning"), NUMBER("total", 3));
}
END_TEST

/* ---- Names, addresses, texts ----------------------------------------------------------------- */

static const struct question places[] = {
    {"rr_trace_calls", "{\"location\": \"*0x10\"}", "invalid_argument", {"nothing is mapped at"}},
    {"rr_last_time", "{\"location\": \"*0x10\"}", "invalid_argument", {"nothing is mapped at"}},
    {"rr_frame_story", "{\"location\": \"*0x10\"}", "invalid_argument", {"nothing is mapped at"}},
    {"rr_lines_executed", "{\"location\": \"*0x10\"}", "not_found", {"no source lines"}},
    {"rr_last_time", "{\"location\": \"no_such_place\"}", "invalid_argument", {"not defined"}},
    {"rr_last_time", "{\"location\": \"histories.c:9999\"}", "invalid_argument",
	{"line 9999 in file"}},
    {"rr_frame_story", "{\"location\": \"no_such_place\"}", "invalid_argument", {"not defined"}},
    {"rr_frame_story", "{\"location\": \"printf\"}", "not_found", {"build the program with -g"}},
    {"rr_frame_story", "{\"location\": \"add\", \"from\": \"end\"}", "invalid_argument",
	{"nothing to search"}},
    {"rr_frame_story", "{\"level\": 99}", "invalid_argument", {"that frame cannot be read"}},
    {"rr_lines_executed", "{\"location\": \"strlen\"}", "unsupported", {"is not loaded"}},
    {"rr_value_history", "{\"expression\": \"*(int *) 0\"}", NULL, {"nothing is mapped at 0x0"}},
    {"rr_value_history", "{\"expression\": \"phase\", \"length\": 8}", NULL,
	{"nothing is mapped at 0x3", "write & before"}},
    {"rr_race_scan", "{\"expression\": \"phase\", \"length\": 4}", NULL,
	{"nothing is mapped at 0x3", "write & before"}},
    {"rr_last_change", "{\"expression\": \"*(int *) 0\"}", "not_found", {"cannot be read"}},
    {"rr_last_change", "{\"expression\": \"phase\", \"frame\": 99}", "not_found", {"no frame 99"}},
    {"rr_last_change", "{\"expression\": \"$rax\"}", "invalid_argument", {"not in memory"}},
    {"rr_last_change", "{\"expression\": \"*(char (*)[40]) block\"}", "unsupported",
	{"40 bytes", "watch a part"}},
    {"rr_origin_of", "{\"expression\": \"phase + 1\"}", "invalid_argument", {"computed"}},
    {"rr_origin_of", "{\"expression\": \"block->name\"}", "invalid_argument", {"1 to 8 bytes"}},
    {"rr_race_scan", "{\"expression\": \"phase + 1\"}", "invalid_argument", {"not in memory"}},
    {"rr_expand", "{\"expression\": \"*(int *) 0\"}", "invalid_argument", {"Cannot access"}},
    {"rr_expand", "{\"expression\": \"nosuch\"}", "invalid_argument", {"No symbol"}},
    {"rr_find_memory", "{\"text\": \"a\", \"from\": \"0x20\", \"to\": \"0x10\"}",
	"invalid_argument", {"nothing to search", "0x20"}},
    {"rr_find_memory", "{\"text\": \"a\", \"from\": \"0x10\", \"to\": \"0x20\"}", "not_found",
	{"nothing readable is mapped"}},
    {"rr_find_memory", "{\"text\": \"a\", \"mapping\": \"nosuch\"}", "not_found",
	{"nothing readable is mapped"}},
    {"rr_find_memory", "{\"hex\": \"abc\"}", "invalid_argument", {"pairs of hexadecimal"}},
    {"rr_find_memory", "{\"text\": \"a\", \"hex\": \"61\"}", "invalid_argument", {"one of text"}},
    {"rr_find_memory", "{\"value\": \"nosuch\"}", "invalid_argument", {"No symbol"}},
    {"rr_find_memory", "{\"text\": \"in no memory, surely\"}", NULL, {"0 found"}},
    {"rr_type", "{\"type\": \"nosuch\"}", "invalid_argument", {"No symbol"}},
    {"rr_type", "{\"type\": \"struct nosuch\"}", "invalid_argument", {"No struct type"}},
    {"rr_symbols", "{\"pattern\": \"no_such_name\"}", "not_found", {"no name", "no_such_name"}},
    {"rr_symbols", "{\"pattern\": \"^local_work$\", \"kind\": \"type\"}", "not_found",
	{"no type", "other kinds of names were not searched"}},
    {"rr_symbols", "{\"pattern\": \"(\"}", "invalid_argument", {"Unmatched"}},
    {"rr_heap_history", "{\"pointer\": \"&phase\"}", NULL, {"no block"}},
    {"rr_heap_history", "{\"pointer\": \"block\", \"to\": \"elsewhere\"}", "not_found",
	{"no bookmark elsewhere"}},
    {"rr_heap_history", "{\"pointer\": \"block\", \"to\": \"999999\"}", "invalid_argument",
	{"there is no event 999999"}},
    {"rr_output", "{\"moment\": \"999999\"}", "invalid_argument", {"there is no event 999999"}},
    {"rr_output", "{\"moment\": \"elsewhere\"}", "not_found", {"no bookmark elsewhere"}},
    {"rr_who_printed", "{\"text\": \"fromrr\", \"stream\": \"stderr\"}", "not_found",
	{"was not printed to stderr", "printed to stdout"}},
    {"rr_who_printed", "{\"text\": \"never printed\", \"stream\": \"stderr\"}", "not_found",
	{"is not in the"}},
    {"rr_who_printed", "{\"pattern\": \"[a\"}", "invalid_argument", {"Unmatched ["}},
    {"rr_bookmark", "{\"name\": \"x\", \"moment\": \"elsewhere\"}", "not_found",
	{"no bookmark elsewhere"}},
    {"rr_bookmark", "{\"name\": \"x\", \"moment\": \"999999\"}", "invalid_argument",
	{"there is no event 999999"}},
    {"rr_verify_claims",
	"{\"claims\": [{\"moment\": \"elsewhere\", \"expression\": \"1\", \"value\": \"1\"}]}",
	NULL, {"0 of 1 claim held", "no bookmark elsewhere"}},
    {"rr_verify_claims",
	"{\"claims\": [{\"moment\": \"999999\", \"expression\": \"1\", \"value\": \"1\"}]}", NULL,
	{"not checked", "there is no event 999999"}},
    {"rr_verify_claims",
	"{\"claims\": [{\"moment\": \"end\", \"expression\": \"nosuch\", \"value\": \"nosuch\"}]}",
	NULL, {"not checked", "No symbol"}},
    {"rr_breakpoint_update", "{\"breakpoint_number\": 99, \"enabled\": false}", "not_found",
	{"no breakpoint 99"}},
    {"rr_catch", "{\"kind\": \"signal\", \"filter\": \"SIGNOPE\"}", "invalid_argument",
	{"no signal SIGNOPE"}},
    {"rr_catch", "{\"kind\": \"rethrow\", \"filter\": \"int\"}", "invalid_argument",
	{"does not show its type"}},
};

START_TEST(what_is_nowhere_is_said_to_be_nowhere)
{
	ASK_EACH(PROGRAM, "local_work", places);
}
END_TEST

START_TEST(a_call_in_a_line_is_told_without_a_word_about_inlining)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	char location[40];

	snprintf(location, sizeof(location), "histories.c:%lld",
	    harness_line(PROGRAM, "block->sum += amount"));
	expect_all(client_tool(scene.client, "rr_frame_story", "{s:s}", "location", location),
	    HAS("conclusion", "add(amount=1)"), ABSENT("notes"));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {an_expression_that_changes_something_is_refused_everywhere, 1},
	    {what_only_looks_like_a_change_is_answered, 1},
	    {a_call_of_the_program_is_refused, 1},
	    {a_predicate_that_can_mean_nothing_is_not_said_to_be_false, 1},
	    {a_condition_that_cannot_be_read_is_not_taken_for_false, 1},
	    {a_breakpoint_says_where_its_condition_could_not_be_read, 1},
	    {a_value_without_a_number_is_not_taken_for_true, TIMES(builds)},
	    {a_stretch_in_which_nothing_can_be_is_no_proof, TIMES(stretched)},
	    {a_stretch_within_one_moment_is_searched, 1},
	    {what_is_nowhere_is_said_to_be_nowhere, 1},
	    {a_call_in_a_line_is_told_without_a_word_about_inlining, 1},
	    {NULL, 0},
	};
	const char *const programs[] = {PROGRAM, "truths", OPTIMIZED, "straight", NULL};

	return scene_main_loops("bad questions", tests, programs);
}
