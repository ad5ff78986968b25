/*
 * Requests in flight: answers, errors, progress, cancellation, and what bounds them.
 */
#include "mcp/line.h"
#include "mcp/request.h"
#include "tests/unit/mcp/asking.h"

#define HOLD(id, meta)                                                                             \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":"       \
	"\"hold_call\",\"arguments\":{\"expression\":\"x\"}" meta "}}"
#define TOKEN(token) ",\"_meta\":{\"progressToken\":" token "}"
#define CANCEL(id)                                                                                 \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"                                         \
	"cancelled\",\"params\":{\"requestId\":" id "}}"

static void heard(void)
{
	json_decref(answer);
	answer = hear();
	ck_assert_msg(answer != NULL, "nothing came");
}

START_TEST(an_answer_says_the_same_as_text_and_as_structure)
{
	answer = call("echo_arguments", "{\"location\":\"caf\u00e9\",\"ratio\":0.1}");
	json_auto_t *text = json_loads(text_at(answer, "result/content/0/text"), 0, NULL);
	ck_assert(json_equal(text, at(answer, "result/structuredContent")));
	ck_assert(json_is_false(at(answer, "result/isError")));
	ck_assert(holds(text_at(answer, "result/content/0/text"), "\"ratio\":0.1,") ||
		  holds(text_at(answer, "result/content/0/text"), "\"ratio\":0.1}"));
}

/* Clients show the model only the text, and drop the rest. */
START_TEST(an_errors_text_carries_all_of_it)
{
	answer = call("fail_call", "{}");
	const char *text = text_at(answer, "result/content/0/text");
	ck_assert(json_is_true(at(answer, "result/isError")));
	ck_assert(holds(text, "not_found"));
	ck_assert(holds(text, "No function matches \"foo\"."));
	ck_assert(holds(text, "rr_symbols with a pattern."));
	ck_assert(holds(text, "session: s1"));
	ck_assert(holds(text, "session_alive: true"));
	ck_assert(holds(text, "near: [\"food\",\"fool\"]"));
	ck_assert_str_eq(text_at(answer, "result/structuredContent/code"), "not_found");
	ck_assert_str_eq(
	    text_at(answer, "result/structuredContent/hint"), "rr_symbols with a pattern.");
	ck_assert_str_eq(text_at(answer, "result/structuredContent/session"), "s1");
}

/* Some hosts show the model the structure in place of the text. */
START_TEST(without_structure_text_carries_all_of_it)
{
	exchange.handler.text_only = true;
	answer = call("echo_arguments", "{\"location\":\"main\"}");
	ck_assert(holds(text_at(answer, "result/content/0/text"), "main"));
	ck_assert_ptr_null(at(answer, "result/structuredContent"));
	json_decref(answer);
	answer = call("fail_call", "{}");
	ck_assert(json_is_true(at(answer, "result/isError")));
	ck_assert(holds(text_at(answer, "result/content/0/text"), "rr_symbols with a pattern."));
	ck_assert_ptr_null(at(answer, "result/structuredContent"));
	for (int i = 0; i < MCP_IN_FLIGHT_MAX; i++) {
		char line[512];
		snprintf(line, sizeof(line), HOLD("%d", ""), 100 + i);
		say(line);
	}
	say(HOLD("1", ""));
	heard();
	ck_assert(holds(text_at(answer, "result/content/0/text"), "in flight"));
	ck_assert_ptr_null(at(answer, "result/structuredContent"));
}

START_TEST(an_error_of_bytes_that_are_no_text_is_still_sent)
{
	say(HOLD("1", ""));
	mcp_request_fail(exchange.held, "gdb_failed", "\xff\xfe said gdb", "\xc3", NULL);
	heard();
	ck_assert(holds(text_at(answer, "result/content/0/text"), "?? said gdb"));
}

START_TEST(an_unknown_tool_is_a_protocol_error_that_names_the_nearest)
{
	answer = call("hold_cal", "{}");
	ck_assert_int_eq(number_at(answer, "error/code"), -32602);
	ck_assert(holds(text_at(answer, "error/message"), "Did you mean hold_call?"));
	json_decref(answer);
	answer = call("zzzzzzzzzzzzzzzzzzzz", "{}");
	ck_assert_int_eq(number_at(answer, "error/code"), -32602);
	ck_assert(!holds(text_at(answer, "error/message"), "Did you mean"));
}

START_TEST(a_malformed_call_is_a_protocol_error)
{
	refused(CALL("tools/call", "\"arguments\":{}"), -32602);
	refused(CALL("tools/call", "\"name\":5"), -32602);
	refused(CALL("tools/call", "\"name\":\"echo_arguments\",\"arguments\":[]"), -32602);
}

START_TEST(arguments_may_be_left_out)
{
	asked(CALL("tools/call", "\"name\":\"echo_arguments\""));
	ck_assert_ptr_nonnull(at(answer, "result/structuredContent/given"));
}

