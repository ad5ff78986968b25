/*
 * Reads what a call was given before it runs, and what it brought when it has returned. Must never
 * trust a length that the program's memory has.
 */
#include "worker/investigate/files/seen_calls.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "sandbox/wire/scrub.h"
#include "worker/investigate/code/where.h"
#include "worker/investigate/files/call_visits.h"
#include "worker/run/recorded_call.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/position.h"
#include "worker/read/values/accessed.h"
#include "worker/trace/dump/grow.h"

#define OUTER	    2 /* callers behind the first frame */
#define CONTROL_MAX 4096

/* ---- What memory says ------------------------------------------------------------------------ */

static void read_text(struct replay *replay, unsigned long long address, struct seen_call *seen)
{
	char bytes[SEEN_TEXT_MAX];
	size_t length = accessed_bytes(replay, address, (uint8_t *)bytes, sizeof(bytes));

	scrub_bytes(seen->text, sizeof(seen->text), bytes, strnlen(bytes, length));
}

static void name_path(const struct sockaddr_un *address, size_t length, struct seen_call *seen)
{
	const size_t room = length - offsetof(struct sockaddr_un, sun_path);
	const bool is_abstract = address->sun_path[0] == '\0';

	/* Only the name of a file ends at a NUL. */
	if (is_abstract)
		seen->text[0] = '@';
	scrub_bytes(seen->text + is_abstract, sizeof(seen->text) - is_abstract,
	    address->sun_path + is_abstract,
	    is_abstract ? room - 1 : strnlen(address->sun_path, room));
}

static void name_address(const void *bytes, size_t length, struct seen_call *seen)
{
	const struct sockaddr *any = bytes;
	const struct sockaddr_in *four = bytes;
	const struct sockaddr_in6 *six = bytes;
	char text[INET6_ADDRSTRLEN] = "";

	if (any->sa_family == AF_UNIX && length > offsetof(struct sockaddr_un, sun_path))
		name_path(bytes, length, seen);
	else if (any->sa_family == AF_INET && length >= sizeof(*four) &&
		 inet_ntop(AF_INET, &four->sin_addr, text, sizeof(text)))
		snprintf(seen->text, sizeof(seen->text), "%s:%u", text, ntohs(four->sin_port));
	else if (any->sa_family == AF_INET6 && length >= sizeof(*six) &&
		 inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof(text)))
		snprintf(seen->text, sizeof(seen->text), "[%s]:%u", text, ntohs(six->sin6_port));
}

static void read_address(struct replay *replay, unsigned long long address,
    unsigned long long length, struct seen_call *seen)
{
	struct sockaddr_storage bytes = {0};

	if (length > sizeof(bytes))
		length = sizeof(bytes);
	if (address && length >= sizeof(sa_family_t) &&
	    accessed_whole(replay, address, &bytes, (size_t)length))
		name_address(&bytes, (size_t)length, seen);
}

static void add_fd(struct seen_call *seen, int fd)
{
	int *list = seen->fd_count < SEEN_FDS_MAX
			? grow_list(seen->fds, seen->fd_count, sizeof(*list))
			: NULL;

	if (!list)
		return;
	seen->fds = list;
	list[seen->fd_count++] = fd;
}

/* The descriptors of a message, in the order in which they came. */
static void read_message(struct replay *replay, unsigned long long address, struct seen_call *seen)
{
	_Alignas(struct cmsghdr) uint8_t control[CONTROL_MAX];
	struct msghdr message;

	if (!accessed_whole(replay, address, &message, sizeof(message)))
		return;
	if (message.msg_controllen > sizeof(control))
		message.msg_controllen = sizeof(control);
	if (!message.msg_controllen ||
	    !accessed_whole(replay, (unsigned long long)(uintptr_t)message.msg_control, control,
		message.msg_controllen))
		return;
	message.msg_control = control;
	for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part;
	     part = CMSG_NXTHDR(&message, part)) {
		const uint8_t *at = CMSG_DATA(part), *end = (const uint8_t *)part;
		const size_t left = (size_t)(control + message.msg_controllen - end);

		if (part->cmsg_len < CMSG_LEN(0) || part->cmsg_len > left)
			return;
		end += part->cmsg_len;
		if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
			continue;
		for (; end - at >= (ptrdiff_t)sizeof(int); at += sizeof(int)) {
			int fd;

			memcpy(&fd, at, sizeof(fd));
			add_fd(seen, fd);
		}
	}
}

