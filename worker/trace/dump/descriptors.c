/*
 * A table of slots for each process, as the kernel has it: threads share one, a fork copies it, an
 * exec closes some. Must never trust a descriptor's number or a result.
 */
#include "worker/trace/dump/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include "worker/trace/dump/grow.h"

#define STANDARD_COUNT	 3 /* that every program begins with */
#define RANGE_UNSHARE	 2 /* flags of close_range */
#define RANGE_CLOEXEC	 4
#define FLAG_NONE	 (-1)
#define FLAG_ALWAYS	 (-2)
#define FLAG_UNKNOWN	 (-3)
#define ONLY_FLAGS	 (O_CLOEXEC | O_NONBLOCK) /* that leave a pipe a stream */
#define SOCKET_TYPE_MASK 0xf

static const char not_all[] = "with a result that shows that not all descriptors are known";

struct table {
	struct slot *slots;
	size_t count, users;
	unsigned changing; /* calls under way that may begin or close descriptors */
	long unverified;   /* see descriptors_unverified */
	struct doubt doubt;
};

enum effect {
	OPENS,
	PAIR,
	DUP,
	DUP_TO,
	CONTROL,
	DEVICE,
	CLOSES,
	CLOSES_RANGE,
	UNSHARES,
	PASSES,	 /* may pass descriptors on */
	TAKES,	 /* takes those of others */
	MOVES,	 /* bytes, without a read or a write; `bit` has a bit for each such argument */
	UNKNOWN, /* may do anything to what the process holds */
};

struct call_row {
	const char *name;
	enum effect effect;
	int flags; /* the argument with the bit for closing at exec, or FLAG_… */
	unsigned long long bit;
	bool socket;
};

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
    {"signalfd", OPENS, FLAG_UNKNOWN, 0, false},
    {"signalfd4", OPENS, FLAG_UNKNOWN, 0, false},
    {"inotify_init", OPENS, FLAG_NONE, 0, false},
    {"inotify_init1", OPENS, 0, O_CLOEXEC, false},
    {"memfd_create", OPENS, 1, MFD_CLOEXEC, false},
    {"memfd_secret", OPENS, FLAG_UNKNOWN, 0, false},
    {"mq_open", OPENS, FLAG_ALWAYS, 0, false},
    {"perf_event_open", OPENS, FLAG_UNKNOWN, 0, false},
    {"pidfd_open", OPENS, FLAG_ALWAYS, 0, false},
    {"userfaultfd", OPENS, 0, O_CLOEXEC, false},
    {"fanotify_init", OPENS, FLAG_UNKNOWN, 0, false},
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

static const struct call_row *row_of(const struct input_call *call)
{
	for (size_t i = 0; call->is_call && i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(call->name, rows[i].name) == 0)
			return &rows[i];
	return NULL;
}

static bool changes(const struct call_row *row)
{
	return row && row->effect != MOVES && row->effect != PASSES && row->effect != DEVICE;
}

static enum slot_closes closes(const struct call_row *row, const struct input_call *call)
{
	if (row->flags == FLAG_UNKNOWN)
		return CLOSES_PERHAPS;
	if (row->flags == FLAG_ALWAYS)
		return CLOSES_AT_EXEC;
	return row->flags >= 0 && (call->args[row->flags] & row->bit) ? CLOSES_AT_EXEC
								      : CLOSES_NEVER;
}

/* ---- Tables -------------------------------------------------------------------------------- */

void descriptors_doubt(
    struct descriptors *descriptors, unsigned pipe, const struct input_call *call, const char *what)
{
	if (!descriptors->pipes[pipe].doubt.what)
		descriptors->pipes[pipe].doubt = (struct doubt){what, call};
}

static void doubt_held(struct descriptors *descriptors, const struct table *table,
    const struct input_call *call, const char *what)
{
	for (size_t i = 0; table->slots && i < table->count; i++)
		if (table->slots[i].kind == SLOT_END)
			descriptors_doubt(descriptors, table->slots[i].pipe, call, what);
}

/* Also of what it will hold. */
static void doubt_table(struct descriptors *descriptors, struct table *table,
    const struct input_call *call, const char *what)
{
	doubt_held(descriptors, table, call, what);
	if (!table->doubt.what)
		table->doubt = (struct doubt){what, call};
}

static struct slot *slot_at(struct descriptors *descriptors, struct table *table, long long fd)
{
	struct slot *slots;
	size_t count = (size_t)fd + 1;

	if (fd < 0 || fd >= DESCRIPTORS_MAX)
		return NULL;
	if (count > table->count) {
		slots = reallocarray(table->slots, 2 * count, sizeof(*slots));
		if (!slots) {
			descriptors->out_of_memory = true;
			return NULL;
		}
		memset(slots + table->count, 0, (2 * count - table->count) * sizeof(*slots));
		table->slots = slots;
		table->count = 2 * count;
	}
	return &table->slots[fd];
}

