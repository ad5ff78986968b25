/*
 * From a write of the kernel to the file, pipe or socket that the bytes came from, and where in it
 * they were. An offset is only told if every call that could move it is known.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include "worker/investigate/values/origin_pipe.h"
#include "worker/read/values/accessed.h"
#include "worker/moment/position.h"
#include "worker/serve/begins.h"

#define PATH_SHOWN 200
#define PAIRS_MAX  4 /* calls of pipe and socketpair that are looked at */
#define UNKNOWN	   (-1LL)
#define TYPE_MASK  0xfULL /* of a socket, beside its flags */

/* With these, a call takes from a stream as read does. */
#define PLAIN_FLAGS ((unsigned)MSG_WAITALL | MSG_DONTWAIT | MSG_NOSIGNAL | MSG_CMSG_CLOEXEC)

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

static bool reads_buffer(const struct input_call *call)
{
	static const char *const names[] = {"read", "pread64", "recvfrom", "recv", NULL};

	return is_one_of(call->name, names);
}

/* Reads on, from where the descriptor stands. */
static bool reads_on(const struct input_call *call)
{
	static const char *const names[] = {"read", "readv", "recvfrom", "recv", "recvmsg", NULL};

	return is_one_of(call->name, names);
}

/* Also reads on, but how far is not told by the result alone. */
static bool moves_unseen(const struct input_call *call)
{
	static const char *const names[] = {"recvmmsg", "preadv2", NULL};

	return is_one_of(call->name, names);
}

static bool begins_file(const struct input_call *call)
{
	static const char *const names[] = {"open", "openat", "creat", NULL};

	return is_one_of(call->name, names);
}

static bool begins_pair(const struct input_call *call)
{
	static const char *const names[] = {"pipe", "pipe2", "socketpair", NULL};

	return is_one_of(call->name, names) && call->result == 0;
}

/* Begins a descriptor, or another name of one. */
static bool begins_other(const struct input_call *call)
{
	static const char *const names[] = {"socket", "accept", "accept4", "dup", "dup2", "dup3",
	    "fcntl", "memfd_create", "eventfd2", "timerfd_create", "signalfd4", "inotify_init1",
	    "openat2", "open_by_handle_at", "pidfd_open", "pidfd_getfd", "userfaultfd", NULL};

	return is_one_of(call->name, names);
}

static bool is_copy_by_fcntl(const struct input_call *call)
{
	return call->args[1] == F_DUPFD || call->args[1] == F_DUPFD_CLOEXEC;
}

/* Whether after this call somebody else may move the descriptor's offset. */
static bool may_share(const struct input_call *call, int fd)
{
	static const char *const forks[] = {"fork", "vfork", "clone3", "io_uring_setup", "sendmsg",
	    "sendfile", "splice", "copy_file_range", "execve", NULL};
	static const char *const copies[] = {"dup", "dup2", "dup3", "fcntl", NULL};

	if (strcmp(call->name, "clone") == 0)
		return !(call->args[0] & CLONE_THREAD);
	return is_one_of(call->name, forks) ||
	       (is_one_of(call->name, copies) && (int)call->args[0] == fd &&
		   (strcmp(call->name, "fcntl") != 0 || is_copy_by_fcntl(call)));
}

/* The descriptor that was read, and what is known about it. */
struct source {
	int fd;
	const struct input_call *begun; /* NULL: the process had it from the beginning */
	const char *kind;		/* "a pipe"; NULL: a file, or not known */
	char path[PATH_SHOWN];		/* "": not known */
	long long offset;		/* of the call's first byte; or UNKNOWN */
};

/* Whether one of the two descriptors that the call stored is this. */
static bool gave_pair(struct replay *replay, const struct input_call *call, int fd)
{
	int pair[2] = {-1, -1};

	return origin_read_pair(replay, call, pair) && (pair[0] == fd || pair[1] == fd);
}

/* Finds the call that the descriptor came from, the last before `until`. */
static void find_begin(struct origin *origin, size_t until, struct source *source)
{
	const struct kernel_writes *writes = origin->writes;
	int pairs = 0;

	for (size_t i = until; i > 0; i--) {
		const struct input_call *call = &writes->inputs.calls[i - 1];

		if (!call->is_call || !kernel_writes_is_ours(writes, call->tid))
			continue;
		if (begins_pair(call) && pairs++ < PAIRS_MAX) {
			if (!gave_pair(origin->replay, call, source->fd))
				continue;
			source->kind = call->name[0] == 'p' ? "a pipe" : "a socket";
		} else if (call->result != source->fd ||
			   (!begins_file(call) && !begins_other(call)) ||
			   (strcmp(call->name, "fcntl") == 0 && !is_copy_by_fcntl(call))) {
			continue;
		}
		source->begun = call;
		break;
	}
	if (source->begun &&
	    (strcmp(source->begun->name, "socket") == 0 || begins(source->begun->name, "accept")))
		source->kind = "a socket";
}

/* The name that open was called with. */
static void read_path(struct replay *replay, struct source *source)
{
	const struct input_call *call = source->begun;
	const struct moment at = {
	    .event = call->entered, .ticks = call->ticks, .tid = call->tid, .pc = call->pc};
	unsigned long long address =
	    strcmp(call->name, "openat") == 0 ? call->args[1] : call->args[0];
	cleanup_failure struct failure ignored = {0};
	size_t length = 0;

	if (call->pc && position_go(replay, &at, &ignored))
		length = accessed_bytes(
		    replay, address, (uint8_t *)source->path, sizeof(source->path) - 1);
	source->path[length] = '\0';
}

