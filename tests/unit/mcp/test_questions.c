/*
 * Questions to the client's user: who is asked, what the question looks like, and what becomes of
 * the answer.
 */
#include "tests/unit/mcp/asking.h"

#define META_WITH(capabilities)                                                                    \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
	"\"io.modelcontextprotocol/clientCapabilities\":" capabilities "}"
#define ASKABLE	       META_WITH("{\"elicitation\":{}}")
#define HOLD(given)    "\"name\":\"hold_call\",\"arguments\":{" given "},"
#define X	       "\"expression\":\"x\""
#define RESPONSE(what) "\"inputResponses\":{\"expression\":" what "},"
#define HERE                                                                                       \
	"\"inputResponses\":{\"location\":{\"action\":\"accept\","                                 \
	"\"content\":{\"location\":\"here\"}}},"
#define CHOSEN(value) "{\"action\":\"accept\",\"content\":{\"expression\":" value "}}"

/* Asks about the call that the test holds. */
static bool asks(void)
{
	return mcp_request_ask(exchange.held, "expression", "Which one?",
	    json_pack("[{s:s, s:s}, {s:s, s:s}]", "const", "a", "title", "the first", "const", "b",
		"title", "the second"));
}

START_TEST(a_question_is_an_input_required_result_with_the_choices)
{
	say(CALL("tools/call", HOLD(X) ASKABLE));
	ck_assert(asks());
	answer = hear();
	ck_assert_str_eq(text_at(answer, "result/resultType"), "input_required");
	json_t *question = at(answer, "result/inputRequests/expression");
	ck_assert_str_eq(text_at(question, "method"), "elicitation/create");
	ck_assert_str_eq(text_at(question, "params/mode"), "form");
	ck_assert_str_eq(text_at(question, "params/message"), "Which one?");
	json_t *property = at(question, "params/requestedSchema/properties/expression");
	ck_assert_str_eq(text_at(property, "type"), "string");
	ck_assert_uint_eq(json_array_size(at(property, "oneOf")), 2);
	ck_assert_ptr_null(at(answer, "result/content"));
	ck_assert_uint_eq(mcp_server_in_flight(exchange.server), 0);
}
END_TEST

START_TEST(only_a_client_that_can_show_a_form_is_asked)
{
	static const char *const calls[] = {
	    CALL("tools/call", HOLD(X) MODERN),
	    CALL("tools/call", HOLD(X) META_WITH("{\"elicitation\":{\"url\":{}}}")),
	    CALL("tools/call", HOLD(X) META_WITH("{\"elicitation\":true}")),
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
	    "\"name\":\"hold_call\",\"arguments\":{" X "}}}",
	};
	if (_i == 3)
		json_decref(ask(CALL("initialize",
		    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"elicitation\":{}},"
		    "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}")));
	say(calls[_i]);
	ck_assert(!asks());
	expect_silence();
	mcp_request_fail(exchange.held, "ambiguous", "Which one?", NULL, NULL);
	answer = hear();
	ck_assert(json_is_true(at(answer, "result/isError")));
}
END_TEST

START_TEST(what_the_user_chose_is_the_argument_of_the_next_call)
{
	asked(CALL("tools/call", "\"name\":\"echo_arguments\"," HERE ASKABLE));
	ck_assert_str_eq(text_at(answer, "result/structuredContent/given/location"), "here");
}
END_TEST

START_TEST(an_argument_of_the_call_itself_counts_more)
{
	asked(CALL("tools/call",
	    "\"name\":\"echo_arguments\",\"arguments\":{\"location\":\"there\"}," HERE ASKABLE));
	ck_assert_str_eq(text_at(answer, "result/structuredContent/given/location"), "there");
}
END_TEST

START_TEST(a_user_who_refused_is_not_asked_again)
{
	static const char *const calls[] = {
	    CALL("tools/call", HOLD(X) RESPONSE("{\"action\":\"decline\"}") ASKABLE),
	    CALL("tools/call", HOLD(X) RESPONSE("{\"action\":\"cancel\"}") ASKABLE),
	};
	say(calls[_i]);
	ck_assert(!asks());
	mcp_request_answer_text(exchange.held, json_object(), NULL);
}
END_TEST

START_TEST(an_answer_that_lacks_the_value_leads_to_the_question_again)
{
	static const char *const calls[] = {
	    CALL("tools/call", HOLD(X) "\"inputResponses\":{}," ASKABLE),
	    CALL("tools/call", HOLD(X) "\"inputResponses\":[1]," ASKABLE),
	    CALL("tools/call", HOLD(X) RESPONSE("{\"action\":\"accept\"}") ASKABLE),
	    CALL("tools/call", HOLD(X) RESPONSE("{\"action\":7}") ASKABLE),
	};
	say(calls[_i]);
	ck_assert(asks());
	answer = hear();
	ck_assert_str_eq(text_at(answer, "result/resultType"), "input_required");
}
END_TEST

START_TEST(a_value_of_another_type_is_no_choice)
{
	asked(CALL("tools/call", HOLD("") RESPONSE(CHOSEN("{\"a\":1}")) ASKABLE));
	ck_assert(json_is_true(at(answer, "result/isError")));
	asked(CALL("tools/call", HOLD("") RESPONSE(CHOSEN("[\"a\"]")) ASKABLE));
	ck_assert(json_is_true(at(answer, "result/isError")));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_question_is_an_input_required_result_with_the_choices, 1},
	    {only_a_client_that_can_show_a_form_is_asked, 4},
	    {what_the_user_chose_is_the_argument_of_the_next_call, 1},
	    {an_argument_of_the_call_itself_counts_more, 1},
	    {a_user_who_refused_is_not_asked_again, 2},
	    {an_answer_that_lacks_the_value_leads_to_the_question_again, 4},
	    {a_value_of_another_type_is_no_choice, 1},
	    {NULL, 0},
	};
	return run_loops("questions", tests, exchange_open, close_and_drop);
}