/* Copies `other`, or, without one, makes that of a program's beginning. */
static struct table *table_new(struct descriptors *descriptors, const struct table *other)
{
	struct table *table = calloc(1, sizeof(*table));

	if (!table) {
		descriptors->out_of_memory = true;
		return NULL;
	}
	table->users = 1;
	table->unverified = other ? other->unverified : -1;
	for (int fd = 0; !other && fd < STANDARD_COUNT; fd++) {
		struct slot *slot = slot_at(descriptors, table, fd);
		if (slot)
			slot->kind = SLOT_OUTSIDE;
	}
	if (!other || !other->count)
		return table;
	table->doubt = other->doubt;
	if (!slot_at(descriptors, table, (long long)other->count - 1)) {
		descriptors->out_of_memory = true;
		return table;
	}
	memcpy(table->slots, other->slots, other->count * sizeof(*other->slots));
	return table;
}

static void table_drop(struct table *table)
{
	if (!table || --table->users)
		return;
	free(table->slots);
	free(table);
}

static void unshare_table(struct descriptors *descriptors, struct task *task)
{
	struct table *copy;

	if (task->table->users == 1)
		return;
	copy = table_new(descriptors, task->table);
	if (!copy)
		return;
	table_drop(task->table);
	task->table = copy;
}

/* ---- Tasks --------------------------------------------------------------------------------- */

static struct task **find_task(struct descriptors *descriptors, int tid)
{
	struct task **at = &descriptors->tasks[(unsigned)tid % TASK_CHAINS];

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	return at;
}

static void drop_task(struct task **at)
{
	struct task *task = *at;

	*at = task->next;
	table_drop(task->table);
	free(task);
}

/* Takes over the table. */
static struct task *add_task(struct descriptors *descriptors, int tid, struct table *table)
{
	struct task *task = calloc(1, sizeof(*task));
	struct task **at = find_task(descriptors, tid);

	if (!task || !table) {
		free(task);
		table_drop(table);
		descriptors->out_of_memory = true;
		return NULL;
	}
	if (*at)
		drop_task(at);
	*task = (struct task){
	    descriptors->tasks[(unsigned)tid % TASK_CHAINS], tid, table, NULL, (struct slot){0}};
	descriptors->begun = true;
	return descriptors->tasks[(unsigned)tid % TASK_CHAINS] = task;
}

static struct task *task_of(struct descriptors *descriptors, const struct input_call *call)
{
	struct task *task = *find_task(descriptors, call->tid);
	bool first = !descriptors->begun;

	if (task)
		return task;
	task = add_task(descriptors, call->tid, table_new(descriptors, NULL));
	if (task && !first)
		doubt_table(descriptors, task->table, call,
		    "in a task whose beginning is not in the recording");
	return task;
}

static void exec(struct descriptors *descriptors, struct task *task)
{
	unshare_table(descriptors, task);
	for (size_t i = 0; i < task->table->count; i++) {
		struct slot *slot = &task->table->slots[i];

		if (slot->kind == SLOT_OTHER && slot->closes == CLOSES_PERHAPS)
			*slot = (struct slot){.kind = SLOT_UNSEEN};
		else if (slot->kind > SLOT_FREE && slot->closes == CLOSES_AT_EXEC)
			*slot = (struct slot){.kind = SLOT_FREE};
	}
	task->table->changing = 0;
}

void descriptors_task(struct descriptors *descriptors, const struct input_task *event)
{
	struct task **at = find_task(descriptors, event->tid);
	struct task *parent;
	struct table *table;

	switch (event->kind) {
	case INPUT_CLONE:
		parent = *find_task(descriptors, event->parent);
		if (!parent)
			break;
		if (event->flags & CLONE_FILES) {
			table = parent->table;
			table->users++;
		} else {
			table = table_new(descriptors, parent->table);
		}
		add_task(descriptors, event->tid, table);
		break;
	case INPUT_EXEC:
		if (*at)
			exec(descriptors, *at);
		break;
	case INPUT_EXIT:
		if (*at)
			drop_task(at);
		break;
	}
}

void descriptors_free(struct descriptors *descriptors)
{
	for (size_t i = 0; i < TASK_CHAINS; i++)
		while (descriptors->tasks[i])
			drop_task(&descriptors->tasks[i]);
	free(descriptors->pipes);
	descriptors->pipes = NULL;
}

long descriptors_unverified(const struct task *task)
{
	return task->table->unverified;
}

/* ---- Calls --------------------------------------------------------------------------------- */

