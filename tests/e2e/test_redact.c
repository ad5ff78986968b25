/*
 * --redact: no message of the server has a secret of the program in any of its parts, whatever was
 * asked, and the answer says how many it masked.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define PROGRAM "secrets"

static const char *const flags[] = {"--redact=secrets", "--redact=alice", NULL};
static const struct client_options redacting = {.args = flags};

/* Parts of each secret of the program, also as memory shows them. */
static const char *const parts[] = {"AKIAIOSF", "MIIEvQIB", "6VJ3+gkYT", "c2VjcmV0", "0123456789",
    "ABCDEFGHIJ", "correct-ho", "hunter2", "636f7272656374", "63 6f 72 72 65 63 74", "alice",
    "616c696365"};

static const char *part_in(const char *text)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(text, parts[i]) != NULL)
			return parts[i];
	return NULL;
}

/* What was asked of a session at the crash, and how many masks it has; each would have secrets. */
static const struct {
	const char *tool, *arguments;
	int count;
} questions[] = {
    {"rr_crash_report", "{}", 10},
    {"rr_output", "{}", 6},
    {"rr_evaluate", "{\"expressions\": [\"account\", \"key\", \"account.token\", \"database\"]}",
	7},
    {"rr_evaluate", "{\"expression\": \"account.password\"}", 1},
    {"rr_evaluate", "{\"expression\": \"$_as_string(1) + account.user\"}", 0},
    {"rr_expand", "{\"expression\": \"account\"}", 3},
    {"rr_read_memory", "{\"address\": \"database\", \"count\": 80}", 2},
    {"rr_read_memory", "{\"address\": \"database\", \"count\": 24, \"format\": \"plain\"}", 2},
    {"rr_who_printed", "{\"text\": \"orders\"}", 4},
    {"rr_when_became", "{\"predicate\": \"account.user[0] == 97\"}", 0},
};

static json_t *answer_to(struct client *client, const char *tool, const char *arguments)
{
	long long id = client_tool_send(client, tool, json_loads(arguments, 0, NULL));
	json_t *message = client_wait(client, id, HARNESS_TIMEOUT_S);

	ck_assert_ptr_nonnull(message);
	return message;
}

static struct scene at_crash(const struct client_options *options)
{
	struct scene scene = scene_open(PROGRAM, options);

	client_tool_done(scene.client, "rr_crash_report", NULL);
	return scene;
}

START_TEST(no_answer_has_a_secret)
{
	cleanup_scene struct scene scene = at_crash(&redacting);

	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
		json_auto_t *message =
		    answer_to(scene.client, questions[i].tool, questions[i].arguments);
		cleanup_free char *shown = json_dumps(message, 0);
		const json_t *count = answer_at(message, "result.structuredContent.redacted");
		ck_assert_msg(part_in(shown) == NULL, "%s in %.2000s", part_in(shown), shown);
		ck_assert_msg(json_integer_value(count) == questions[i].count, "%.2000s", shown);
		if (questions[i].count > 0)
			expect_within(message, "result.content.0.text", "\nredacted: ");
	}
}
END_TEST

/* So that the test above can fail. */
START_TEST(without_the_setting_answers_are_whole)
{
	cleanup_scene struct scene scene = at_crash(NULL);

	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
		json_auto_t *message =
		    answer_to(scene.client, questions[i].tool, questions[i].arguments);
		cleanup_free char *shown = json_dumps(message, 0);
		ck_assert_msg(
		    (part_in(shown) != NULL) == (questions[i].count > 0), "%.2000s", shown);
		ck_assert_ptr_null(answer_at(message, "result.structuredContent.redacted"));
	}
}
END_TEST

START_TEST(a_recording_s_output_has_none_either)
{
	static const char *const json_flags[] = {
	    "--redact=secrets", "--redact=alice", "--answers=json", NULL};
	cleanup_client struct client *client =
	    client_start(&(struct client_options){.args = json_flags});
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *trace = harness_path(folder, "trace"),
			  *program = harness_program(PROGRAM);
	json_auto_t *arguments = json_pack("{s:[s], s:s}", "command", program, "trace_dir", trace);
	cleanup_free char *text = json_dumps(arguments, 0);
	json_auto_t *message = answer_to(client, "rr_record", text);
	cleanup_free char *shown = json_dumps(message, 0);

	ck_assert_msg(part_in(shown) == NULL, "%s in %.2000s", part_in(shown), shown);
	expect_number(message, "result.structuredContent.redacted", 6);
	expect_within(message, "result.content.0.text", "\"redacted\":6");
}
END_TEST

