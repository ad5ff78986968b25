/*
 * Whole packets over a SEQPACKET socketpair. Parses what a compromised peer may have sent: every
 * length is checked before it is used, nesting before the recursive JSON parser sees the text.
 * Must never block, never take a descriptor from the peer and never raise SIGPIPE.
 */
#include "sandbox/wire/channel.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include "sandbox/wire/proto.h"

int channel_pair(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends);
}

static enum channel_result send_error(int error)
{
	switch (error) {
	case EAGAIN:
	case ENOBUFS:
	case EINTR:
		return CHANNEL_AGAIN;
	case EMSGSIZE:
		return CHANNEL_TOO_LONG;
	default:
		return CHANNEL_CLOSED;
	}
}

enum channel_result channel_send(
    int fd, uint32_t type, uint32_t id, uint32_t flags, const json_t *json)
{
	char text[WIRE_JSON_MAX];
	size_t len = json_dumpb(json, text, sizeof(text), JSON_COMPACT);

	/* 0: not an object or array, or nested beyond jansson's own limit */
	if (len == 0 || len > sizeof(text))
		return CHANNEL_TOO_LONG;

	struct wire_header header = {.type = type, .id = id, .len = (uint32_t)len, .flags = flags};
	struct iovec parts[] = {
	    {.iov_base = &header, .iov_len = sizeof(header)},
	    {.iov_base = text, .iov_len = len},
	};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

	if (sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return send_error(errno);
	return CHANNEL_OK;
}

/* The JSON parser recurses, so deeply nested JSON must not reach it. */
static bool nesting_is_bounded(const char *text, size_t len)
{
	size_t depth = 0;
	bool in_string = false;

	for (size_t i = 0; i < len; i++) {
		if (in_string) {
			if (text[i] == '\\')
				i++;
			else if (text[i] == '"')
				in_string = false;
			continue;
		}
		if (text[i] == '"')
			in_string = true;
		else if (text[i] == '{' || text[i] == '[') {
			if (++depth > WIRE_DEPTH_MAX)
				return false;
		} else if ((text[i] == '}' || text[i] == ']') && depth > 0)
			depth--;
	}
	return true;
}

static enum channel_result reject(const char **why, const char *reason)
{
	*why = reason;
	return CHANNEL_REJECTED;
}

static enum channel_result parse(const char *text, size_t len, json_t **json, const char **why)
{
	if (!nesting_is_bounded(text, len))
		return reject(why, "JSON is nested too deeply");

	*json = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	if (!*json)
		return reject(why, "JSON is invalid, or has a duplicate key");
	if (!json_is_object(*json)) {
		json_decref(*json);
		*json = NULL;
		return reject(why, "JSON is not an object");
	}
	return CHANNEL_OK;
}

static enum channel_result receive_error(int error, const char **why)
{
	switch (error) {
	case EAGAIN:
	case EINTR:
		return CHANNEL_AGAIN;
	case ECONNRESET:
		return CHANNEL_CLOSED;
	default:
		return reject(why, "the channel cannot be read");
	}
}

enum channel_result channel_receive(int fd, struct channel_packet *packet, const char **why)
{
	struct wire_header header = {0};
	char text[WIRE_JSON_MAX];
	struct iovec parts[] = {
	    {.iov_base = &header, .iov_len = sizeof(header)},
	    {.iov_base = text, .iov_len = sizeof(text)},
	};
	/* Without a control buffer the kernel drops passed descriptors and says MSG_CTRUNC. */
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
	ssize_t got = recvmsg(fd, &message, MSG_DONTWAIT);

	memset(packet, 0, sizeof(*packet));
	*why = NULL;
	if (got < 0)
		return receive_error(errno, why);
	if (got == 0) /* the end, or an empty packet, which nobody of ours sends */
		return CHANNEL_CLOSED;
	if (message.msg_flags & MSG_CTRUNC)
		return reject(why, "a descriptor was passed");
	if (message.msg_flags & MSG_TRUNC)
		return reject(why, "the packet is longer than allowed");
	if ((size_t)got < sizeof(header))
		return reject(why, "the packet is shorter than its header");
	if (header.len != (size_t)got - sizeof(header))
		return reject(why, "the length does not match the packet");

	packet->type = header.type;
	packet->id = header.id;
	packet->flags = header.flags;
	return parse(text, header.len, &packet->json, why);
}