/* A new descriptor at `fd`. If it must be the lowest one, what is below it is known too. */
static void place(struct descriptors *descriptors, struct task *task, long long fd,
    struct slot slot, bool lowest, const struct input_call *call)
{
	struct table *table = task->table;
	struct slot *at = slot_at(descriptors, table, fd);
	bool wrong;

	if (!at) {
		doubt_table(descriptors, table, call, "with a descriptor beyond those followed");
		return;
	}
	wrong = at->kind == SLOT_END || at->kind == SLOT_OTHER;
	for (long long i = 0; lowest && i < fd; i++) {
		wrong |= table->slots[i].kind == SLOT_FREE;
		if (table->slots[i].kind == SLOT_UNSEEN)
			table->slots[i].kind = SLOT_OUTSIDE;
	}
	/* Other calls under way may have taken or freed one meanwhile. */
	if (wrong && lowest && !table->changing)
		doubt_table(descriptors, table, call, not_all);
	else if (at->kind == SLOT_END && lowest)
		descriptors_doubt(descriptors, at->pipe, call, not_all);
	*at = slot;
	if (slot.kind == SLOT_END && table->doubt.what)
		descriptors_doubt(descriptors, slot.pipe, table->doubt.call, table->doubt.what);
}

static const struct pipe_given *given_of(
    const struct descriptors *descriptors, const struct input_call *call)
{
	for (size_t i = 0; i < descriptors->given_count; i++)
		if (&descriptors->inputs->calls[descriptors->given[i].call] == call)
			return &descriptors->given[i];
	return NULL;
}

static long long lowest_free(const struct table *table, long long from)
{
	size_t fd = (size_t)from;

	while (fd < table->count && table->slots[fd].kind > SLOT_FREE)
		fd++;
	return (long long)fd;
}

static void begin_pair(struct descriptors *descriptors, struct task *task,
    const struct call_row *row, const struct input_call *call)
{
	const struct pipe_given *given = given_of(descriptors, call);
	struct pipe *list = grow_list(descriptors->pipes, descriptors->pipe_count, sizeof(*list));
	unsigned number = (unsigned)descriptors->pipe_count;
	long long fds[2];

	if (!list) {
		descriptors->out_of_memory = true;
		return;
	}
	descriptors->pipes = list;
	list[descriptors->pipe_count++] =
	    (struct pipe){.call = call, .socket = row->socket, .verified = given != NULL};
	fds[0] = given ? given->fds[0] : lowest_free(task->table, 0);
	fds[1] = given ? given->fds[1] : lowest_free(task->table, fds[0] + 1);
	for (unsigned end = 0; end < 2; end++)
		place(descriptors, task, fds[end],
		    (struct slot){SLOT_END, (unsigned char)closes(row, call), (unsigned char)end,
			row->socket, number},
		    fds[0] < fds[1] || end == 0, call);
	if (!given)
		task->table->unverified = (long)number;
	if (strcmp(call->name, "pipe2") == 0 && (call->args[1] & ~(unsigned)ONLY_FLAGS))
		descriptors_doubt(
		    descriptors, number, call, "with flags that make it more than a stream");
	if (row->socket && (call->args[1] & SOCKET_TYPE_MASK) != SOCK_STREAM)
		descriptors_doubt(descriptors, number, call,
		    "for a socket of messages, where bytes are not counted");
}

static void copy(struct descriptors *descriptors, struct task *task, bool at_exec, bool lowest,
    const struct input_call *call)
{
	struct slot slot = task->slot;

	if (slot.kind <= SLOT_FREE)
		slot.kind = SLOT_OUTSIDE;
	slot.closes = at_exec ? CLOSES_AT_EXEC : CLOSES_NEVER;
	place(descriptors, task, call->result, slot, lowest, call);
}

static void set_closes(
    struct descriptors *descriptors, struct task *task, const struct input_call *call, bool at_exec)
{
	struct slot *slot = slot_at(descriptors, task->table, (int)call->args[0]);

	if (slot)
		slot->closes = at_exec ? CLOSES_AT_EXEC : CLOSES_NEVER;
}

static void control(
    struct descriptors *descriptors, struct task *task, const struct input_call *call)
{
	switch ((int)call->args[1]) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		copy(descriptors, task, call->args[1] == F_DUPFD_CLOEXEC, call->args[2] == 0, call);
		break;
	case F_SETFD:
		set_closes(descriptors, task, call, call->args[2] & FD_CLOEXEC);
		break;
	case F_SETFL:
		if (task->slot.kind == SLOT_END && (call->args[2] & O_DIRECT))
			descriptors_doubt(
			    descriptors, task->slot.pipe, call, "which makes packets of its bytes");
		break;
	default:
		break;
	}
}

