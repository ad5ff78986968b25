/*
 * See descriptors.h. Leaves no descriptor open that the caller does not know of, whatever the peer
 * sends.
 */
#include "sandbox/wire/descriptors.h"

#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
};

ssize_t descriptors_send(int socket, const void *packet, size_t size, const int *fds, size_t count)
{
	union control control = {0};
	struct iovec part = {.iov_base = (void *)packet, .iov_len = size};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (count) {
		struct cmsghdr *header;
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(header), fds, count * sizeof(int));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL);
}

/* The descriptors in the packet. The kernel passes at most as many as fit the control buffer. */
static size_t passed(struct msghdr *message, int fds[DESCRIPTORS_MAX])
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);
	size_t count;

	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
		return 0;
	count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds, CMSG_DATA(header), count * sizeof(int));
	return count;
}

ssize_t descriptors_receive(
    int socket, void *packet, size_t size, int flags, int *fds, size_t count)
{
	union control control = {0};
	struct iovec part = {.iov_base = packet, .iov_len = size};
	struct msghdr message = {.msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof(control)};
	ssize_t got = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
	int came[DESCRIPTORS_MAX];
	size_t came_count = got < 0 ? 0 : passed(&message, came);
	bool wanted = came_count == count && !(message.msg_flags & MSG_CTRUNC);

	for (size_t i = 0; i < came_count && !wanted; i++)
		close(came[i]);
	for (size_t i = 0; i < count; i++)
		fds[i] = wanted ? came[i] : -1;
	return got;
}
