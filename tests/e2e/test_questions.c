/*
 * A call that names no session while several are open: a host that can ask its user lets the user
 * choose, any other host gets the error with the sessions.
 */
#include <string.h>
#include "tests/e2e/scene.h"

#define PROGRAM "crash"

/* The result of a tool's call in revision 2026-07-28. `responses` is stolen, or NULL. */
static json_t *call(struct client *client, const char *capability, const char *tool,
    json_t *arguments, json_t *responses)
{
	json_t *params = json_pack("{s:s, s:o, s:{s:s, s:{s:{}}}}", "name", tool, "arguments",
	    arguments, "_meta", "io.modelcontextprotocol/protocolVersion", "2026-07-28",
	    "io.modelcontextprotocol/clientCapabilities", capability);
	if (responses)
		json_object_set_new(params, "inputResponses", responses);
	json_auto_t *answer =
	    client_wait(client, client_send(client, "tools/call", params), HARNESS_TIMEOUT_S);
	ck_assert_ptr_nonnull(answer);
	json_t *result = json_incref(json_object_get(answer, "result"));
	ck_assert_ptr_nonnull(result);
	return result;
}

/* Three sessions; the one that was used last is closed, so that two are left and neither is meant.
 */
static struct client *open_two(void)
{
	struct client *client = client_start(&(struct client_options){.raw = true});
	for (int i = 0; i < 3; i++)
		json_decref(call(client, "roots", "rr_replay_start",
		    json_pack("{s:s}", "trace_dir", scene_trace(PROGRAM)), NULL));
	expect_answer(
	    call(client, "roots", "rr_replay_stop", json_pack("{s:s}", "session", "s3"), NULL),
	    "resultType", "complete");
	return client;
}

START_TEST(the_user_chooses_the_session_and_the_call_goes_there)
{
	cleanup_client struct client *client = open_two();
	json_auto_t *question =
	    call(client, "elicitation", "rr_breakpoint_list", json_object(), NULL);
	expect_text(question, "resultType", "input_required");
	json_t *choices = answer_at(
	    question, "inputRequests.session.params.requestedSchema.properties.session.oneOf");
	ck_assert_uint_eq(json_array_size(choices), 2);
	expect_text(json_array_get(choices, 1), "const", "s2");
	ck_assert_ptr_nonnull(
	    strstr(answer_text(json_array_get(choices, 1), "title"), scene_trace(PROGRAM)));

	expect_answer(
	    call(client, "elicitation", "rr_breakpoint_set", json_pack("{s:s}", "location", "main"),
		json_pack("{s:{s:s, s:{s:s}}}", "session", "action", "accept", "content", "session",
		    "s2")),
	    "structuredContent.session", "s2");
}
END_TEST

START_TEST(a_host_that_cannot_ask_and_a_user_who_refuses_get_the_sessions)
{
	cleanup_client struct client *client = open_two();
	expect_all(call(client, "roots", "rr_breakpoint_list", json_object(), NULL),
	    IS("structuredContent.code", "ambiguous_session"),
	    IS("structuredContent.sessions.1.session", "s2"));
	expect_answer(call(client, "elicitation", "rr_breakpoint_list", json_object(),
			  json_pack("{s:{s:s}}", "session", "action", "decline")),
	    "structuredContent.code", "ambiguous_session");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {the_user_chooses_the_session_and_the_call_goes_there,
	    a_host_that_cannot_ask_and_a_user_who_refuses_get_the_sessions, NULL};
	return scene_main("questions", tests, (const char *const[]){PROGRAM, NULL});
}
