/*
 * All revisions in one process: what opens each, what each request must carry, what each may ask.
 */
#include "tests/unit/mcp/asking.h"

#define META(version, capabilities)                                                                \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":" version                          \
	",\"io.modelcontextprotocol/clientCapabilities\":" capabilities "}"

static void assert_error(const char *line, long long code)
{
	asked(line);
	ck_assert_int_eq(number_at(answer, "error/code"), code);
	ck_assert_int_eq(number_at(answer, "id"), 1);
}

static void assert_result(const char *line)
{
	asked(line);
	ck_assert_msg(
	    at(answer, "result") != NULL, "%s: %s", line, text_at(answer, "error/message"));
}

START_TEST(initialize_agrees_to_each_revision_that_has_it)
{
	const char *const versions[] = {"2024-11-05", "2025-06-18", "2025-11-25"};

	for (size_t i = 0; i < 3; i++) {
		json_decref(answer);
		answer = initialize(versions[i]);
		ck_assert_str_eq(text_at(answer, "result/protocolVersion"), versions[i]);
	}
}

START_TEST(initialize_offers_the_newest_old_revision_for_one_it_does_not_speak)
{
	const char *const versions[] = {"2025-03-26", "2026-07-28", "1.0", "2099-01-01"};

	for (size_t i = 0; i < 4; i++) {
		json_decref(answer);
		answer = initialize(versions[i]);
		ck_assert_str_eq(text_at(answer, "result/protocolVersion"), "2025-11-25");
	}
}

START_TEST(initialize_says_who_we_are_and_what_we_have)
{
	answer = initialize("2025-11-25");
	ck_assert_str_eq(text_at(answer, "result/serverInfo/name"), "rr-warden");
	ck_assert_str_eq(text_at(answer, "result/serverInfo/version"), "1.2.3");
	ck_assert_str_eq(text_at(answer, "result/instructions"), "Record, then replay.");
	ck_assert(json_is_object(at(answer, "result/capabilities/tools")));
	ck_assert(json_is_object(at(answer, "result/capabilities/resources")));
	ck_assert(json_is_object(at(answer, "result/capabilities/prompts")));
	ck_assert(json_is_object(at(answer, "result/capabilities/completions")));
}

/* A client that sees listChanged opens a stream to wait for changes that never come. */
START_TEST(no_list_is_declared_to_change)
{
	answer = initialize("2025-11-25");
	json_t *capabilities = at(answer, "result/capabilities"), *capability;
	const char *key;
	json_object_foreach(capabilities, key, capability)
	{
		ck_assert_uint_eq(json_object_size(capability), 0);
	}
	ck_assert_ptr_null(json_object_get(capabilities, "logging"));
}

START_TEST(initialize_without_a_version_is_refused)
{
	assert_error(CALL("initialize", "\"capabilities\":{}"), -32602);
	assert_error(CALL("initialize", "\"protocolVersion\":20251125"), -32602);
}

START_TEST(ping_needs_no_initialize)
{
	assert_result(CALL("ping", ""));
	ck_assert_uint_eq(json_object_size(at(answer, "result")), 0);
}

START_TEST(other_requests_need_an_initialize_or_the_metadata_of_the_last_revision)
{
	assert_error(CALL("tools/list", ""), -32602);
	ck_assert(holds(text_at(answer, "error/message"), "initialize"));
	assert_result(CALL("tools/list", MODERN));
	json_decref(initialize("2025-06-18"));
	assert_result(CALL("tools/list", ""));
}

START_TEST(requests_are_taken_before_the_initialized_notification)
{
	assert_result(CALL("initialize", "\"protocolVersion\":\"2025-11-25\""));
	assert_result(CALL("tools/list", ""));
}

START_TEST(earlier_revisions_have_no_fields_of_the_last_one)
{
	json_decref(initialize("2025-11-25"));
	assert_result(CALL("tools/list", ""));
	ck_assert_ptr_null(at(answer, "result/resultType"));
	ck_assert_ptr_null(at(answer, "result/ttlMs"));
	ck_assert_ptr_null(at(answer, "result/_meta"));
}

START_TEST(discover_says_who_we_are_and_what_we_have)
{
	asked(CALL("server/discover", MODERN));
	ck_assert_str_eq(text_at(answer, "result/supportedVersions/0"), "2026-07-28");
	ck_assert_uint_eq(json_array_size(at(answer, "result/supportedVersions")), 1);
	ck_assert(json_is_object(at(answer, "result/capabilities/tools")));
	ck_assert_ptr_null(at(answer, "result/capabilities/logging"));
	ck_assert_str_eq(text_at(answer, "result/instructions"), "Record, then replay.");
	ck_assert_str_eq(text_at(answer, "result/cacheScope"), "public");
	ck_assert_int_ge(number_at(answer, "result/ttlMs"), 0);
}

