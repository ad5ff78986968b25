/*
 * A call has returned when its caller goes on with the stack as it was before. longjmp and
 * exceptions skip that point; then the next call higher up on the same stack shows that the
 * function was left.
 */
#include "worker/investigate/returns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/gdb/mi.h"
#include "worker/investigate/where.h"
#include "worker/session/frames.h"
#include "worker/session/internal.h"
#include "worker/session/position.h"
#include "worker/session/seen.h"
#include "worker/session/values.h"

#define VALUE_MAX 160

/* The type that a function returns: "int" of `type = int (const char *)`. False if the text does
 * not tell. */
static bool read_type(struct replay *replay, const char *function, char *type, size_t size)
{
	char command[600];
	const char *said, *end;

	snprintf(command, sizeof(command), "whatis '%.500s'", function);
	if (gdb_console(replay->gdb, &said, command) != GDB_DONE ||
	    strncmp(said, "type = ", 7) != 0)
		return false;
	said += 7;
	end = strchr(said, '(');
	if (!end || end == said || end[1] == '*' || strchr(end, '\n') < end)
		return false;
	snprintf(type, size, "%.*s", (int)(end - said), said);
	if (type[strlen(type) - 1] == ' ')
		type[strlen(type) - 1] = '\0';
	return strlen(type) + 1 < size;
}

/* The register that holds a value of that type when a function returns it; "" if there is none, or
 * if it lies in memory. */
static void name_register(struct replay *replay, const char *type, char *expression, size_t size)
{
	char command[160], last;
	const char *said;
	size_t length;

	expression[0] = '\0';
	if (!type[0])
		return;
	snprintf(command, sizeof(command), "ptype %s", type);
	if (gdb_console(replay->gdb, &said, command) != GDB_DONE ||
	    strncmp(said, "type = ", 7) != 0)
		return;
	said += 7;
	length = strcspn(said, "\n");
	last = strlen(said) > 1 ? said[strlen(said) - 2] : '\0';
	if (last == '*' || last == '&' || strncmp(said, "enum", 4) == 0)
		snprintf(expression, size, "(%s) $rax", type);
	else if (strncmp(said, "double\n", 7) == 0)
		snprintf(expression, size, "$xmm0.v2_double[0]");
	else if (strncmp(said, "float\n", 6) == 0)
		snprintf(expression, size, "$xmm0.v4_float[0]");
	else if (!memchr(said, '{', length) && strncmp(said, "void", 4) != 0 &&
		 !strstr(said, "128") && !strstr(said, "long double") && !strstr(said, "complex"))
		snprintf(expression, size, "(%s) $rax", type);
}

static void forget(struct returns *returns, size_t number)
{
	json_decref(returns->calls[number].row);
	returns->calls[number] = returns->calls[--returns->count];
}

/* The thread has left those of its calls that lie further down the stack. */
static void drop_left(struct returns *returns, int tid, unsigned long long top)
{
	for (size_t i = returns->count; i-- > 0;) {
		if (returns->calls[i].called.tid != tid || returns->calls[i].top > top)
			continue;
		json_object_set_new(
		    returns->calls[i].row, "returned", json_string("<left without a return>"));
		forget(returns, i);
	}
}

static bool stop_at(struct returns *returns, struct replay *replay, unsigned long long address)
{
	char location[32];
	int number;

	for (size_t i = 0; i < returns->place_count; i++)
		if (returns->places[i].address == address)
			return true;
	if (returns->place_count == RETURNS_PLACES_MAX)
		return false;
	snprintf(location, sizeof(location), "*%llu", address);
	number = internal_insert(replay, location);
	if (!number)
		return false;
	returns->places[returns->place_count].address = address;
	returns->places[returns->place_count++].number = number;
	return true;
}

void returns_begin(struct returns *returns, struct replay *replay)
{
	returns->jumps[0] = internal_insert(replay, "-f longjmp");
	returns->jumps[1] = internal_insert(replay, "-f __longjmp_chk");
	returns->catches = internal_insert(replay, "-f __cxa_begin_catch");
}