static void close_range_of(
    struct descriptors *descriptors, struct task *task, const struct input_call *call)
{
	unsigned long long first = (unsigned)call->args[0], last = (unsigned)call->args[1];

	if (call->args[2] & RANGE_UNSHARE)
		unshare_table(descriptors, task);
	for (size_t i = first; i < task->table->count && i <= last; i++) {
		if (call->args[2] & RANGE_CLOEXEC)
			task->table->slots[i].closes = CLOSES_AT_EXEC;
		else
			task->table->slots[i] = (struct slot){.kind = SLOT_FREE};
	}
}

/* A call that moves bytes between the descriptors that are among its arguments. */
static void move(struct descriptors *descriptors, struct task *task, const struct call_row *row,
    const struct input_call *call)
{
	for (size_t i = 0; i < 3; i++) {
		const struct slot *slot =
		    call->args[i] < task->table->count ? &task->table->slots[call->args[i]] : NULL;
		if (row->bit >> i & 1 && slot && slot->kind == SLOT_END)
			descriptors_doubt(
			    descriptors, slot->pipe, call, "whose bytes are not counted here");
	}
}

/* The kernel takes a descriptor away as the call begins, so that others may get its number. */
static void begin_close(
    struct descriptors *descriptors, struct task *task, const struct input_call *call)
{
	struct slot *slot;

	if (call->args[0] >= task->table->count)
		return;
	slot = &task->table->slots[call->args[0]];
	if (call->event && call->result == -EBADF && slot->kind > SLOT_OUTSIDE &&
	    !task->table->changing)
		doubt_table(descriptors, task->table, call, not_all);
	*slot = (struct slot){.kind = SLOT_FREE};
}

/* What the call's first argument is a descriptor of. */
static void take_slot(struct task *task, const struct input_call *call)
{
	task->slot = (struct slot){0};
	if (call->args[0] < task->table->count)
		task->slot = task->table->slots[call->args[0]];
}

const struct task *descriptors_begin(struct descriptors *descriptors, const struct input_call *call)
{
	const struct call_row *row = row_of(call);
	struct task *task = task_of(descriptors, call);

	if (!task)
		return NULL;
	task->call = call;
	take_slot(task, call);
	if (row && row->effect == CLOSES)
		begin_close(descriptors, task, call);
	if (row && row->effect == MOVES)
		move(descriptors, task, row, call);
	if (row && row->effect == PASSES)
		doubt_held(descriptors, task->table, call,
		    "which may have passed the descriptor on to another process");
	if (row && (row->effect == UNKNOWN || row->effect == TAKES))
		doubt_table(descriptors, task->table, call,
		    "through which descriptors can be used without calls of their own");
	for (unsigned i = 0; row && row->effect == TAKES && i < descriptors->pipe_count; i++)
		descriptors_doubt(descriptors, i, call, "which may have taken its descriptor");
	task->table->changing += changes(row);
	return task;
}

/* A call that succeeded. */
static void apply(struct descriptors *descriptors, struct task *task, const struct call_row *row,
    const struct input_call *call)
{
	switch (row->effect) {
	case OPENS:
	case TAKES:
		place(descriptors, task, call->result,
		    (struct slot){SLOT_OTHER, (unsigned char)closes(row, call), 0, row->socket, 0},
		    row->flags != FLAG_UNKNOWN, call);
		break;
	case PAIR:
		begin_pair(descriptors, task, row, call);
		break;
	case DUP:
		copy(descriptors, task, false, true, call);
		break;
	case DUP_TO:
		if (call->args[0] != call->args[1])
			copy(descriptors, task, closes(row, call) == CLOSES_AT_EXEC, false, call);
		break;
	case CONTROL:
		control(descriptors, task, call);
		break;
	case DEVICE:
		if (call->args[1] == FIOCLEX || call->args[1] == FIONCLEX)
			set_closes(descriptors, task, call, call->args[1] == FIOCLEX);
		break;
	case CLOSES_RANGE:
		close_range_of(descriptors, task, call);
		break;
	case UNSHARES:
		if (call->args[0] & CLONE_FILES)
			unshare_table(descriptors, task);
		break;
	case CLOSES:
	case PASSES:
	case MOVES:
	case UNKNOWN:
		break;
	}
}

const struct task *descriptors_end(
    struct descriptors *descriptors, const struct input_call *call, bool *began)
{
	const struct call_row *row = row_of(call);
	struct task *task = task_of(descriptors, call);

	*began = task && task->call == call;
	if (!task)
		return NULL;
	if (!*began)
		take_slot(task, call);
	else if (changes(row) && task->table->changing)
		task->table->changing--;
	task->call = NULL;
	if (row && call->result >= 0)
		apply(descriptors, task, row, call);
	return task;
}