START_TEST(every_result_of_the_last_revision_is_complete_and_names_the_server)
{
	const char *const lines[] = {CALL("server/discover", MODERN), CALL("tools/list", MODERN),
	    CALL("tools/call", "\"name\":\"echo_arguments\"," MODERN),
	    CALL("tools/call", "\"name\":\"fail_call\"," MODERN), CALL("resources/list", MODERN),
	    CALL("resources/templates/list", MODERN),
	    CALL("resources/read", "\"uri\":\"rr://guide\"," MODERN), CALL("prompts/list", MODERN),
	    CALL("prompts/get",
		"\"name\":\"debug_crash\",\"arguments\":{\"trace_dir\":\"x\"}," MODERN),
	    CALL("completion/complete",
		"\"ref\":{\"type\":\"ref/prompt\",\"name\":\"debug_crash\"},"
		"\"argument\":{\"name\":\"trace_dir\",\"value\":\"\"}," MODERN)};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_result(lines[i]);
		ck_assert_str_eq(text_at(answer, "result/resultType"), "complete");
		json_t *info = json_object_get(
		    at(answer, "result/_meta"), "io.modelcontextprotocol/serverInfo");
		ck_assert_str_eq(text_at(info, "name"), "rr-warden");
		ck_assert_str_eq(text_at(info, "version"), "1.2.3");
	}
}

START_TEST(what_can_be_cached_says_so)
{
	const char *const lines[] = {CALL("server/discover", MODERN), CALL("tools/list", MODERN),
	    CALL("resources/list", MODERN), CALL("resources/templates/list", MODERN),
	    CALL("prompts/list", MODERN), CALL("resources/read", "\"uri\":\"rr://guide\"," MODERN)};

	for (size_t i = 0; i < 6; i++) {
		assert_result(lines[i]);
		ck_assert_int_ge(number_at(answer, "result/ttlMs"), 0);
		ck_assert_str_eq(
		    text_at(answer, "result/cacheScope"), i == 5 ? "private" : "public");
	}
}

START_TEST(a_request_of_the_last_revision_needs_version_and_capabilities)
{
	assert_error(CALL("server/discover", ""), -32602);
	assert_error(CALL("server/discover", "\"_meta\":{}"), -32602);
	assert_error(CALL("tools/list", META("\"2026-07-28\"", "null")), -32602);
	assert_error(CALL("tools/list", META("7", "{}")), -32602);
	assert_error(CALL("tools/list", "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
					"\"2026-07-28\"}"),
	    -32602);
	assert_error(
	    CALL("tools/list", "\"_meta\":{\"io.modelcontextprotocol/clientCapabilities\":{}}"),
	    -32602);
	assert_error(CALL("tools/list", "\"_meta\":3"), -32602);
}

START_TEST(the_clients_name_is_optional_in_the_last_revision)
{
	assert_result(CALL("tools/list", MODERN));
	assert_error(CALL("tools/list",
			 "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
			 "\"io.modelcontextprotocol/clientCapabilities\":{},"
			 "\"io.modelcontextprotocol/clientInfo\":\"me\"}"),
	    -32602);
}

START_TEST(an_unknown_version_is_answered_with_those_we_speak)
{
	const char *const versions[] = {"\"2026-09-01\"", "\"2025-11-25\"", "\"\""};
	char line[512];

	for (size_t i = 0; i < 3; i++) {
		snprintf(
		    line, sizeof(line), CALL("server/discover", META("%s", "{}")), versions[i]);
		assert_error(line, -32022);
		ck_assert_str_eq(text_at(answer, "error/data/supported/0"), "2026-07-28");
		json_t *requested = json_loads(versions[i], JSON_DECODE_ANY, NULL);
		ck_assert(json_equal(at(answer, "error/data/requested"), requested));
		json_decref(requested);
	}
}

START_TEST(an_unknown_version_is_said_of_unknown_methods_too)
{
	assert_error(CALL("rr/future", META("\"2030-01-01\"", "{}")), -32022);
}

START_TEST(the_last_revision_has_lost_what_the_specification_dropped)
{
	assert_error(CALL("ping", MODERN), -32601);
	assert_error(CALL("initialize", "\"protocolVersion\":\"2025-11-25\"," MODERN), -32601);
	assert_error(CALL("logging/setLevel", "\"level\":\"info\"," MODERN), -32601);
	assert_error(CALL("resources/subscribe", "\"uri\":\"rr://guide\"," MODERN), -32601);
	assert_error(CALL("resources/unsubscribe", "\"uri\":\"rr://guide\"," MODERN), -32601);
}

START_TEST(logging_and_subscriptions_are_in_no_revision)
{
	json_decref(initialize("2025-11-25"));
	assert_error(CALL("logging/setLevel", "\"level\":\"info\""), -32601);
	assert_error(CALL("resources/subscribe", "\"uri\":\"rr://guide\""), -32601);
}

START_TEST(all_revisions_are_served_on_one_connection)
{
	json_decref(initialize("2025-11-25"));
	assert_result(CALL("tools/list", MODERN));
	ck_assert_str_eq(text_at(answer, "result/resultType"), "complete");
	assert_result(CALL("tools/list", ""));
	ck_assert_ptr_null(at(answer, "result/resultType"));
}

START_TEST(an_initialize_after_a_refused_discover_is_taken)
{
	assert_error(CALL("server/discover", META("\"2027-01-01\"", "{}")), -32022);
	json_decref(initialize("2025-11-25"));
	assert_result(CALL("tools/list", ""));
}

