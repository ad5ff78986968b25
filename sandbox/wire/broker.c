/*
 * See broker.h. Believes neither side: sizes are fixed, strings are ended here, and a descriptor
 * that was not asked for is closed.
 */
#include "sandbox/wire/broker.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWER_MS 10000

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int broker_send(int fd, const struct broker_reply *reply, int descriptor)
{
	union control control = {0};
	struct iovec part = {.iov_base = (void *)reply, .iov_len = sizeof(*reply)};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (descriptor >= 0) {
		struct cmsghdr *header;
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
	}
	return sendmsg(fd, &message, MSG_NOSIGNAL) == sizeof(*reply) ? 0 : -1;
}

int broker_receive(int fd, struct broker_request *request)
{
	struct iovec part = {.iov_base = request, .iov_len = sizeof(*request)};
	/* Without a control buffer the kernel drops passed descriptors. */
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t got;

	do
		got = recvmsg(fd, &message, 0);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return 0;
	request->path[sizeof(request->path) - 1] = '\0';
	return got == sizeof(*request) && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) ? 1 : -1;
}

static int descriptor_of(struct msghdr *message)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);
	int descriptor;

	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
	    header->cmsg_len != CMSG_LEN(sizeof(int)))
		return -1;
	memcpy(&descriptor, CMSG_DATA(header), sizeof(int));
	return descriptor;
}

static int fail(struct broker_reply *reply, int error, const char *why)
{
	snprintf(reply->why, sizeof(reply->why), "%s", why);
	errno = error;
	return -1;
}

static int await_reply(int fd, struct broker_reply *reply)
{
	union control control;
	struct iovec part = {.iov_base = reply, .iov_len = sizeof(*reply)};
	struct msghdr message = {.msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof(control)};
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	int descriptor, result;

	do
		result = poll(&ready, 1, ANSWER_MS);
	while (result < 0 && errno == EINTR);
	if (result <= 0)
		return fail(reply, ETIMEDOUT, "the file's file system does not answer");
	if (recvmsg(fd, &message, MSG_CMSG_CLOEXEC) != sizeof(*reply))
		return fail(reply, EPIPE, "no files are given to this session any more");
	reply->why[sizeof(reply->why) - 1] = '\0';
	reply->path[sizeof(reply->path) - 1] = '\0';
	descriptor = descriptor_of(&message);
	if (reply->error == 0)
		return descriptor >= 0 ? descriptor : 0;
	if (descriptor >= 0)
		close(descriptor);
	errno = reply->error;
	return -1;
}

int broker_ask(int fd, enum broker_what what, const char *path, struct broker_reply *reply)
{
	static struct broker_request request;

	memset(&request, 0, sizeof(request));
	request.what = what;
	if (strlcpy(request.path, path ? path : "", sizeof(request.path)) >= sizeof(request.path))
		return fail(reply, ENAMETOOLONG, "the path is too long");
	if (send(fd, &request, sizeof(request), MSG_NOSIGNAL) != sizeof(request))
		return fail(reply, EPIPE, "no files are given to this session");
	return await_reply(fd, reply);
}
