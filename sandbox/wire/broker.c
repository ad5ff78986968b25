/*
 * See broker.h. Trusts neither side: sizes are fixed, strings are terminated here, and unexpected
 * descriptors are closed.
 */
#include "sandbox/wire/broker.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/wire/descriptors.h"

#define ANSWER_MS 10000
#define SURVEY_MS 20000 /* BROKER_RECORDED: debug information is read */

int broker_send(int fd, const struct broker_reply *reply, int descriptor)
{
	return descriptors_send(fd, reply, sizeof(*reply), &descriptor, descriptor >= 0) ==
		       sizeof(*reply)
		   ? 0
		   : -1;
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

static int fail(struct broker_reply *reply, int error, const char *why)
{
	snprintf(reply->why, sizeof(reply->why), "%s", why);
	errno = error;
	return -1;
}

static int await_reply(int fd, int milliseconds, struct broker_reply *reply)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	int descriptor, result;

	do
		result = poll(&ready, 1, milliseconds);
	while (result < 0 && errno == EINTR);
	if (result <= 0)
		return fail(reply, ETIMEDOUT, "the file system does not answer");
	if (descriptors_receive(fd, reply, sizeof(*reply), 0, &descriptor, 1) != sizeof(*reply)) {
		if (descriptor >= 0)
			close(descriptor);
		return fail(reply, EPIPE,
		    "this session can open no more files: close it, and open the trace again");
	}
	reply->why[sizeof(reply->why) - 1] = '\0';
	reply->path[sizeof(reply->path) - 1] = '\0';
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
		return fail(reply, EPIPE,
		    "this session can open no more files: close it, and open the trace again");
	return await_reply(fd, what == BROKER_RECORDED ? SURVEY_MS : ANSWER_MS, reply);
}
