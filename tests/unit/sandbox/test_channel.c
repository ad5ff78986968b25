/*
 * The channel between supervisor and worker: what goes in comes out, and nothing else.
 */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "sandbox/wire/channel.h"
#include "sandbox/wire/proto.h"
#include "tests/runner.h"

static int ends[2];
static struct channel_packet packet;
static const char *why;

static void open_channel(void)
{
	ck_assert_int_eq(channel_pair(ends), 0);
}

static void close_channel(void)
{
	json_decref(packet.json);
	packet.json = NULL;
	close(ends[0]);
	close(ends[1]);
}

/* Sends arbitrary bytes, as a compromised worker would. */
static void forge(struct wire_header header, const char *text, size_t len)
{
	char bytes[sizeof(header) + 2 * WIRE_JSON_MAX];

	ck_assert_uint_le(len, 2 * WIRE_JSON_MAX);
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), text, len);
	ck_assert_int_eq(send(ends[1], bytes, sizeof(header) + len, 0), sizeof(header) + len);
}

static void forge_json(const char *text)
{
	forge((struct wire_header){.type = 11, .id = 7, .len = (uint32_t)strlen(text)}, text,
	    strlen(text));
}

static void assert_rejected(const char *reason)
{
	ck_assert_int_eq(channel_receive(ends[0], &packet, &why), CHANNEL_REJECTED);
	ck_assert_str_eq(why, reason);
	ck_assert_ptr_null(packet.json);
}

START_TEST(a_packet_arrives_as_it_was_sent)
{
	json_auto_t *json = json_pack("{s:i, s:s}", "n", 42, "text", "zwölf");

	ck_assert_int_eq(channel_send(ends[1], 11, 7, WIRE_FLAG_ERROR, json), CHANNEL_OK);
	ck_assert_int_eq(channel_receive(ends[0], &packet, &why), CHANNEL_OK);
	ck_assert_uint_eq(packet.type, 11);
	ck_assert_uint_eq(packet.id, 7);
	ck_assert_uint_eq(packet.flags, WIRE_FLAG_ERROR);
	ck_assert(json_equal(packet.json, json));
}
END_TEST

START_TEST(both_ends_close_on_exec_and_do_not_block)
{
	for (int i = 0; i < 2; i++) {
		ck_assert(fcntl(ends[i], F_GETFD) & FD_CLOEXEC);
		ck_assert(fcntl(ends[i], F_GETFL) & O_NONBLOCK);
	}
}
END_TEST

START_TEST(an_empty_channel_says_again)
{
	ck_assert_int_eq(channel_receive(ends[0], &packet, &why), CHANNEL_AGAIN);
}
END_TEST

START_TEST(a_vanished_peer_says_closed_in_both_directions)
{
	json_auto_t *json = json_object();

	close(ends[1]);
	ck_assert_int_eq(channel_receive(ends[0], &packet, &why), CHANNEL_CLOSED);
	ck_assert_int_eq(channel_send(ends[0], 10, 1, 0, json), CHANNEL_CLOSED);
	ends[1] = dup(ends[0]);
}
END_TEST

START_TEST(a_peer_that_does_not_read_says_again)
{
	json_auto_t *json = json_pack("{s:s}", "k", "v");
	enum channel_result result = CHANNEL_OK;

	for (int i = 0; i < 100000 && result == CHANNEL_OK; i++)
		result = channel_send(ends[1], 11, 1, 0, json);
	ck_assert_int_eq(result, CHANNEL_AGAIN);
}
END_TEST

static json_t *object_of_size(size_t size)
{
	size_t frame = strlen("{\"k\":\"\"}");
	cleanup_free char *value = malloc(size - frame + 1);

	memset(value, 'x', size - frame);
	value[size - frame] = '\0';
	json_t *json = json_pack("{s:s}", "k", value);
	return json;
}

START_TEST(the_largest_packet_passes)
{
	json_auto_t *json = object_of_size(WIRE_JSON_MAX);

	ck_assert_int_eq(channel_send(ends[1], 11, 1, 0, json), CHANNEL_OK);
	ck_assert_int_eq(channel_receive(ends[0], &packet, &why), CHANNEL_OK);
	ck_assert(json_equal(packet.json, json));
}
END_TEST

START_TEST(one_byte_more_is_not_sent)
{
	json_auto_t *json = object_of_size(WIRE_JSON_MAX + 1);

	ck_assert_int_eq(channel_send(ends[1], 11, 1, 0, json), CHANNEL_TOO_LONG);
	ck_assert_int_eq(channel_receive(ends[0], &packet, &why), CHANNEL_AGAIN);
}
END_TEST

