/*
 * Claims about a recording, checked on the recording.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PROGRAM "printed"
#define OVERRUN "overrun"

static json_t *claim(const char *moment, const char *expression, const char *value)
{
	return json_pack(
	    "{s:s, s:s, s:s}", "moment", moment, "expression", expression, "value", value);
}

START_TEST(each_claim_is_evaluated_again_at_its_moment)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "format_total");
	json_auto_t *at = client_tool(scene.client, "rr_when", NULL);
	json_t *claims = json_array();
	const char *moment = answer_text(at, "moment");

	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "start");
	json_t *before = client_tool(scene.client, "rr_when", NULL);
	json_array_append_new(claims, claim(moment, "value", "42"));
	json_array_append_new(claims, claim(moment, "value", " 0x2a "));
	json_array_append_new(claims, claim(moment, "value", "41"));
	json_array_append_new(claims, claim(moment, "value == 42", "1"));
	json_array_append_new(claims, claim(moment, "no_such_name", "1"));
	json_array_append_new(claims, claim("nowhere", "value", "42"));
	json_t *number = claim(moment, "value / 2", "");
	json_object_set_new(number, "value", json_integer(21));
	json_object_set_new(number, "note", json_string("half"));
	json_array_append_new(claims, number);
	json_auto_t *answer =
	    client_tool(scene.client, "rr_verify_claims", "{s:o}", "claims", claims);
	static const char *const verdicts[] = {
	    "held", "held", "not held", "held", "not checked", "not checked", "held"};
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(*verdicts); i++)
		expect_text(json_array_get(answer_at(answer, "claims"), i), "verdict", verdicts[i]);
	expect_text(answer, "claims.2.found", "42");
	expect_text(answer, "claims.6.note", "half");
	expect_within(answer, "claims.4.error", "no_such_name");
	expect_within(answer, "claims.0.where", "format_total");
	expect_within(answer, "conclusion", "4 of 7 claims held; not: 3, 5, 6");
	expect_same(before, client_tool(scene.client, "rr_when", NULL));
}
END_TEST

/* At a write, the innermost frames are the C library's, but the names belong to the program. */
START_TEST(names_of_the_programs_own_frame_are_known_at_a_system_call)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_auto_t *printed =
	    client_tool(scene.client, "rr_who_printed", "{s:s}", "text", "pieces:");
	expect_all(client_tool(scene.client, "rr_verify_claims", "{s:[o]}", "claims",
		       claim(answer_text(printed, "moment"), "pieces[0].iov_len", "3")),
	    IS("claims.0.verdict", "held"), HAS("claims.0.where", "past_the_buffer"));
}
END_TEST

/* At a moment inside strcpy, where the C library has its own `name`. The claimed values are copied
 * from rr_last_change. */
START_TEST(a_claim_at_a_write_in_a_library_is_about_the_program)
{
	static const char *const verdicts[] = {"held", "held", "not held", "held", "held",
	    "not held", "held", "not held", "held", "not held"};
	cleanup_scene struct scene scene = scene_open(OVERRUN, NULL);
	json_t *claims = json_array(), *write, *answer;

	client_tool_done(scene.client, "rr_crash_report", "{s:b}", "move", 1);
	write =
	    client_tool(scene.client, "rr_last_change", "{s:s}", "expression", "account->ledger");
	const char *moment = answer_text(write, "moment"), *old = answer_text(write, "old");
	ck_assert_ptr_nonnull(strstr(old, ") 0x")); /* or the test proves nothing */
	json_array_append_new(claims, claim(moment, "name[0]", "66"));
	json_array_append_new(claims, claim(moment, "account->ledger", old));
	json_array_append_new(claims, claim(moment, "account->ledger", "(ledger *) 0x10"));
	json_array_append_new(
	    claims, claim(moment, "(unsigned long)$pc", answer_text(write, "frame.address")));
	json_array_append_new(claims, claim(moment, "name", "\"Bartholomew Montgomery\""));
	json_array_append_new(claims, claim(moment, "name", "\"Bartholomew\""));
	json_array_append_new(claims, claim(moment, "name[1]", "'a'"));
	json_array_append_new(claims, claim(moment, "name[1]", "'b'"));
	json_array_append_new(claims, claim(moment, "(char *)0", "NULL"));
	json_array_append_new(claims, claim(moment, "name", "NULL"));
	answer = client_tool(scene.client, "rr_verify_claims", "{s:o}", "claims", claims);
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(*verdicts); i++)
		expect_text(json_array_get(answer_at(answer, "claims"), i), "verdict", verdicts[i]);
	json_decref(answer);
	json_decref(write);
}
END_TEST

START_TEST(malformed_claims_are_refused_before_anything_moves)
{
	static const char *const texts[] = {"[]", "{}", "[1]", "[{}]",
	    "[{\"moment\":\"1\",\"expression\":\"x\"}]",
	    "[{\"moment\":\"1\",\"expression\":\"x\",\"value\":[]}]",
	    "[{\"moment\":\"1\",\"expression\":\"x\",\"value\":\"1\",\"note\":{}}]",
	    "[{\"moment\":\"1\",\"expresion\":\"x\",\"value\":\"1\"}]"};
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_t *many = json_array();

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		client_tool_refused(scene.client, "rr_verify_claims", NULL, "{s:o}", "claims",
		    json_loads(texts[i], JSON_DECODE_ANY, NULL));
	for (int i = 0; i < 51; i++)
		json_array_append_new(many, claim("1", "x", "1"));
	client_tool_refused(scene.client, "rr_verify_claims", NULL, "{s:o}", "claims", many);
	client_tool_refused(scene.client, "rr_verify_claims", "not_allowed", "{s:[o]}", "claims",
	    claim("1", "$_shell(\"id\")", "1"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {each_claim_is_evaluated_again_at_its_moment,
	    names_of_the_programs_own_frame_are_known_at_a_system_call,
	    a_claim_at_a_write_in_a_library_is_about_the_program,
	    malformed_claims_are_refused_before_anything_moves, NULL};

	return scene_main("claims", tests, (const char *const[]){PROGRAM, OVERRUN, NULL});
}