void returns_pass(struct returns *returns, struct replay *replay)
{
	unsigned long long top;

	if (returns->count && frames_number(replay, 1, "$sp", &top))
		drop_left(returns, replay->moment.tid, top);
}

void returns_await(struct returns *returns, struct replay *replay, json_t *row)
{
	const char *function =
	    mi_text(json_object_get(gdb_last_stop(replay->gdb), "frame"), "func");
	unsigned long long back, top;
	char *type;

	if (!frames_number(replay, 1, "$sp", &top) || !frames_number(replay, 1, "$pc", &back))
		return;
	if (returns->count == RETURNS_CALLS_MAX || !stop_at(returns, replay, back))
		return;
	returns->calls[returns->count].back = back;
	returns->calls[returns->count].top = top;
	returns->calls[returns->count].called = replay->moment;
	returns->calls[returns->count].jumped = false;
	type = returns->calls[returns->count].type;
	if (!function || !read_type(replay, function, type, sizeof(returns->calls[0].type)))
		type[0] = '\0';
	returns->calls[returns->count++].row = json_incref(row);
}

/* {returned, events}: the value if it is known, and how many events of the recording passed
 * meanwhile. */
static void tell(struct returns *returns, struct replay *replay, size_t number)
{
	json_t *row = returns->calls[number].row;
	char expression[200], *value = NULL, *type = NULL, why[128];

	if (returns->calls[number].jumped) {
		json_object_set_new(row, "returned",
		    json_string("<not known: longjmp was called, and may have left it>"));
		return;
	}
	json_object_set_new(row, "events",
	    json_integer(replay->moment.event - returns->calls[number].called.event));
	json_object_set_new(row, "back_at", seen_name(replay, &replay->moment));
	name_register(replay, returns->calls[number].type, expression, sizeof(expression));
	if (expression[0] && values_read(replay, expression, &value, &type, why, sizeof(why)) == 0)
		json_object_set_new(
		    row, "returned", scrub_json_middle(value, strlen(value), VALUE_MAX, NULL));
	free(value);
	free(type);
}

static bool is_jump(const struct returns *returns, int number)
{
	return number && (number == returns->jumps[0] || number == returns->jumps[1]);
}

static bool is_place(const struct returns *returns, int number)
{
	for (size_t i = 0; i < returns->place_count; i++)
		if (returns->places[i].number == number)
			return true;
	return false;
}

static void note_jump(struct returns *returns, int tid)
{
	for (size_t i = 0; i < returns->count; i++)
		returns->calls[i].jumped |= returns->calls[i].called.tid == tid;
}

static void take_return(struct returns *returns, struct replay *replay)
{
	unsigned long long top;

	if (!frames_number(replay, 0, "$sp", &top))
		return;
	for (size_t i = returns->count; i-- > 0;) {
		if (returns->calls[i].back != replay->moment.pc || returns->calls[i].top != top)
			continue;
		tell(returns, replay, i);
		forget(returns, i);
		break;
	}
}

/* All calls below the function that catches have been left. */
static void note_catch(struct returns *returns, struct replay *replay)
{
	unsigned long long top;

	if (frames_number(replay, 1, "$sp", &top))
		drop_left(returns, replay->moment.tid, top);
}

bool returns_take(struct returns *returns, struct replay *replay, const struct hit *hit)
{
	if (is_jump(returns, hit->breakpoint))
		note_jump(returns, replay->moment.tid);
	else if (returns->catches && hit->breakpoint == returns->catches)
		note_catch(returns, replay);
	else if (is_place(returns, hit->breakpoint))
		take_return(returns, replay);
	else
		return false;
	return true;
}

void returns_end(struct returns *returns, struct replay *replay)
{
	while (returns->count) {
		json_object_set_new(
		    returns->calls[0].row, "returned", json_string("<not by then>"));
		forget(returns, 0);
	}
	for (size_t i = 0; i < returns->place_count; i++)
		internal_delete(replay, returns->places[i].number);
	internal_delete(replay, returns->jumps[0]);
	internal_delete(replay, returns->jumps[1]);
	internal_delete(replay, returns->catches);
	returns->place_count = 0;
}
