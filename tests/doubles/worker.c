/*
 * A worker that misbehaves, in the real one's place: it answers its start correctly, and at the
 * session's start misbehaves in the way that the client's `at` names. For tests only; never
 * installed.
 */
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "sandbox/seccomp.h"
#include "tests/doubles/service.h"

#define FLOOD_PACKETS 1000000

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

static void half_a_header(const struct channel_packet *request)
{
	(void)request;
	send(WORKER_CHANNEL_FD, "abcdefg", 7, MSG_NOSIGNAL);
}

static void leave(const struct channel_packet *request)
{
	(void)request;
	_exit(3);
}

static void violate(const struct channel_packet *request)
{
	(void)request;
	seccomp_enter(&role_rules[ROLE_WORKER], false);
	socket(AF_UNIX, SOCK_STREAM, 0);
	_exit(1);
}

static const struct {
	const char *name;
	void (*act)(const struct channel_packet *request);
} manners[] = {
    {"flood", flood},
    {"half a header", half_a_header},
    {"a descriptor", pass_descriptor},
    {"exit", leave},
    {"violation", violate},
};

/* One packet. `type` 0 is that of the answer, `later` is added to the id, and `length` is the
 * claimed one. */
static const struct {
	const char *name;
	uint32_t type, later, length;
	const char *bytes;
} packets[] = {
    {"length too long", 0, 0, 4000, "{}"},
    {"length too short", 0, 0, 1, "{}"},
    {"unknown type", 9999, 0, 2, "{}"},
    {"a request", WIRE_OP_REPLAY_START, 0, 2, "{}"},
    {"wrong id", 0, 1000, 2, "{}"},
    {"no json", 0, 0, 4, "oops"},
    {"an array", 0, 0, 2, "[]"},
    {"duplicate keys", 0, 0, 13, "{\"a\":1,\"a\":2}"},
};

/* Then it neither writes nor reads any more, as "silent" does from the start. */
static json_t *misbehave(const struct channel_packet *request)
{
	const char *how =
	    json_string_value(json_object_get(json_object_get(request->json, "args"), "at"));

	for (size_t i = 0; how && i < sizeof(manners) / sizeof(*manners); i++)
		if (strcmp(how, manners[i].name) == 0)
			manners[i].act(request);
	for (size_t i = 0; how && i < sizeof(packets) / sizeof(*packets); i++)
		if (strcmp(how, packets[i].name) == 0)
			send_raw(packets[i].type ? packets[i].type : request->type + 1,
			    request->id + packets[i].later, packets[i].length, packets[i].bytes,
			    strlen(packets[i].bytes));
	while (pause() < 0)
		continue;
	return NULL;
}

int main(void)
{
	return service_run(misbehave);
}