START_TEST(answers_come_in_the_order_they_are_ready)
{
	say(HOLD("\"slow\"", ""));
	asked(CALL("ping", ""));
	ck_assert_int_eq(number_at(answer, "id"), 1);
	mcp_request_answer_text(exchange.held, json_object(), NULL);
	heard();
	ck_assert_str_eq(text_at(answer, "id"), "slow");
}

START_TEST(progress_comes_only_to_those_who_asked)
{
	say(HOLD("1", ""));
	ck_assert_ptr_null(exchange.held->token);
	mcp_request_progress(exchange.held, 1, 10, "one");
	expect_silence();
}

START_TEST(zero_is_a_token)
{
	say(HOLD("1", TOKEN("0")));
	ck_assert_ptr_nonnull(exchange.held->token);
	mcp_request_progress(exchange.held, 0, 10, "starting");
	heard();
	ck_assert_str_eq(text_at(answer, "method"), "notifications/progress");
	ck_assert_int_eq(number_at(answer, "params/progressToken"), 0);
	ck_assert_int_eq(number_at(answer, "params/progress"), 0);
	ck_assert_int_eq(number_at(answer, "params/total"), 10);
	ck_assert_str_eq(text_at(answer, "params/message"), "starting");
	ck_assert_ptr_null(json_object_get(answer, "id"));
}

START_TEST(a_token_may_be_a_string_and_nothing_else)
{
	say(HOLD("1", TOKEN("\"a\"")));
	ck_assert_ptr_nonnull(exchange.held->token);
	say(HOLD("2", TOKEN("null")));
	ck_assert_ptr_null(exchange.held->token);
	say(HOLD("3", TOKEN("{}")));
	ck_assert_ptr_null(exchange.held->token);
}

START_TEST(progress_strictly_rises)
{
	const double given[] = {3, 3, 2, 0.0 / 0.0, 1.0 / 0.0, -1, 3.5};
	double last = -1;
	int ticks = 0;

	say(HOLD("1", TOKEN("7")));
	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++) {
		mcp_request_progress(exchange.held, given[i], -1, NULL);
		json_t *tick = hear();
		if (!tick)
			continue;
		double now = json_number_value(at(tick, "params/progress"));
		ck_assert_double_gt(now, last);
		ck_assert_ptr_null(at(tick, "params/total"));
		ck_assert_ptr_null(at(tick, "params/message"));
		last = now;
		ticks++;
		json_decref(tick);
	}
	ck_assert_int_eq(ticks, 2);
}

START_TEST(ticks_between_two_writes_are_one_tick)
{
	say(HOLD("1", TOKEN("7")));
	for (int i = 0; i < 1000; i++)
		mcp_request_progress(exchange.held, i, 1000, "working");
	heard();
	ck_assert_int_eq(number_at(answer, "params/progress"), 999);
	expect_silence();
}

/* When the answer arrives, clients forget the token before they look at the tick. */
START_TEST(no_tick_goes_out_right_before_the_answer)
{
	say(HOLD("1", TOKEN("7")));
	mcp_request_progress(exchange.held, 10, 10, "done");
	mcp_request_answer_text(exchange.held, json_object(), NULL);
	heard();
	ck_assert_ptr_nonnull(at(answer, "result"));
	expect_silence();
}

START_TEST(after_a_cancel_nothing_more_is_sent_for_the_id)
{
	say(HOLD("\"a\"", TOKEN("7")));
	mcp_request_progress(exchange.held, 1, 10, NULL);
	say(CANCEL("\"a\""));
	ck_assert_uint_eq(exchange.cancels, 1);
	expect_silence();
	say(CANCEL("\"a\""));
	ck_assert_uint_eq(exchange.cancels, 1);
	asked(CALL("ping", ""));
	ck_assert_ptr_nonnull(at(answer, "result"));
}

static void answer_when_cancelled(void *owner, struct mcp_request *request)
{
	(void)owner;
	mcp_request_progress(request, 99, 100, "still here");
	mcp_request_answer_text(request, json_object(), NULL);
}

START_TEST(an_answer_given_within_cancel_is_dropped)
{
	exchange.handler.cancel = answer_when_cancelled;
	say(HOLD("1", TOKEN("7")));
	say(CANCEL("1"));
	expect_silence();
}

START_TEST(cancelling_what_is_unknown_or_answered_is_ignored)
{
	say(HOLD("5", ""));
	say(CANCEL("\"5\""));
	say(CANCEL("6"));
	say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{}}");
	ck_assert_uint_eq(exchange.cancels, 0);
	mcp_request_answer_text(exchange.held, json_object(), NULL);
	heard();
	say(CANCEL("5"));
	ck_assert_uint_eq(exchange.cancels, 0);
	expect_silence();
}

START_TEST(an_id_in_flight_is_not_taken_twice)
{
	say(HOLD("5", ""));
	asked(HOLD("5", ""));
	ck_assert_int_eq(number_at(answer, "error/code"), -32600);
	mcp_request_answer_text(exchange.held, json_object(), NULL);
	heard();
	say(HOLD("5", ""));
	expect_silence();
	ck_assert_uint_eq(exchange.calls, 2);
}

