/*
 * One row a call. A call without a row leaves all descriptors as they are.
 */
#include "worker/trace/dump/descriptor_calls.h"

#include <fcntl.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#define MOUNT_CLOEXEC 1 /* of fsopen, fsmount and fspick */

static const struct call_row rows[] = {
    {"open", OPENS, 1, O_CLOEXEC, false},
    {"openat", OPENS, 2, O_CLOEXEC, false},
    {"openat2", OPENS, FLAG_UNKNOWN, 0, false},
    {"creat", OPENS, FLAG_NONE, 0, false},
    {"open_by_handle_at", OPENS, 2, O_CLOEXEC, false},
    {"socket", OPENS, 1, SOCK_CLOEXEC, true},
    {"accept", OPENS, FLAG_NONE, 0, true},
    {"accept4", OPENS, 3, SOCK_CLOEXEC, true},
    {"epoll_create", OPENS, FLAG_NONE, 0, false},
    {"epoll_create1", OPENS, 0, O_CLOEXEC, false},
    {"eventfd", OPENS, FLAG_NONE, 0, false},
    {"eventfd2", OPENS, 1, O_CLOEXEC, false},
    {"timerfd_create", OPENS, 1, O_CLOEXEC, false},
    {"signalfd", OPENS, FLAG_NONE, 0, false},
    {"signalfd4", OPENS, 3, SFD_CLOEXEC, false},
    {"inotify_init", OPENS, FLAG_NONE, 0, false},
    {"inotify_init1", OPENS, 0, O_CLOEXEC, false},
    {"memfd_create", OPENS, 1, MFD_CLOEXEC, false},
    {"memfd_secret", OPENS, FLAG_UNKNOWN, 0, false},
    {"mq_open", OPENS, FLAG_ALWAYS, 0, false},
    {"perf_event_open", OPENS, FLAG_UNKNOWN, 0, false},
    {"pidfd_open", OPENS, FLAG_ALWAYS, 0, false},
    {"userfaultfd", OPENS, 0, O_CLOEXEC, false},
    {"fanotify_init", OPENS, 0, FAN_CLOEXEC, false},
    {"fsopen", OPENS, 1, MOUNT_CLOEXEC, false},
    {"fspick", OPENS, 2, MOUNT_CLOEXEC, false},
    {"fsmount", OPENS, 1, MOUNT_CLOEXEC, false},
    {"open_tree", OPENS, 2, O_CLOEXEC, false},
    {"landlock_create_ruleset", OPENS, FLAG_ALWAYS, 0, false},
    {"pipe", PAIR, FLAG_NONE, 0, false},
    {"pipe2", PAIR, 1, O_CLOEXEC, false},
    {"socketpair", PAIR, 1, SOCK_CLOEXEC, true},
    {"dup", DUP, FLAG_NONE, 0, false},
    {"dup2", DUP_TO, FLAG_NONE, 0, false},
    {"dup3", DUP_TO, 2, O_CLOEXEC, false},
    {"fcntl", CONTROL, FLAG_NONE, 0, false},
    {"ioctl", DEVICE, FLAG_NONE, 0, false},
    {"close", CLOSES, FLAG_NONE, 0, false},
    {"close_range", CLOSES_RANGE, FLAG_NONE, 0, false},
    {"unshare", UNSHARES, FLAG_NONE, 0, false},
    {"bind", NAMES, FLAG_NONE, 0, true},
    {"connect", NAMES, FLAG_NONE, 0, true},
    {"listen", NAMES, FLAG_NONE, 0, true},
    {"recvmsg", RECEIVES, 2, MSG_CMSG_CLOEXEC, false},
    {"sendmsg", PASSES, FLAG_NONE, 0, false},
    {"sendmmsg", PASSES, FLAG_NONE, 0, false},
    {"pidfd_getfd", TAKES, FLAG_ALWAYS, 0, false},
    {"splice", MOVES, FLAG_NONE, 5, false},
    {"tee", MOVES, FLAG_NONE, 3, false},
    {"vmsplice", MOVES, FLAG_NONE, 1, false},
    {"sendfile", MOVES, FLAG_NONE, 3, false},
    {"preadv2", MOVES, FLAG_NONE, 1, false},
    {"pwritev2", MOVES, FLAG_NONE, 1, false},
    {"recvmmsg", MOVES, FLAG_NONE, 1, false},
    {"restart_syscall", MOVES, FLAG_NONE, 1, false},
    {"io_uring_setup", UNKNOWN, FLAG_NONE, 0, false},
    {"io_submit", UNKNOWN, FLAG_NONE, 0, false},
};

const struct call_row *descriptor_call(const struct input_call *call)
{
	for (size_t i = 0; call->is_call && i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(call->name, rows[i].name) == 0)
			return &rows[i];
	return NULL;
}

bool descriptor_call_changes(const struct call_row *row)
{
	return row && row->effect != MOVES && row->effect != PASSES && row->effect != DEVICE &&
	       row->effect != NAMES && row->effect != RECEIVES;
}

enum slot_closes descriptor_call_closes(const struct call_row *row, const struct input_call *call)
{
	if (row->flags == FLAG_UNKNOWN)
		return CLOSES_PERHAPS;
	if (row->flags == FLAG_ALWAYS)
		return CLOSES_AT_EXEC;
	return row->flags >= 0 && (call->args[row->flags] & row->bit) ? CLOSES_AT_EXEC
								      : CLOSES_NEVER;
}