START_TEST(an_error_has_none_either)
{
	cleanup_scene struct scene scene = at_crash(&redacting);
	json_auto_t *message = answer_to(scene.client, "rr_evaluate",
	    "{\"expression\": \"alice + ghp_0123456789abcdefghijABCDEFGHIJ\"}");
	cleanup_free char *shown = json_dumps(message, 0);

	expect_text(message, "result.structuredContent.code", "invalid_argument");
	ck_assert_msg(part_in(shown) == NULL, "%s in %.2000s", part_in(shown), shown);
}
END_TEST

START_TEST(a_report_has_none_either)
{
	cleanup_scene struct scene scene = at_crash(&redacting);
	json_auto_t *when = client_tool(scene.client, "rr_when", NULL);
	json_auto_t *report = client_tool(scene.client, "rr_report",
	    "{s:s, s:s, s:[{s:s, s:s, s:s}]}", "title", "The password of alice", "narrative",
	    "It printed Authorization: Bearer c2VjcmV0LXRva2VuLXZhbHVl", "claims", "moment",
	    answer_text(when, "moment"), "expression", "account", "value",
	    "{user = \"alice\", password = \"hunter2-and-more\"}");
	cleanup_free char *page = harness_file(answer_text(report, "file"));

	ck_assert_ptr_nonnull(page);
	ck_assert_msg(part_in(page) == NULL, "%s in %.2000s", part_in(page), page);
	ck_assert_ptr_nonnull(strstr(page, "[redacted: password]"));
	ck_assert_ptr_nonnull(strstr(page, "<p>Secrets that are masked (--redact): "));
}
END_TEST

START_TEST(the_status_names_the_patterns)
{
	cleanup_client struct client *client = client_start(&redacting);
	json_auto_t *status = client_tool(client, "rr_status", NULL);

	expect_text(status, "redact.0", "secrets");
	ck_assert_int_eq(answer_count(status, "redact"), 2);
}
END_TEST

START_TEST(the_doctor_says_what_is_masked)
{
	char command[4096];

	snprintf(command, sizeof(command),
	    "'%s' --redact=secrets --redact=alice doctor --no-record >doctor.out; "
	    "grep -q 'ok .*redact .*secrets of known forms are masked' doctor.out && "
	    "grep -q 'ok .*redact .*patterns that are masked .*: 1' doctor.out && rm doctor.out",
	    harness_server());
	cleanup_scratch char *folder = harness_scratch(0);
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(a_wrong_pattern_ends_with_a_usage_error)
{
	char command[4096];

	snprintf(command, sizeof(command),
	    "'%s' '--redact=a(b' </dev/null 2>&1 | "
	    "grep -qF '\"a(b\" is not secrets or a Perl-compatible regular expression: missing "
	    "closing parenthesis, at character 4'; "
	    "exit $?",
	    harness_server());
	ck_assert_int_eq(system(command), 0);
	snprintf(command, sizeof(command), "'%s' '--redact=a(b' </dev/null 2>/dev/null",
	    harness_server());
	ck_assert_int_eq(WEXITSTATUS(system(command)), 2);
}
END_TEST

int main(void)
{
	static const char *const programs[] = {PROGRAM, NULL};
	const struct looped tests[] = {{no_answer_has_a_secret, 1},
	    {without_the_setting_answers_are_whole, 1}, {a_recording_s_output_has_none_either, 1},
	    {an_error_has_none_either, 1}, {a_report_has_none_either, 1},
	    {the_status_names_the_patterns, 1}, {the_doctor_says_what_is_masked, 1},
	    {a_wrong_pattern_ends_with_a_usage_error, 1}, {NULL, 0}};

	return scene_main_loops("redact", tests, programs);
}
