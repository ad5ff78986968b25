/*
 * A worker gone bad, put in the real one's place: answers its start as it should, and misbehaves at
 * the session's start in the way that the client's `at` names. For tests only; never installed.
 */
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "sandbox/channel.h"
#include "sandbox/proto.h"
#include "sandbox/seccomp.h"

#define FLOOD_PACKETS 1000000

static void answer(const struct channel_packet *request, json_t *json)
{
	channel_send(WORKER_CHANNEL_FD, request->type + 1, request->id, 0, json);
	json_decref(json);
}

static void send_raw(uint32_t type, uint32_t id, uint32_t len, const char *bytes, size_t size)
{
	char packet[sizeof(struct wire_header) + 4096] = {0};
	struct wire_header header = {.type = type, .id = id, .len = len};
	memcpy(packet, &header, sizeof(header));
	memcpy(packet + sizeof(header), bytes, size);
	send(WORKER_CHANNEL_FD, packet, sizeof(header) + size, MSG_NOSIGNAL);
}

static void pass_descriptor(const struct channel_packet *request)
{
	struct wire_header header = {.type = request->type + 1, .id = request->id, .len = 2};
	char json[] = "{}", control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec parts[] = {{&header, sizeof(header)}, {json, 2}};
	struct msghdr message = {.msg_iov = parts,
	    .msg_iovlen = 2,
	    .msg_control = control,
	    .msg_controllen = sizeof(control)};
	struct cmsghdr *passed = CMSG_FIRSTHDR(&message);
	passed->cmsg_level = SOL_SOCKET;
	passed->cmsg_type = SCM_RIGHTS;
	passed->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(passed), &(int){WORKER_CHANNEL_FD}, sizeof(int));
	sendmsg(WORKER_CHANNEL_FD, &message, MSG_NOSIGNAL);
}

static void flood(const struct channel_packet *request)
{
	struct pollfd ready = {.fd = WORKER_CHANNEL_FD, .events = POLLOUT};
	json_t *progress = json_pack("{s:i}", "progress", 1);
	for (int i = 0; i < FLOOD_PACKETS; i++) {
		json_object_set_new(progress, "progress", json_integer(i));
		poll(&ready, 1, -1);
		if (channel_send(WORKER_CHANNEL_FD, WIRE_PROGRESS, request->id, 0, progress) ==
		    CHANNEL_CLOSED)
			break;
	}
	json_decref(progress);
}

static void misbehave(const struct channel_packet *request, const char *how)
{
	uint32_t type = request->type + 1, id = request->id;
	if (strcmp(how, "flood") == 0)
		flood(request);
	else if (strcmp(how, "half a header") == 0)
		send(WORKER_CHANNEL_FD, "abcdefg", 7, MSG_NOSIGNAL);
	else if (strcmp(how, "length too long") == 0)
		send_raw(type, id, 4000, "{}", 2);
	else if (strcmp(how, "length too short") == 0)
		send_raw(type, id, 1, "{}", 2);
	else if (strcmp(how, "unknown type") == 0)
		send_raw(9999, id, 2, "{}", 2);
	else if (strcmp(how, "a request") == 0)
		send_raw(request->type, id, 2, "{}", 2);
	else if (strcmp(how, "wrong id") == 0)
		send_raw(type, id + 1000, 2, "{}", 2);
	else if (strcmp(how, "no json") == 0)
		send_raw(type, id, 4, "oops", 4);
	else if (strcmp(how, "an array") == 0)
		send_raw(type, id, 2, "[]", 2);
	else if (strcmp(how, "duplicate keys") == 0)
		send_raw(type, id, 13, "{\"a\":1,\"a\":2}", 13);
	else if (strcmp(how, "a descriptor") == 0)
		pass_descriptor(request);
	else if (strcmp(how, "exit") == 0)
		_exit(3);
	else if (strcmp(how, "violation") == 0) {
		seccomp_enter(&role_policies[ROLE_WORKER]);
		socket(AF_UNIX, SOCK_STREAM, 0);
		_exit(1);
	} else if (strcmp(how, "empty answer") == 0)
		send_raw(type, id, 2, "{}", 2);
	else if (strcmp(how, "twice") == 0) {
		send_raw(type, id, 2, "{}", 2);
		send_raw(type, id, 2, "{}", 2);
	}
	/* And, as "silent", says nothing more and reads nothing more. */
	for (;;)
		pause();
}

int main(void)
{
	struct pollfd ready = {.fd = WORKER_CHANNEL_FD, .events = POLLIN};
	for (;;) {
		struct channel_packet packet;
		const char *why;
		poll(&ready, 1, -1);
		enum channel_result got = channel_receive(WORKER_CHANNEL_FD, &packet, &why);
		if (got == CHANNEL_AGAIN)
			continue;
		if (got != CHANNEL_OK)
			return 0;
		if (packet.type == WIRE_OP_START)
			answer(&packet, json_pack("{s:i, s:{s:s, s:{}}}", "pid", (int)getpid(),
					    "sandbox", "level", "off", "layers"));
		else if (packet.type == WIRE_OP_REPLAY_START)
			misbehave(&packet, json_string_value(json_object_get(
					       json_object_get(packet.json, "args"), "at")));
		else if (packet.type == WIRE_STOP)
			return 0;
		json_decref(packet.json);
	}
}