START_TEST(listening_is_acknowledged_with_what_will_come_which_is_nothing)
{
	say(CALL("subscriptions/listen", "\"notifications\":{\"toolsListChanged\":true}," MODERN));
	answer = hear();
	ck_assert_str_eq(text_at(answer, "method"), "notifications/subscriptions/acknowledged");
	ck_assert_uint_eq(json_object_size(at(answer, "params/notifications")), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(
			     at(answer, "params/_meta"), "io.modelcontextprotocol/subscriptionId")),
	    1);
	say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
	    "{\"requestId\":1}}");
	expect_silence();
}

static const enum mcp_listing some_listed[TOOL_COUNT] = {[TOOL_HOLD] = MCP_LISTED_WHEN_NAMED,
    [TOOL_FAIL] = MCP_LISTED_WHEN_NAMED,
    [TOOL_NONE] = MCP_UNLISTED};

static void reopen_with_some_listed(void)
{
	mcp_server_free(exchange.server);
	exchange.handler.listing = some_listed;
	exchange.server = mcp_server_new(&exchange.handler);
}

/* Names hold_call and take_nothing; hold_calls is no name of a tool. */
#define ECHO_NAMES                                                                                 \
	"\"name\":\"echo_arguments\",\"arguments\":{\"location\":\"hold_call, take_nothing\"}"
#define ECHO_NEAR "\"name\":\"echo_arguments\",\"arguments\":{\"location\":\"hold_calls\"}"

START_TEST(a_list_that_can_change_says_so_and_tells_who_listens)
{
	reopen_with_some_listed();
	asked(CALL("server/discover", MODERN));
	ck_assert(json_is_true(at(answer, "result/capabilities/tools/listChanged")));
	say("{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"subscriptions/listen\",\"params\":{"
	    "\"notifications\":{\"toolsListChanged\":true,\"promptsListChanged\":true}," MODERN
	    "}}");
	json_decref(answer);
	answer = hear();
	ck_assert_uint_eq(json_object_size(at(answer, "params/notifications")), 1);
	ck_assert(json_is_true(at(answer, "params/notifications/toolsListChanged")));
	asked(CALL("tools/call", ECHO_NEAR "," MODERN));
	ck_assert_ptr_nonnull(at(answer, "result"));
	asked(CALL("tools/call", ECHO_NAMES "," MODERN));
	ck_assert_str_eq(text_at(answer, "method"), "notifications/tools/list_changed");
	ck_assert_str_eq(json_string_value(json_object_get(
			     at(answer, "params/_meta"), "io.modelcontextprotocol/subscriptionId")),
	    "s");
	json_decref(hear());
	asked(CALL("tools/list", MODERN));
	ck_assert_uint_eq(json_array_size(at(answer, "result/tools")), 2);
	ck_assert_str_eq(text_at(answer, "result/tools/1/name"), "hold_call");
	asked(CALL("tools/call", ECHO_NAMES "," MODERN));
	ck_assert_ptr_nonnull(at(answer, "result"));
}

START_TEST(who_does_not_listen_is_told_up_to_2025_11_25_only)
{
	reopen_with_some_listed();
	asked(CALL("tools/call", ECHO_NAMES "," MODERN));
	ck_assert_ptr_nonnull(at(answer, "result"));
	reopen_with_some_listed();
	json_decref(initialize("2025-11-25"));
	asked(CALL("tools/call", ECHO_NAMES));
	ck_assert_str_eq(text_at(answer, "method"), "notifications/tools/list_changed");
	json_decref(hear());
}

int main(void)
{
	const TTest *const tests[] = {initialize_agrees_to_each_revision_that_has_it,
	    initialize_offers_the_newest_old_revision_for_one_it_does_not_speak,
	    initialize_says_who_we_are_and_what_we_have, no_list_is_declared_to_change,
	    initialize_without_a_version_is_refused, ping_needs_no_initialize,
	    other_requests_need_an_initialize_or_the_metadata_of_the_last_revision,
	    requests_are_taken_before_the_initialized_notification,
	    earlier_revisions_have_no_fields_of_the_last_one,
	    discover_says_who_we_are_and_what_we_have,
	    every_result_of_the_last_revision_is_complete_and_names_the_server,
	    what_can_be_cached_says_so,
	    a_request_of_the_last_revision_needs_version_and_capabilities,
	    the_clients_name_is_optional_in_the_last_revision,
	    an_unknown_version_is_answered_with_those_we_speak,
	    an_unknown_version_is_said_of_unknown_methods_too,
	    the_last_revision_has_lost_what_the_specification_dropped,
	    logging_and_subscriptions_are_in_no_revision,
	    all_revisions_are_served_on_one_connection,
	    an_initialize_after_a_refused_discover_is_taken,
	    listening_is_acknowledged_with_what_will_come_which_is_nothing,
	    a_list_that_can_change_says_so_and_tells_who_listens,
	    who_does_not_listen_is_told_up_to_2025_11_25_only, NULL};

	return run_tests("lifecycle", tests, exchange_open, close_and_drop);
}
