/*
 * One row for each call that opens. What a call does not tell is left out.
 */
#include "worker/investigate/files/open_words.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define TYPE_MASK 0xf /* of a socket, beside its flags */

static const struct {
	const char *call, *words;
} kinds[] = {
    {"open", "file"},
    {"openat", "file"},
    {"openat2", "file"},
    {"creat", "file"},
    {"open_by_handle_at", "file of a handle"},
    {"epoll_create", "epoll"},
    {"epoll_create1", "epoll"},
    {"eventfd", "eventfd"},
    {"eventfd2", "eventfd"},
    {"timerfd_create", "timerfd"},
    {"signalfd", "signalfd"},
    {"signalfd4", "signalfd"},
    {"inotify_init", "inotify"},
    {"inotify_init1", "inotify"},
    {"memfd_create", "memfd"},
    {"memfd_secret", "secret memory"},
    {"mq_open", "message queue"},
    {"perf_event_open", "perf event"},
    {"userfaultfd", "userfaultfd"},
    {"fanotify_init", "fanotify"},
    {"fsopen", "file system being made:"},
    {"fspick", "file system at"},
    {"fsmount", "mount"},
    {"open_tree", "mount at"},
    {"landlock_create_ruleset", "Landlock rules"},
};

static bool is(const struct input_call *call, const char *name)
{
	return call && strcmp(call->name, name) == 0;
}

static bool is_accepted(const struct input_call *call)
{
	return is(call, "accept") || is(call, "accept4");
}

static bool is_received(const struct input_call *call)
{
	return is(call, "recvmsg");
}

static const char *text_of(const struct seen_calls *seen, const struct input_call *call)
{
	const struct seen_call *known = call ? seen_calls_get(seen, call) : NULL;

	return known ? known->text : "";
}

void open_words_want(const struct open_descriptor *descriptor, struct seen_calls *seen)
{
	seen_calls_want(seen, descriptor->slot.made);
	seen_calls_want(seen, descriptor->file.call);
	seen_calls_want(seen, descriptor->file.bound);
	seen_calls_want(seen, descriptor->file.connected);
}

/* ---- Sockets --------------------------------------------------------------------------------- */

static const char *family(unsigned long long domain)
{
	return domain == AF_UNIX      ? "Unix"
	       : domain == AF_INET    ? "IPv4"
	       : domain == AF_INET6   ? "IPv6"
	       : domain == AF_NETLINK ? "netlink"
	       : domain == AF_PACKET  ? "packet"
	       : domain == AF_VSOCK   ? "vsock"
				      : "other";
}

static const char *type(unsigned long long type)
{
	const unsigned long long kind = type & TYPE_MASK;

	return kind == SOCK_STREAM	? "stream"
	       : kind == SOCK_DGRAM	? "datagram"
	       : kind == SOCK_SEQPACKET ? "packet stream"
	       : kind == SOCK_RAW	? "raw"
					: "other";
}

static json_t *socket_words(const struct open_descriptor *descriptor, const struct seen_calls *seen)
{
	const struct open_file *file = &descriptor->file;
	const char *bound = text_of(seen, file->bound), *to = text_of(seen, file->connected);
	const bool accepted = is_accepted(file->call);
	const char *from = accepted ? text_of(seen, file->call) : "";
	char kind[80] = "connection";

	if (!accepted)
		snprintf(kind, sizeof(kind), "%s %s socket", family(file->call->args[0]),
		    type(file->call->args[1]));
	else
		snprintf(kind, sizeof(kind), "connection accepted by descriptor %d",
		    (int)file->call->args[0]);
	return json_sprintf("%s%s%s%s%s%s%s%s%s%s", kind, *from ? " from " : "", from,
	    file->bound ? ", bound" : "", *bound ? " to " : "", bound,
	    file->listens ? ", listening" : "", file->connected ? ", connected" : "",
	    *to ? " to " : "", to);
}

/* ---- Words ----------------------------------------------------------------------------------- */

static json_t *pair_words(const struct open_descriptor *descriptor)
{
	const bool reads = descriptor->slot.end == 0, socket = descriptor->slot.socket;
	const char *other = socket ? "other" : reads ? "write" : "read";
	char where[40];

	if (descriptor->other >= 0)
		snprintf(where, sizeof(where), "%s end: %d", other, descriptor->other);
	else
		snprintf(where, sizeof(where), "its %s end is not open here", other);
	return json_sprintf("%s (%s)",
	    socket  ? "end of a socketpair"
	    : reads ? "read end of a pipe"
		    : "write end of a pipe",
	    where);
}

static json_t *file_words(const struct open_descriptor *descriptor, const struct seen_calls *seen)
{
	const struct input_call *call = descriptor->file.call;
	const char *text = text_of(seen, call), *kind = call->name;
	const unsigned flags = is(call, "openat") ? (unsigned)call->args[2]
			       : is(call, "open") ? (unsigned)call->args[1]
						  : 0;
	char below[40] = "";

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (is(call, kinds[i].call))
			kind = kinds[i].words;
	if ((flags & O_TMPFILE) == O_TMPFILE)
		kind = "file without a name in";
	else if (flags & O_DIRECTORY)
		kind = "directory";
	if (strncmp(call->name, "openat", 6) == 0 && (int)call->args[0] != AT_FDCWD && *text &&
	    *text != '/')
		snprintf(below, sizeof(below), " below descriptor %d", (int)call->args[0]);
	return json_sprintf("%s%s%s%s", kind, *text ? " " : "", text, below);
}

json_t *open_words(const struct open_descriptor *descriptor, const struct seen_calls *seen)
{
	const struct input_call *call = descriptor->file.call;

	if (!call)
		return json_sprintf("what the program began with as %d", descriptor->slot.outside);
	if (is_received(call))
		return json_sprintf(
		    "received over descriptor %d: what it is cannot be known", (int)call->args[0]);
	if (is(call, "pidfd_getfd"))
		return json_string("taken from another process: what it is cannot be known");
	if (is(call, "pidfd_open"))
		return json_sprintf("pidfd of process %d", (int)call->args[0]);
	if (descriptor->slot.kind == SLOT_END)
		return pair_words(descriptor);
	if (is(call, "socket") || is_accepted(call))
		return socket_words(descriptor, seen);
	return file_words(descriptor, seen);
}

static bool is_copy(const struct open_descriptor *descriptor)
{
	return descriptor->slot.made && descriptor->slot.made != descriptor->file.call;
}

const char *open_words_how(const struct open_descriptor *descriptor)
{
	if (is_copy(descriptor))
		return "copied";
	if (is_received(descriptor->file.call))
		return "received";
	return is(descriptor->file.call, "pidfd_getfd") ? "taken" : "";
}
