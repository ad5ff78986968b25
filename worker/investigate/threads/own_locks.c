/*
 * Reads gdb's disassembly of whole functions, and their source. A release or an acquire of C11 can
 * be a plain mov, so finding nothing proves nothing.
 */
#include "worker/investigate/threads/own_locks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/investigate/code/where.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/read/code/source.h"
#include "worker/serve/begins.h"

#define FRAMES_MAX     10
#define FRAMES_BYTES   6000
#define CALLEES_MAX    64 /* of one function */
#define NAME_MAX_SHOWN 60

static bool add_once(unsigned long long *list, size_t *count, unsigned long long what)
{
	for (size_t i = 0; i < *count; i++)
		if (list[i] == what)
			return false;
	if (*count == OWN_LOCKS_FUNCTIONS_MAX)
		return false;
	list[(*count)++] = what;
	return true;
}

/* "lock xadd %eax,0x2f10(%rip)", "xchg %eax,(%rdx)", or the pause of a loop that waits. */
static bool is_sign(const char *text)
{
	return begins(text, "lock ") || begins(text, "pause") ||
	       (begins(text, "xchg") && (strchr(text, '(') || strstr(text, ",0x")));
}

/* The function that an instruction calls directly; 0: none. Stubs lead to libraries. */
static unsigned long long called(const char *text)
{
	const char *at = begins(text, "call") ? strstr(text, "0x") : NULL;

	return at && !strchr(text, '*') && !strstr(text, "@plt") ? strtoull(at, NULL, 16) : 0;
}

/* The guard of a static variable that an instruction looks at, without a call of its own:
 * "movzbl 0x2e9c(%rip),%eax        # 0x4030 <_ZGVZ6configvE3one>"; 0: none. */
static unsigned long long guard_in(const char *text)
{
	const char *at = strstr(text, "# 0x"), *name = at ? strchr(at, '<') : NULL;

	if (!name || begins(text, "lea") ||
	    !(begins(name, "<_ZGV") || begins(name, "<guard variable for")))
		return 0;
	return strtoull(at + 2, NULL, 16);
}

/* What is known of one function while its code is read. */
struct reading {
	struct own_locks *own;
	struct threading *threading;
	char name[128];
	char path[FRAME_PATH_MAX]; /* its source */
	const char *told;	   /* the first operation */
	bool found;		   /* a place that was not known before */
	bool guards, looks; /* it initializes static variables; and where it looks is known */
	unsigned long long callees[CALLEES_MAX];
	size_t callee_count;
};

static void blind(struct own_locks *own, struct threading *threading)
{
	if (!own->blind)
		threading_blind(threading,
		    json_string("the program uses too many atomic operations to follow them"));
	own->blind = true;
}

/* The search stops there from now on. */
static void stop_at(struct reading *reading, unsigned long long address, unsigned long long guard)
{
	struct own_locks *own = reading->own;
	int number;

	for (size_t i = 0; i < own->place_count; i++)
		if (own->places[i].address == address)
			return;
	number = own->place_count < OWN_LOCKS_PLACES_MAX && own->stops < OWN_LOCKS_STOPS_MAX
		     ? temporary_breakpoint_insert_at(reading->threading->replay, address)
		     : 0;
	reading->found = true;
	if (!number) {
		blind(own, reading->threading);
		return;
	}
	own->places[own->place_count].address = address;
	own->places[own->place_count].guard = guard;
	own->places[own->place_count++].number = number;
}

/* Takes one instruction; `atomic`: its line in the source says that it is one. */
static void take(struct reading *reading, const json_t *instruction, bool atomic)
{
	const char *text = mi_text(instruction, "inst"), *at = mi_text(instruction, "address");
	unsigned long long callee, guard;

	if (!text || !at)
		return;
	callee = called(text);
	guard = guard_in(text);
	reading->guards |= begins(text, "call") && strstr(text, "<__cxa_guard_acquire");
	reading->looks |= guard != 0;
	if (guard)
		stop_at(reading, strtoull(at, NULL, 16), guard);
	if (atomic || is_sign(text) || (callee && strstr(text, "<std::atomic"))) {
		reading->told = reading->told ? reading->told : text;
		stop_at(reading, strtoull(at, NULL, 16), 0);
	}
	if (callee && reading->callee_count < CALLEES_MAX)
		reading->callees[reading->callee_count++] = callee;
}

