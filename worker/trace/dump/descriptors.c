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
#include <sys/socket.h>
#include "worker/trace/dump/descriptor_calls.h"
#include "worker/trace/dump/grow.h"

#define STANDARD_COUNT	 3 /* that every program begins with */
#define RANGE_UNSHARE	 2 /* flags of close_range */
#define RANGE_CLOEXEC	 4
#define ONLY_FLAGS	 (O_CLOEXEC | O_NONBLOCK) /* that leave a pipe a stream */
#define SOCKET_TYPE_MASK 0xf

static const char not_all[] = "with a result that shows that not all descriptors are known";

struct table {
	struct slot *slots;
	size_t count, users;
	unsigned changing; /* calls under way that may begin or close descriptors */
	long unverified;   /* see descriptors_unverified */
	size_t perhaps;	   /* see struct holding */
	struct doubt doubt;
};

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
	table->perhaps = other ? other->perhaps : 0;
	for (int fd = 0; !other && fd < STANDARD_COUNT; fd++) {
		struct slot *slot = slot_at(descriptors, table, fd);
		if (slot)
			*slot = (struct slot){.kind = SLOT_OUTSIDE, .outside = fd};
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

		if (slot->kind == SLOT_OTHER && slot->closes == CLOSES_PERHAPS) {
			*slot = (struct slot){.kind = SLOT_UNSEEN};
			task->table->perhaps++;
		} else if (slot->kind > SLOT_FREE && slot->closes == CLOSES_AT_EXEC) {
			*slot = (struct slot){.kind = SLOT_FREE};
		}
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
	free(descriptors->files);
	descriptors->pipes = NULL;
	descriptors->files = NULL;
}

const struct task *descriptors_find(const struct descriptors *descriptors, int tid)
{
	const struct task *task = descriptors->tasks[(unsigned)tid % TASK_CHAINS];

	while (task && task->tid != tid)
		task = task->next;
	return task;
}

struct holding descriptors_held(const struct task *task)
{
	const struct table *table = task->table;

	return (struct holding){table->slots, table->count, table->doubt, table->perhaps};
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
			table->slots[i] = (struct slot){.kind = SLOT_OUTSIDE, .outside = (int)i};
	}
	/* Other calls under way may have taken or freed one meanwhile. */
	if (wrong && lowest && !table->changing)
		doubt_table(descriptors, table, call, not_all);
	else if (at->kind == SLOT_END && lowest)
		descriptors_doubt(descriptors, at->pipe, call, not_all);
	*at = slot;
	at->made = call;
	if (slot.kind == SLOT_END && table->doubt.what)
		descriptors_doubt(descriptors, slot.pipe, table->doubt.call, table->doubt.what);
}

/* Its number; 0: out of memory. */
static size_t add_file(struct descriptors *descriptors, const struct input_call *call)
{
	struct open_file *list =
	    grow_list(descriptors->files, descriptors->file_count, sizeof(*list));

	if (!list) {
		descriptors->out_of_memory = true;
		return 0;
	}
	descriptors->files = list;
	list[descriptors->file_count++] = (struct open_file){.call = call};
	return descriptors->file_count;
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
		    (struct slot){.kind = SLOT_END,
			.closes = (unsigned char)descriptor_call_closes(row, call),
			.end = (unsigned char)end,
			.socket = row->socket,
			.pipe = number,
			.file = add_file(descriptors, call)},
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
		slot = (struct slot){.kind = SLOT_OUTSIDE, .outside = (int)call->args[0]};
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
	const struct call_row *row = descriptor_call(call);
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
	task->table->changing += descriptor_call_changes(row);
	return task;
}

/* Of signals, that are added to a descriptor that is there. */
static bool changes_signals(const struct input_call *call)
{
	return strncmp(call->name, "signalfd", 8) == 0 && (int)call->args[0] != -1;
}

static void open_one(struct descriptors *descriptors, struct task *task, const struct call_row *row,
    long long fd, const struct input_call *call)
{
	place(descriptors, task, fd,
	    (struct slot){.kind = SLOT_OTHER,
		.closes = (unsigned char)descriptor_call_closes(row, call),
		.socket = row->socket,
		.file = add_file(descriptors, call)},
	    row->flags != FLAG_UNKNOWN, call);
}

static void receive(struct descriptors *descriptors, struct task *task, const struct call_row *row,
    const struct input_call *call)
{
	for (size_t i = 0; i < descriptors->received_count; i++)
		if (&descriptors->inputs->calls[descriptors->received[i].call] == call)
			open_one(descriptors, task, row, descriptors->received[i].fd, call);
}

static void name_socket(
    struct descriptors *descriptors, const struct task *task, const struct input_call *call)
{
	struct open_file *file = task->slot.file ? &descriptors->files[task->slot.file - 1] : NULL;

	if (file && strcmp(call->name, "bind") == 0)
		file->bound = call;
	else if (file && strcmp(call->name, "connect") == 0)
		file->connected = call;
	else if (file)
		file->listens = true;
}

/* A socket that does not wait goes on connecting. */
static bool has_effect(const struct call_row *row, const struct input_call *call)
{
	return call->result >= 0 || (row->effect == NAMES && call->result == -EINPROGRESS);
}

/* A call that succeeded. */
static void apply(struct descriptors *descriptors, struct task *task, const struct call_row *row,
    const struct input_call *call)
{
	switch (row->effect) {
	case OPENS:
	case TAKES:
		if (!changes_signals(call))
			open_one(descriptors, task, row, call->result, call);
		break;
	case PAIR:
		begin_pair(descriptors, task, row, call);
		break;
	case DUP:
		copy(descriptors, task, false, true, call);
		break;
	case DUP_TO:
		if (call->args[0] != call->args[1])
			copy(descriptors, task, descriptor_call_closes(row, call) == CLOSES_AT_EXEC,
			    false, call);
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
	case NAMES:
		name_socket(descriptors, task, call);
		break;
	case RECEIVES:
		receive(descriptors, task, row, call);
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
	const struct call_row *row = descriptor_call(call);
	struct task *task = task_of(descriptors, call);

	*began = task && task->call == call;
	if (!task)
		return NULL;
	if (!*began)
		take_slot(task, call);
	else if (descriptor_call_changes(row) && task->table->changing)
		task->table->changing--;
	task->call = NULL;
	if (row && has_effect(row, call))
		apply(descriptors, task, row, call);
	return task;
}
