/*
 * The JSON-RPC envelope, as the client sees it: which lines get an answer, with which code and id,
 * and which get none.
 */
#include "mcp/rpc.h"
#include "tests/unit/mcp/exchange.h"

static json_t *answer;

static void close_and_drop(void)
{
	json_decref(answer);
	answer = NULL;
	exchange_close();
}

static void assert_error(const char *line, long long code)
{
	json_decref(answer);
	answer = ask(line);
	ck_assert_int_eq(number_at(answer, "error/code"), code);
}

START_TEST(an_id_comes_back_exactly_as_it_was_sent)
{
	const char *const ids[] = {"0", "-7", "9007199254740993", "9223372036854775807", "\"\"",
	    "\"a b\"", "\"\\u00e9\\u0000x\""};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		char text[128];
		snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}",
		    ids[i]);
		json_t *id = json_loads(ids[i], JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
		say(text);
		const char *bytes;
		size_t size = mcp_server_output(exchange.server, &bytes);
		json_t *pong = json_loadb(bytes, size, JSON_ALLOW_NUL, NULL);
		ck_assert_msg(json_equal(json_object_get(pong, "id"), id), "%s", ids[i]);
		ck_assert_ptr_nonnull(json_object_get(pong, "result"));
		mcp_server_sent(exchange.server, size);
		json_decref(id);
		json_decref(pong);
	}
}

START_TEST(what_is_no_json_is_a_parse_error_without_an_id)
{
	const char *const lines[] = {"{", "nonsense", "{\"jsonrpc\":\"2.0\",\"id\":1,", "\xff\xfe",
	    "{\"a\":1}}", "\"\x01\""};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_error(lines[i], -32700);
		ck_assert_ptr_null(json_object_get(answer, "id"));
	}
}

START_TEST(an_empty_line_is_ignored)
{
	say("");
	say(" \t\r");
	expect_silence();
}

START_TEST(an_id_must_be_a_string_or_an_integer)
{
	assert_error("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600);
	ck_assert_ptr_null(json_object_get(answer, "id"));
	assert_error("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32600);
	assert_error("{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}", -32600);
	assert_error("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}", -32600);
}

START_TEST(an_invalid_request_is_answered_with_its_id_where_it_has_one)
{
	assert_error("{\"id\":4,\"method\":\"ping\"}", -32600);
	ck_assert_int_eq(number_at(answer, "id"), 4);
	assert_error("{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":\"ping\"}", -32600);
	ck_assert_int_eq(number_at(answer, "id"), 5);
	assert_error("{\"jsonrpc\":\"2.0\",\"id\":6}", -32600);
	assert_error("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":7}", -32600);
	assert_error("{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\",\"params\":[1]}", -32602);
	ck_assert_int_eq(number_at(answer, "id"), 8);
	assert_error("17", -32600);
}

START_TEST(a_batch_is_refused_as_a_whole)
{
	assert_error("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600);
	ck_assert_ptr_null(json_object_get(answer, "id"));
	expect_silence();
}

START_TEST(an_unknown_method_is_not_found)
{
	assert_error(CALL("rr/nonsense", ""), -32601);
	assert_error(CALL("roots/list", ""), -32601);
	assert_error(CALL("sampling/createMessage", ""), -32601);
	assert_error(CALL("ping\\u0000x", ""), -32600);
}

START_TEST(a_notification_is_never_answered)
{
	say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/whatever\"}");
	say("{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}");
	say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":[]}");
	say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}");
	expect_silence();
}

START_TEST(a_response_to_nothing_is_ignored)
{
	say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	say("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"\"}}");
	expect_silence();
}

