/*
 * Parser of `rr dump -e -m`: a line with event, state, tid and ticks, behind it a line of
 * registers, and behind that a line for each task that began or ended and each piece of memory.
 * Must never trust a number or the length of a line.
 */
#include "worker/trace/dump/inputs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "worker/serve/begins.h"
#include "worker/trace/dump/grow.h"

#define TICKS_MAX      (1LL << 62)
#define SYSCALL_LENGTH 2    /* bytes of the instruction */
#define OPEN_MAX       1024 /* tasks that are in a call at once */

struct inputs_parser {
	struct dump_parser dump;
	struct inputs *inputs;
	struct input_call call; /* the event that is read */
	bool enters, counts;	/* a call begins here; a new event was seen and is not added yet */
	struct input_call open[OPEN_MAX]; /* the last call that each task began, by its tid */
};

/* "event:`SYSCALL: read'" or "event:`SIGNAL_HANDLER: SIGCHLD'" */
static void take_name(struct input_call *call, const char *line)
{
	static const char before[] = "event:`", syscall[] = "SYSCALL: ";
	const char *name = strstr(line, before);

	if (!name)
		return;
	name += sizeof(before) - 1;
	call->is_call = strncmp(name, syscall, sizeof(syscall) - 1) == 0;
	if (call->is_call)
		name += sizeof(syscall) - 1;
	snprintf(call->name, sizeof(call->name), "%.*s", (int)strcspn(name, "':"), name);
}

/* The list with room for one more; NULL: it is full, and so nothing more is read. */
static void *room_in(struct inputs *inputs, void *list, size_t count, size_t most, size_t size)
{
	void *grown = inputs->cut || count >= most ? NULL : grow_list(list, count, size);

	inputs->cut |= !grown;
	return grown;
}

static bool add_call(struct inputs *inputs, const struct input_call *call)
{
	struct input_call *list =
	    room_in(inputs, inputs->calls, inputs->count, INPUTS_CALLS_MAX, sizeof(*list));

	if (!list)
		return false;
	inputs->calls = list;
	list[inputs->count++] = *call;
	return true;
}

static void add_unended(struct inputs *inputs, const struct input_call *call)
{
	struct input_call *list = room_in(
	    inputs, inputs->unended, inputs->unended_count, INPUTS_CALLS_MAX, sizeof(*list));

	if (!list)
		return;
	inputs->unended = list;
	list[inputs->unended_count] = *call;
	list[inputs->unended_count++].event = 0;
}

static void add_task(struct inputs *inputs, const struct input_task *task)
{
	struct input_task *list =
	    room_in(inputs, inputs->tasks, inputs->task_count, INPUTS_CALLS_MAX, sizeof(*list));

	if (!list)
		return;
	inputs->tasks = list;
	list[inputs->task_count++] = *task;
}

static void add_range(struct inputs *inputs, const struct input_range *range)
{
	struct input_range *list =
	    room_in(inputs, inputs->ranges, inputs->range_count, INPUTS_RANGES_MAX, sizeof(*list));

	if (!list)
		return;
	inputs->ranges = list;
	list[inputs->range_count++] = *range;
}

static void note_event(struct inputs_parser *parser, const char *line)
{
	struct input_call *call = &parser->call;
	long long tid = dump_number(line, " tid:", INT_MAX);

	*call = (struct input_call){0};
	call->event = dump_number(line, "global_time:", DUMP_EVENT_MAX);
	call->ticks = dump_number(line, " ticks:", TICKS_MAX);
	parser->counts = call->event >= 0 && call->ticks >= 0 && tid > 0;
	call->tid = parser->counts ? (int)tid : 0;
	take_name(call, line);
	parser->enters = call->is_call && strstr(line, "ENTERING_SYSCALL");
	parser->inputs->unseen |= strcmp(call->name, "SYSCALLBUF_FLUSH") == 0;
}

/* rr says restart_syscall of every call that goes on after a signal, with the registers and the
 * number of the call that it is. Those are named that can wait, and move bytes or descriptors. */