static void read_pair(struct replay *replay, struct seen_call *seen)
{
	int pair[2];

	if (!recorded_call_pair(replay, seen->call, pair))
		return;
	add_fd(seen, pair[0]);
	add_fd(seen, pair[1]);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* The argument that is the name of a file, or of what is like one. */
static void read_before(struct replay *replay, struct seen_call *seen)
{
	static const struct {
		const char *call;
		int argument;
	} names[] = {{"open", 0}, {"openat", 1}, {"openat2", 1}, {"creat", 0}, {"memfd_create", 0},
	    {"mq_open", 0}, {"fsopen", 0}, {"fspick", 1}, {"open_tree", 1}};
	const struct input_call *call = seen->call;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i].call, call->name) == 0)
			read_text(replay, call->args[names[i].argument], seen);
	if (strcmp(call->name, "bind") == 0 || strcmp(call->name, "connect") == 0)
		read_address(replay, call->args[1], call->args[2], seen);
}

static void read_behind(struct replay *replay, struct seen_call *seen)
{
	const struct input_call *call = seen->call;
	unsigned length = 0;

	if (strncmp(call->name, "pipe", 4) == 0 || strcmp(call->name, "socketpair") == 0) {
		if (call_visits_pass(replay, call))
			read_pair(replay, seen);
	} else if (strcmp(call->name, "recvmsg") == 0) {
		if (call_visits_pass(replay, call))
			read_message(replay, call->args[1], seen);
	} else if (strncmp(call->name, "accept", 6) == 0 && call->args[1]) {
		if (call_visits_pass(replay, call) &&
		    accessed_whole(replay, call->args[2], &length, sizeof(length)))
			read_address(replay, call->args[1], length, seen);
	}
}

static void forget(struct seen_call *seen)
{
	json_decref(seen->where);
	json_decref(seen->moment);
	free(seen->fds);
	*seen = (struct seen_call){.call = seen->call};
}

/* Whether the one before is of the same site: an answer names the moment of a site's first call. */
static bool is_alike(
    const struct seen_calls *all, const struct seen_call *before, const struct seen_call *seen)
{
	return before->moment && before->call->entered < seen->call->entered &&
	       strcmp(before->call->name, seen->call->name) == 0 &&
	       json_equal(before->where, seen->where) &&
	       kernel_writes_process(all->writes, before->call->tid) ==
		   kernel_writes_process(all->writes, seen->call->tid);
}

static bool is_first(const struct seen_calls *all, const struct seen_call *seen)
{
	for (size_t i = 0; i < all->count; i++)
		if (is_alike(all, &all->list[i], seen))
			return false;
	return true;
}

static void see(void *context, struct replay *replay, const struct call_visit *visit)
{
	struct seen_calls *all = context;
	struct seen_call *seen = &all->list[visit->number];

	seen->where = where_and_callers(replay, OUTER);
	if (is_first(all, seen)) {
		position_take_sum(replay);
		seen->moment = moment_name(replay, replay_now(replay));
	}
	read_before(replay, seen);
	read_behind(replay, seen);
	/* An interrupt may have met gdb while it read. */
	if (!worker_goes_on(replay_worker(replay)))
		forget(seen);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static struct seen_call *find(const struct seen_calls *seen, const struct input_call *call)
{
	for (size_t i = 0; i < seen->count; i++)
		if (seen->list[i].call == call)
			return &seen->list[i];
	return NULL;
}

void seen_calls_want(struct seen_calls *seen, const struct input_call *call)
{
	struct seen_call *list;

	if (!call || seen->count == SEEN_CALLS_MAX || find(seen, call))
		return;
	list = grow_list(seen->list, seen->count, sizeof(*list));
	if (!list)
		return;
	seen->list = list;
	list[seen->count++] = (struct seen_call){.call = call};
}

void seen_calls_visit(struct seen_calls *seen)
{
	struct call_visit *visits = calloc(seen->count + 1, sizeof(*visits));
	size_t count = 0;

	for (size_t i = seen->visited; visits && i < seen->count; i++)
		visits[count++] = (struct call_visit){.call = seen->list[i].call, .number = i};
	call_visits_go(seen->replay, seen->writes, visits, count, see, seen);
	free(visits);
	seen->visited = seen->count;
}

const struct seen_call *seen_calls_get(const struct seen_calls *seen, const struct input_call *call)
{
	const struct seen_call *found = find(seen, call);

	return found && found->where ? found : NULL;
}

void seen_calls_free(struct seen_calls *seen)
{
	for (size_t i = 0; i < seen->count; i++)
		forget(&seen->list[i]);
	free(seen->list);
}