/* Whether a line has an atomic operation, which may be a plain move. The line may be one of a
 * function that was inlined. */
static bool is_atomic(struct reading *reading, const json_t *line)
{
	static const char *const words[] = {
	    "std::atomic", "_Atomic", "atomic_", "__sync_", "memory_order"};
	const char *path = mi_text(line, "fullname");
	int number = mi_number(line, "line", 0);

	if (!path || !number)
		return false;
	return strstr(path, "/atomic") ||
	       source_line_with(reading->threading->replay, path, number, number, words,
		   sizeof(words) / sizeof(*words)) == number;
}

/* Without lines, the list is one of instructions. Of a line, the first instruction is enough. */
static void read_code(struct reading *reading, const json_t *list)
{
	const json_t *line, *instruction;
	size_t i, j;

	json_array_foreach(list, i, line)
	{
		bool atomic = is_atomic(reading, line);

		take(reading, line, false);
		json_array_foreach(json_object_get(line, "line_asm_insn"), j, instruction)
		    take(reading, instruction, atomic && j == 0);
	}
	/* In code for shared libraries, some are reached through a table. */
	if (reading->guards && !reading->looks)
		threading_blind(reading->threading,
		    json_sprintf("%.*s initializes a static variable, and where it looks whether "
				 "that is done is not known",
			NAME_MAX_SHOWN, reading->name));
	if (reading->told)
		threading_doubt(reading->threading,
		    json_sprintf("%.*s uses atomic operations, which may order the threads",
			NAME_MAX_SHOWN, reading->name));
}

/* Looks at one function, unless its meaning is known (a static program calls pthread_mutex_lock
 * directly), and with `callees` at those that it calls. Returns whether there are new
 * places. */
static bool look_at(
    struct own_locks *own, struct threading *threading, unsigned long long pc, bool callees)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	unsigned long long entry;
	json_auto_t *results = NULL;
	bool found = false;

	if (reading &&
	    where_entry(threading->replay, pc, &entry, reading->name, sizeof(reading->name)) &&
	    !threading_is_function(threading, entry) &&
	    add_once(own->functions, &own->count, entry) &&
	    gdb_done_or_warn(replay_gdb(threading->replay),
		gdb_command(replay_gdb(threading->replay), &results,
		    "-data-disassemble -a %llu -- 5", entry),
		"code was not searched for locks of its own")) {
		reading->own = own;
		reading->threading = threading;
		read_code(reading, json_object_get(results, "asm_insns"));
		found = reading->found;
		for (size_t i = 0; callees && i < reading->callee_count; i++)
			found |= look_at(own, threading, reading->callees[i], false);
	}
	free(reading);
	return found;
}

/* What this thread did at new places before is not known, so it may come after all others. */
void own_locks_look(struct own_locks *own, struct threading *threading, size_t thread)
{
	struct replay *replay = threading->replay;
	json_t *frames, *frame;
	bool found = false;
	size_t i;

	if (!add_once(own->accessed, &own->accessed_count, replay_now(replay)->pc))
		return;
	frames = frames_near(replay, FRAMES_MAX, FRAMES_BYTES);
	json_array_foreach(frames, i, frame)
	{
		const char *address = mi_text(frame, "address");

		if (address && frame_is_own(replay, frame))
			found |=
			    look_at(own, threading, strtoull(address, NULL, 16) - (i > 0), true);
	}
	json_decref(frames);
	if (found)
		order_perhaps_after_all(threading->order, thread);
}

bool own_locks_take(struct own_locks *own, struct threading *threading, const struct hit *hit)
{
	for (size_t i = 0; i < own->place_count; i++) {
		if (own->places[i].number != hit->breakpoint)
			continue;
		if (own->places[i].guard)
			threading_look_at_guard(threading, own->places[i].guard);
		else
			order_perhaps(threading->order, threading_here(threading));
		if (++own->stops < OWN_LOCKS_STOPS_MAX)
			return true;
		own_locks_clear(own, threading->replay);
		blind(own, threading);
		return true;
	}
	return false;
}

void own_locks_clear(struct own_locks *own, struct replay *replay)
{
	for (size_t i = 0; i < own->place_count; i++)
		temporary_breakpoint_delete(replay, own->places[i].number);
	own->place_count = 0;
}
