/*
 * Parser of `rr dump` for calls that write: a line with event, state, tid and ticks, and behind it
 * a line of registers. Must never trust a number or the length of a line.
 */
#include "worker/trace/dump/writes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "worker/serve/begins.h"
#include "worker/trace/dump/grow.h"

#define TICKS_MAX      (1LL << 62)
#define SYSCALL_LENGTH 2	   /* bytes of the instruction */
#define LENGTH_MAX     (1LL << 31) /* bytes of one call, as Linux bounds it */

enum side { NEITHER, ENTERS, LEAVES };

struct writes_parser {
	struct dump_parser dump;
	struct writes *writes;
	enum side side; /* of the event that the registers are to come of */
	bool vector;
	long long event, ticks;
	int tid;
};

/* Whether the event is of a call that writes; *vector: from an array of pieces. */
static bool is_write(const char *line, bool *vector)
{
	static const struct {
		const char *name;
		bool vector;
	} calls[] = {{"write", false}, {"writev", true}, {"pwrite64", false}, {"pwritev", true},
	    {"pwritev2", true}};
	static const char before[] = "event:`SYSCALL: ";
	const char *name = strstr(line, before);
	size_t length;

	if (!name)
		return false;
	name += sizeof(before) - 1;
	length = strcspn(name, "'");
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (strlen(calls[i].name) == length && memcmp(name, calls[i].name, length) == 0) {
			*vector = calls[i].vector;
			return true;
		}
	}
	return false;
}

static void note_event(struct writes_parser *parser, const char *line)
{
	long long tid = dump_number(line, " tid:", INT_MAX);

	parser->side = NEITHER;
	parser->event = dump_number(line, "global_time:", DUMP_EVENT_MAX);
	parser->ticks = dump_number(line, " ticks:", TICKS_MAX);
	if (parser->event < 0 || parser->ticks < 0 || tid <= 0 || !is_write(line, &parser->vector))
		return;
	parser->tid = (int)tid;
	if (strstr(line, "ENTERING_SYSCALL"))
		parser->side = ENTERS;
	else if (strstr(line, "EXITING_SYSCALL"))
		parser->side = LEAVES;
}

/* The register of a 64-bit program, or of a 32-bit one. */
static unsigned long long register_of(const char *line, const char *wide, const char *narrow)
{
	return hex_behind(line, strstr(line, wide) ? wide : narrow);
}

static void add_call(struct writes_parser *parser, const char *line)
{
	struct writes *writes = parser->writes;
	unsigned long long behind = register_of(line, " rip:0x", " eip:0x");
	struct write_call *list;

	if (writes->count >= WRITES_MAX ||
	    !(list = grow_list(writes->list, writes->count, sizeof(*list)))) {
		writes->cut = true;
		return;
	}
	writes->list = list;
	list[writes->count++] = (struct write_call){
	    .event = parser->event,
	    .ticks = parser->ticks,
	    .pc = behind > SYSCALL_LENGTH ? behind - SYSCALL_LENGTH : 0,
	    .tid = parser->tid,
	    .fd = (int)register_of(line, " rdi:0x", " ebx:0x"),
	    .vector = parser->vector,
	    .buffer = register_of(line, " rsi:0x", " ecx:0x"),
	    .count = register_of(line, " rdx:0x", " edx:0x"),
	};
}

/* The last call of the same task is the one that ends: a task is in one call at a time. */
static void end_call(struct writes_parser *parser, const char *line)
{
	struct writes *writes = parser->writes;
	long long result = (long long)register_of(line, "rax:0x", "eax:0x");

	for (size_t i = writes->count; i > 0; i--) {
		struct write_call *call = &writes->list[i - 1];
		if (call->tid != parser->tid)
			continue;
		if (result > 0 && result <= LENGTH_MAX && !call->length)
			call->length = (size_t)result;
		return;
	}
}

static void read_line(struct dump_parser *dump, const char *line, bool too_long)
{
	struct writes_parser *parser = (struct writes_parser *)dump;

	(void)too_long;
	if (strncmp(line, "  real_time:", 12) == 0) {
		note_event(parser, line);
	} else if (parser->side != NEITHER &&
		   (strncmp(line, "rax:", 4) == 0 || strncmp(line, "eax:", 4) == 0)) {
		if (parser->side == ENTERS)
			add_call(parser, line);
		else
			end_call(parser, line);
		parser->side = NEITHER;
	}
}

struct dump_parser *writes_parser(struct writes *writes)
{
	struct writes_parser *parser = calloc(1, sizeof(*parser));

	if (!parser)
		return NULL;
	parser->dump.read_line = read_line;
	parser->writes = writes;
	return &parser->dump;
}

void writes_free(struct writes *writes)
{
	free(writes->list);
	*writes = (struct writes){0};
}

static int compare_events(const void *key, const void *call)
{
	long long event = *(const long long *)key, other = ((const struct write_call *)call)->event;

	return event < other ? -1 : event > other;
}

const struct write_call *writes_at(const struct writes *writes, long long event)
{
	return writes->count ? bsearch(&event, writes->list, writes->count, sizeof(*writes->list),
				   compare_events)
			     : NULL;
}