START_TEST(a_packet_longer_than_allowed_is_rejected)
{
	char text[WIRE_JSON_MAX + 1];

	memset(text, ' ', sizeof(text));
	forge((struct wire_header){.type = 11, .len = sizeof(text)}, text, sizeof(text));
	assert_rejected("the packet is longer than allowed");
}
END_TEST

START_TEST(half_a_header_is_rejected)
{
	ck_assert_int_eq(send(ends[1], "12345678", 8, 0), 8);
	assert_rejected("the packet is shorter than its header");
}
END_TEST

START_TEST(a_length_that_does_not_match_is_rejected)
{
	static const uint32_t lengths[] = {0, 1, 3, 0x7fffffff, 0x80000000, 0xffffffff};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		forge((struct wire_header){.type = 11, .len = lengths[i]}, "{}", 2);
		assert_rejected("the length does not match the packet");
	}
}
END_TEST

START_TEST(a_passed_descriptor_is_rejected_and_never_ours)
{
	char control[CMSG_SPACE(sizeof(int))] = {0};
	char bytes[sizeof(struct wire_header) + 2] = {0};
	struct wire_header header = {.type = 11, .len = 2};
	struct iovec part = {.iov_base = bytes, .iov_len = sizeof(bytes)};
	struct msghdr message = {.msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = control,
	    .msg_controllen = sizeof(control)};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&message);
	int before = dup(0), after;

	close(before);
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), "{}", 2);
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &ends[1], sizeof(int));
	ck_assert_int_gt(sendmsg(ends[1], &message, 0), 0);

	assert_rejected("a descriptor was passed");
	after = dup(0);
	close(after);
	ck_assert_int_eq(before, after);
}
END_TEST

START_TEST(json_that_is_no_object_is_rejected)
{
	forge_json("[1,2]");
	assert_rejected("JSON is not an object");
}
END_TEST

START_TEST(broken_json_is_rejected)
{
	static const char *const broken[] = {"", "{", "{}x", "{\"a\":1,\"a\":2}", "{'a':1}",
	    "{\"a\":\"\xff\"}", "{\"a\":\"\\u0000\"}", "null", "{\"a\":1e999}",
	    "{\"a\":99999999999999999999}"};

	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		forge_json(broken[i]);
		assert_rejected("JSON is invalid, or has a duplicate key");
	}
}
END_TEST

/* {"a":{"a": ... {} ... }} with `depth` objects */
static void forge_nested(size_t depth)
{
	char text[WIRE_JSON_MAX];
	size_t len = 0;

	for (size_t i = 1; i < depth; i++, len += 5)
		memcpy(text + len, "{\"a\":", 5);
	memcpy(text + len, "{}", 2);
	len += 2;
	for (size_t i = 1; i < depth; i++)
		text[len++] = '}';
	text[len] = '\0';
	forge_json(text);
}

START_TEST(nesting_up_to_the_limit_passes)
{
	forge_nested(WIRE_DEPTH_MAX);
	ck_assert_int_eq(channel_receive(ends[0], &packet, &why), CHANNEL_OK);
}
END_TEST

START_TEST(nesting_beyond_the_limit_is_rejected)
{
	forge_nested(WIRE_DEPTH_MAX + 1);
	assert_rejected("JSON is nested too deeply");
	forge_nested(10000);
	assert_rejected("JSON is nested too deeply");
}
END_TEST

START_TEST(brackets_in_strings_do_not_count_as_nesting)
{
	char text[256] = "{\"a\\\"\":\"";
	size_t len = strlen(text);

	memset(text + len, '[', 100);
	memcpy(text + len + 100, "\\\\\"}", 5);
	forge_json(text);
	ck_assert_int_eq(channel_receive(ends[0], &packet, &why), CHANNEL_OK);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_packet_arrives_as_it_was_sent,
	    both_ends_close_on_exec_and_do_not_block,
	    an_empty_channel_says_again,
	    a_vanished_peer_says_closed_in_both_directions,
	    a_peer_that_does_not_read_says_again,
	    the_largest_packet_passes,
	    one_byte_more_is_not_sent,
	    a_packet_longer_than_allowed_is_rejected,
	    half_a_header_is_rejected,
	    a_length_that_does_not_match_is_rejected,
	    a_passed_descriptor_is_rejected_and_never_ours,
	    json_that_is_no_object_is_rejected,
	    broken_json_is_rejected,
	    nesting_up_to_the_limit_passes,
	    nesting_beyond_the_limit_is_rejected,
	    brackets_in_strings_do_not_count_as_nesting,
	    NULL,
	};

	return run_tests("channel", tests, open_channel, close_channel);
}