/* The flags of a call that receives; 0: it has none. */
static unsigned flags_of(const struct input_call *call)
{
	if (strcmp(call->name, "recvmsg") == 0)
		return (unsigned)call->args[2];
	return begins(call->name, "recv") ? (unsigned)call->args[3] : 0;
}

/* Messages have no offset in a stream. Of accept, it is taken for one. */
static bool is_stream(const struct source *source)
{
	const struct input_call *begun = source->begun;

	return !begins(begun->name, "socket") || (begun->args[1] & TYPE_MASK) == SOCK_STREAM;
}

/* Where the descriptor stood when the call `until` began. */
static long long find_offset(const struct origin *origin, size_t until, const struct source *source)
{
	const struct kernel_writes *writes = origin->writes;
	const struct input_call *calls = writes->inputs.calls;
	long long offset = 0;

	if (!source->begun || !is_stream(source))
		return UNKNOWN;
	for (size_t i = (size_t)(source->begun - calls) + 1; i < until; i++) {
		const struct input_call *call = &calls[i];

		if (!call->is_call || !kernel_writes_is_ours(writes, call->tid) || call->result < 0)
			continue;
		if (may_share(call, source->fd))
			return UNKNOWN;
		if ((int)call->args[0] != source->fd)
			continue;
		/* Peeking takes nothing. What other flags take is not told by the result. */
		if ((flags_of(call) & ~(PLAIN_FLAGS | MSG_PEEK)) != 0 || moves_unseen(call))
			return UNKNOWN;
		if (reads_on(call) && !(flags_of(call) & MSG_PEEK))
			offset += call->result;
		else if (strcmp(call->name, "lseek") == 0)
			offset = call->result;
		else if (!source->kind && begins(call->name, "write"))
			return UNKNOWN;
	}
	return offset;
}

static void learn_source(
    struct origin *origin, const struct input_call *call, struct source *source)
{
	size_t number = (size_t)(call - origin->writes->inputs.calls);

	*source = (struct source){.fd = (int)call->args[0], .offset = UNKNOWN};
	find_begin(origin, number, source);
	if (source->begun && begins_file(source->begun))
		read_path(origin->replay, source);
	if (source->path[0] || source->kind)
		source->offset = find_offset(origin, number, source);
	if (strcmp(call->name, "pread64") == 0)
		source->offset = (long long)call->args[3];
	/* Peeking, and messages, have no offset in a stream. */
	if (begins(call->name, "recv") && call->args[3] != 0)
		source->offset = UNKNOWN;
}

/* `why`: why the way does not go on in a process that wrote the bytes; "": there is none. */
static void tell_source(
    struct origin *origin, const struct input_call *call, unsigned long long byte, const char *why)
{
	struct source source;
	char from[PATH_SHOWN + 40], offset[60] = "";
	json_t *input;

	learn_source(origin, call, &source);
	input = json_pack("{s:s,s:i,s:I,s:I}", "call", call->name, "fd", source.fd, "byte",
	    (json_int_t)byte, "bytes", (json_int_t)call->result);
	snprintf(from, sizeof(from), "%s",
	    source.path[0] ? source.path
	    : source.kind  ? source.kind
	    : source.begun ? "a descriptor of unknown kind"
			   : "a descriptor that the process began with");
	json_object_set_new(input, "from", json_string(from));
	if (source.offset >= 0) {
		json_object_set_new(input, "offset", json_integer(source.offset + (long long)byte));
		snprintf(
		    offset, sizeof(offset), ", at offset %lld", source.offset + (long long)byte);
	}
	origin->input = input;
	origin_finish(origin, ORIGIN_INPUT,
	    "input: byte %llu of the %lld that %s took from descriptor %d (%s%s)%s%s", byte,
	    call->result, call->name, source.fd, from, offset,
	    why[0] ? "; who wrote it cannot be followed, because " : "", why);
	if (why[0])
		json_object_set_new(input, "not_followed", json_string(why));
}

bool origin_from_kernel(
    struct origin *origin, const struct input_range *range, struct failure *failure)
{
	struct replay *replay = origin->replay;
	const struct input_call *call = &origin->writes->inputs.calls[range->call];
	const struct moment at = {
	    .event = call->entered, .ticks = call->ticks, .tid = call->tid, .pc = call->pc};
	unsigned long long byte;
	char why[ORIGIN_TEXT_MAX / 2];

	origin_narrow(&origin->now, range->address, range->address + range->length);
	byte = origin->now.address - call->args[1];
	if (reads_buffer(call) && byte < (unsigned long long)call->result) {
		switch (origin_from_pipe(origin, call, byte, why, sizeof(why), failure)) {
		case ORIGIN_PIPED:
			return true;
		case ORIGIN_PIPE_FAILED:
			return origin_stop(origin, failure);
		case ORIGIN_NOT_PIPED:
			break;
		}
		tell_source(origin, call, byte, why);
	} else if (call->is_call)
		origin_finish(
		    origin, ORIGIN_INPUT, "input: the system call %s wrote it", call->name);
	else
		origin_finish(origin, ORIGIN_INPUT, "the kernel wrote it (%s)", call->name);
	if (call->pc && !position_go(replay, &at, failure))
		return origin_stop(origin, failure);
	return false;
}