/* Well-formed, but refused: whoever waits for the id must get an answer. */
START_TEST(json_that_is_refused_is_answered_to_its_id)
{
	assert_error("{\"method\":\"ping\",\"params\":{\"id\":3,\"address\":18446744073709551615},"
		     "\"jsonrpc\":\"2.0\",\"id\":12}",
	    -32600);
	ck_assert_int_eq(number_at(answer, "id"), 12);
	assert_error(
	    "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"ping\",\"params\":{\"a\":\"\\ud83d\"}}",
	    -32600);
	ck_assert_str_eq(text_at(answer, "id"), "x");
	assert_error(
	    "{\"jsonrpc\":\"2.0\",\"id\":14,\"method\":\"ping\",\"params\":{\"a\":1,\"a\":2}}",
	    -32600);
	ck_assert_int_eq(number_at(answer, "id"), 14);
}

START_TEST(an_id_given_twice_is_nobodys)
{
	assert_error("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", -32600);
	ck_assert_ptr_null(json_object_get(answer, "id"));
}

static char *nested(unsigned depth)
{
	char *line = malloc(2 * depth + 128), *end = line;

	end += sprintf(end, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\",\"params\":{\"a\":");
	memset(end, '[', depth);
	memset(end + depth, ']', depth);
	memcpy(end + 2 * depth, "}}", 3);
	return line;
}

START_TEST(nesting_has_a_limit)
{
	cleanup_free char *deep = nested(RPC_DEPTH_MAX - 1), *allowed = nested(RPC_DEPTH_MAX - 2);
	cleanup_free char *deeper = nested(100000);

	assert_error(deep, -32600);
	ck_assert_int_eq(number_at(answer, "id"), 3);
	assert_error(deeper, -32600);
	json_auto_t *pong = ask(allowed);
	ck_assert_ptr_nonnull(at(pong, "result"));
}

START_TEST(brackets_within_strings_do_not_nest)
{
	char line[512] =
	    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\",\"params\":{\"a\":\"\\\"";

	memset(line + strlen(line), '[', 200);
	strlcat(line, "\"}}", sizeof(line));
	answer = ask(line);
	ck_assert_ptr_nonnull(at(answer, "result"));
}

/* A parsed value takes about a hundred bytes, so a line of commas must not cost a hundred times its
 * size. */
START_TEST(the_number_of_values_has_a_limit)
{
	size_t count = 2 * RPC_VALUES_MAX;
	char *line = malloc(2 * count + 128), *end = line;

	end += sprintf(end, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"params\":{\"a\":[1");
	for (size_t i = 0; i < count; i++)
		*end++ = ',', *end++ = '1';
	memcpy(end, "]},\"id\":3}", sizeof("]},\"id\":3}"));
	assert_error(line, -32600);
	ck_assert_int_eq(number_at(answer, "id"), 3);
	free(line);
}

START_TEST(a_line_that_is_too_long_is_an_error_and_the_connection_lives)
{
	cleanup_free char *line = malloc((4u << 20) + 2);

	memset(line, ' ', (4u << 20) + 1);
	line[(4u << 20) + 1] = '\0';
	assert_error(line, -32600);
	ck_assert(holds(text_at(answer, "error/message"), "4 MiB"));
	ck_assert_ptr_null(json_object_get(answer, "id"));
	json_auto_t *pong = ask(CALL("ping", ""));
	ck_assert_ptr_nonnull(at(pong, "result"));
}

int main(void)
{
	const TTest *const tests[] = {an_id_comes_back_exactly_as_it_was_sent,
	    what_is_no_json_is_a_parse_error_without_an_id, an_empty_line_is_ignored,
	    an_id_must_be_a_string_or_an_integer,
	    an_invalid_request_is_answered_with_its_id_where_it_has_one,
	    a_batch_is_refused_as_a_whole, an_unknown_method_is_not_found,
	    a_notification_is_never_answered, a_response_to_nothing_is_ignored,
	    json_that_is_refused_is_answered_to_its_id, an_id_given_twice_is_nobodys,
	    nesting_has_a_limit, brackets_within_strings_do_not_nest,
	    the_number_of_values_has_a_limit,
	    a_line_that_is_too_long_is_an_error_and_the_connection_lives, NULL};

	return run_tests("envelope", tests, exchange_open, close_and_drop);
}