START_TEST(requests_in_flight_are_bounded_and_the_model_is_told)
{
	char line[512];

	for (int i = 0; i < MCP_IN_FLIGHT_MAX; i++) {
		snprintf(line, sizeof(line), HOLD("%d", ""), i);
		say(line);
	}
	expect_silence();
	asked(HOLD("1000", ""));
	ck_assert_int_eq(number_at(answer, "id"), 1000);
	ck_assert(json_is_true(at(answer, "result/isError")));
	ck_assert_str_eq(text_at(answer, "result/structuredContent/code"), "limit");
	ck_assert_uint_eq(exchange.calls, MCP_IN_FLIGHT_MAX);
	say(CANCEL("0"));
	say(HOLD("1001", ""));
	expect_silence();
}

START_TEST(the_end_of_the_server_cancels_what_is_in_flight)
{
	say(HOLD("1", ""));
	say(HOLD("2", ""));
	exchange_close();
	ck_assert_uint_eq(exchange.cancels, 2);
	exchange_open();
}

/* 60 bytes ask for 2 KB: a client that asks and does not read must not fill our memory. */
START_TEST(nothing_new_is_taken_while_the_client_does_not_read)
{
	const char *line = CALL("tools/list", "") "\n";
	size_t asked_for = 0;
	const char *bytes;

	while (mcp_server_wants_input(exchange.server)) {
		ck_assert(mcp_server_feed(exchange.server, line, strlen(line)));
		asked_for++;
	}
	size_t waiting = mcp_server_output(exchange.server, &bytes);
	for (int i = 0; i < 1000; i++, asked_for++)
		ck_assert(mcp_server_feed(exchange.server, line, strlen(line)));
	ck_assert_uint_eq(mcp_server_output(exchange.server, &bytes), waiting);
	size_t answered = 0;
	for (size_t size; (size = mcp_server_output(exchange.server, &bytes)) > 0;) {
		for (size_t i = 0; i < size; i++)
			answered += bytes[i] == '\n';
		mcp_server_sent(exchange.server, size);
	}
	ck_assert_uint_eq(answered, asked_for);
}

START_TEST(ticks_are_dropped_while_the_client_does_not_read)
{
	const char *bytes;

	say(HOLD("\"held\"", TOKEN("7")));
	while (mcp_server_wants_input(exchange.server))
		ck_assert(mcp_server_feed(exchange.server, CALL("tools/list", "") "\n",
		    strlen(CALL("tools/list", "")) + 1));
	size_t waiting = mcp_server_output(exchange.server, &bytes);
	mcp_request_progress(exchange.held, 1, 2, NULL);
	ck_assert_uint_eq(mcp_server_output(exchange.server, &bytes), waiting);
}

START_TEST(a_client_that_never_reads_is_given_up)
{
	struct mcp_request *held[40];
	char line[512], *long_text = calloc(1, (1u << 20) + 1);
	const char *bytes;

	memset(long_text, 'x', 1u << 20);
	for (int i = 0; i < 40; i++) {
		snprintf(line, sizeof(line), HOLD("%d", ""), i);
		say(line);
		held[i] = exchange.held;
	}
	for (int i = 0; i < 40; i++)
		mcp_request_answer_text(held[i], json_pack("{s:s}", "text", long_text), NULL);
	ck_assert(!mcp_server_feed(exchange.server, NULL, 0));
	ck_assert_uint_le(mcp_server_output(exchange.server, &bytes), OUTPUT_MAX_BYTES);
	free(long_text);
}

/* Found by the fuzzer. */
START_TEST(an_empty_output_is_an_empty_string)
{
	const char *bytes = NULL;

	ck_assert_uint_eq(mcp_server_output(exchange.server, &bytes), 0);
	ck_assert_ptr_nonnull(bytes);
}

int main(void)
{
	const TTest *const tests[] = {an_answer_says_the_same_as_text_and_as_structure,
	    an_errors_text_carries_all_of_it, without_structure_text_carries_all_of_it,
	    an_error_of_bytes_that_are_no_text_is_still_sent,
	    an_unknown_tool_is_a_protocol_error_that_names_the_nearest,
	    a_malformed_call_is_a_protocol_error, arguments_may_be_left_out,
	    answers_come_in_the_order_they_are_ready, progress_comes_only_to_those_who_asked,
	    zero_is_a_token, a_token_may_be_a_string_and_nothing_else, progress_strictly_rises,
	    ticks_between_two_writes_are_one_tick, no_tick_goes_out_right_before_the_answer,
	    after_a_cancel_nothing_more_is_sent_for_the_id,
	    an_answer_given_within_cancel_is_dropped,
	    cancelling_what_is_unknown_or_answered_is_ignored, an_id_in_flight_is_not_taken_twice,
	    requests_in_flight_are_bounded_and_the_model_is_told,
	    the_end_of_the_server_cancels_what_is_in_flight,
	    nothing_new_is_taken_while_the_client_does_not_read,
	    ticks_are_dropped_while_the_client_does_not_read, a_client_that_never_reads_is_given_up,
	    an_empty_output_is_an_empty_string, NULL};

	return run_tests("calls", tests, exchange_open_legacy, close_and_drop);
}