static void name_restarted(struct input_call *call, const char *line)
{
	static const struct {
		unsigned long long number;
		const char *name;
	} calls[] = {{SYS_read, "read"}, {SYS_write, "write"}, {SYS_readv, "readv"},
	    {SYS_writev, "writev"}, {SYS_recvfrom, "recvfrom"}, {SYS_sendto, "sendto"},
	    {SYS_recvmsg, "recvmsg"}, {SYS_sendmsg, "sendmsg"}, {SYS_recvmmsg, "recvmmsg"},
	    {SYS_sendmmsg, "sendmmsg"}, {SYS_preadv2, "preadv2"}, {SYS_pwritev2, "pwritev2"},
	    {SYS_splice, "splice"}, {SYS_tee, "tee"}, {SYS_vmsplice, "vmsplice"},
	    {SYS_sendfile, "sendfile"}, {SYS_accept, "accept"}, {SYS_accept4, "accept4"},
	    {SYS_open, "open"}, {SYS_openat, "openat"}, {SYS_fcntl, "fcntl"}};
	static const char key[] = " orig_rax:0x";

	if (strcmp(call->name, "restart_syscall") != 0 || !strstr(line, key))
		return;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].number == hex_behind(line, key))
			snprintf(call->name, sizeof(call->name), "%s", calls[i].name);
}

static void note_registers(struct inputs_parser *parser, const char *line)
{
	static const char *const names[] = {" rdi:0x", " rsi:0x", " rdx:0x", " r10:0x"};
	struct input_call *call = &parser->call, *open = &parser->open[call->tid % OPEN_MAX];

	if (!parser->counts)
		return;
	name_restarted(call, line);
	if (parser->enters) {
		call->entered = call->event;
		call->pc = hex_behind(line, " rip:0x");
		call->pc -= call->pc > SYSCALL_LENGTH ? SYSCALL_LENGTH : call->pc;
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			call->args[i] = hex_behind(line, names[i]);
		if (open->tid)
			add_unended(parser->inputs, open);
		*open = *call;
		parser->counts = false;
		return;
	}
	call->result = (long long)hex_behind(line, "rax:0x");
	if (call->is_call && open->tid == call->tid && strcmp(open->name, call->name) == 0) {
		call->entered = open->entered;
		call->ticks = open->ticks;
		call->pc = open->pc;
		memcpy(call->args, open->args, sizeof(call->args));
		open->tid = 0;
	}
	parser->counts = add_call(parser->inputs, call);
}

/* "  { tid:11, addr:0x7ffe69b24440, length:0x28 }" */
static void note_memory(struct inputs_parser *parser, const char *line)
{
	struct input_range range = {
	    .call = parser->inputs->count - 1,
	    .address = hex_behind(line, " addr:0x"),
	    .length = hex_behind(line, " length:0x"),
	};

	if (parser->counts && parser->inputs->count && range.length)
		add_range(parser->inputs, &range);
}

/* "  TraceTaskEvent::CLONE tid=12 parent=11 clone_flags=0x1200011" */
static void note_task(struct inputs_parser *parser, const char *line, enum input_task_kind kind)
{
	const struct input_task task = {
	    .kind = kind,
	    .event = parser->call.event,
	    .tid = (int)dump_number(line, " tid=", INT_MAX),
	    .parent = (int)dump_number(line, " parent=", INT_MAX),
	    .flags = hex_behind(line, " clone_flags="),
	};

	if (task.tid > 0)
		add_task(parser->inputs, &task);
}

static void read_line(struct dump_parser *dump, const char *line, bool too_long)
{
	struct inputs_parser *parser = (struct inputs_parser *)dump;

	(void)too_long;
	if (strncmp(line, "  real_time:", 12) == 0)
		note_event(parser, line);
	else if (strncmp(line, "rax:", 4) == 0)
		note_registers(parser, line);
	else if (strncmp(line, "eax:", 4) == 0)
		parser->inputs->unseen = true;
	else if (strncmp(line, "  { tid:", 8) == 0)
		note_memory(parser, line);
	else if (strncmp(line, "  TraceTaskEvent::CLONE ", 24) == 0)
		note_task(parser, line, INPUT_CLONE);
	else if (strncmp(line, "  TraceTaskEvent::EXEC ", 23) == 0)
		note_task(parser, line, INPUT_EXEC);
	else if (strncmp(line, "  TraceTaskEvent::EXIT ", 23) == 0)
		note_task(parser, line, INPUT_EXIT);
}

/* The calls that no task returned from. */
static void end(struct dump_parser *dump)
{
	struct inputs_parser *parser = (struct inputs_parser *)dump;

	for (size_t i = 0; i < OPEN_MAX; i++)
		if (parser->open[i].tid)
			add_unended(parser->inputs, &parser->open[i]);
}

struct dump_parser *inputs_parser(struct inputs *inputs)
{
	struct inputs_parser *parser = calloc(1, sizeof(*parser));

	if (!parser)
		return NULL;
	parser->dump.read_line = read_line;
	parser->dump.end = end;
	parser->inputs = inputs;
	return &parser->dump;
}

void inputs_free(struct inputs *inputs)
{
	free(inputs->calls);
	free(inputs->ranges);
	free(inputs->tasks);
	free(inputs->unended);
	*inputs = (struct inputs){0};
}
