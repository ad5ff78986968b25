/*
 * Over the functions of the C library that copy, which do it with instructions that nobody could
 * follow: their arguments say where the bytes come from.
 */
#include <string.h>
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/investigate/code/where.h"
#include "worker/investigate/values/origin.h"
#include "worker/moment/position.h"
#include "worker/moment/return_ticket.h"
#include "worker/read/values/accessed.h"
#include "worker/run/sweep/resume.h"
#include "worker/run/reverse_next.h"
#include "worker/session/stop_reason.h"

#define NAME_MAX_ 80
#define TEXT_MAX  (1 << 20) /* of a text to which another one is appended */
#define TEXT_PART 256

/* A function of the C library that copies from its second argument to its first. */
struct copier {
	const char *name;
	bool bounded; /* by its third argument */
	bool text;    /* up to a NUL */
	bool appends; /* behind the text that is there */
};

/* NULL: it is none. */
static const struct copier *copier_named(const char *name)
{
	static const struct copier copiers[] = {{"memcpy", .bounded = true},
	    {"memmove", .bounded = true}, {"mempcpy", .bounded = true}, {"strcpy", .text = true},
	    {"stpcpy", .text = true}, {"strncpy", .bounded = true, .text = true},
	    {"stpncpy", .bounded = true, .text = true}, {"strcat", .text = true, .appends = true},
	    {"strncat", .bounded = true, .text = true, .appends = true}};

	for (size_t i = 0; i < sizeof(copiers) / sizeof(*copiers); i++)
		if (strcmp(name, copiers[i].name) == 0)
			return &copiers[i];
	return NULL;
}

/* The end of the text at *address; false if it is longer than TEXT_MAX, or cannot be read. */
static bool find_text_end(struct replay *replay, unsigned long long *address)
{
	uint8_t part[TEXT_PART];

	for (unsigned long long passed = 0; passed < TEXT_MAX; passed += sizeof(part)) {
		size_t length = accessed_bytes(replay, *address, part, sizeof(part));
		const uint8_t *end = memchr(part, 0, length);

		*address += end ? (unsigned long long)(end - part) : length;
		if (end)
			return true;
		if (length < sizeof(part))
			return false;
	}
	return false;
}

/* How many of these bytes are not behind a NUL. */
static unsigned long long text_length(const uint8_t *bytes, unsigned long long length)
{
	const uint8_t *end = memchr(bytes, 0, length);

	return end ? (unsigned long long)(end - bytes) + 1 : length;
}

/* Whether the text at this address ends within so many bytes; also true if that is not known. */
static bool ends_within(struct replay *replay, unsigned long long text, unsigned long long length)
{
	uint8_t part[TEXT_PART];

	if (length > TEXT_MAX)
		return true;
	while (length > 0) {
		size_t size = length < sizeof(part) ? (size_t)length : sizeof(part);

		if (accessed_bytes(replay, text, part, size) < size || memchr(part, 0, size))
			return true;
		text += size;
		length -= size;
	}
	return false;
}

/* Behind the end of the text, strncpy fills its target with zeros, whatever the source has there.
 */
static bool take_padding(
    struct origin *origin, const struct copier *copier, unsigned long long length)
{
	static const uint8_t zeros[ORIGIN_BYTES_MAX];
	const struct origin_bytes *now = &origin->now;

	if (!copier->bounded || copier->appends || memcmp(now->bytes, zeros, now->size) != 0)
		return false;
	origin_finish(origin, ORIGIN_FILLED,
	    "%s, which fills up its %llu bytes with zeros behind the end of the text", copier->name,
	    length);
	return true;
}

/* At the beginning of a copying function, or its call: goes on at its source, with those of the
 * bytes that it copies. False if its arguments do not fit. */
static bool take_arguments(struct origin *origin, const struct copier *copier)
{
	struct origin_bytes *now = &origin->now;
	struct replay *replay = origin->replay;
	unsigned long long to, from, length, begin, end = now->address + now->size;
	uint8_t bytes[ORIGIN_BYTES_MAX];

	if (!accessed_number(replay, "(unsigned long) $rdi", &to) ||
	    !accessed_number(replay, "(unsigned long) $rsi", &from) ||
	    !accessed_number(replay, "(unsigned long) $rdx", &length) ||
	    (copier->appends && !find_text_end(replay, &to)))
		return false;
	begin = now->address > to ? now->address : to;
	if (copier->bounded && end > to && end - to > length)
		end = to + length;
	if (begin >= end)
		return false;
	if (copier->text && ends_within(replay, from, begin - to))
		return begin == now->address && end == now->address + now->size &&
		       take_padding(origin, copier, length);
	length = accessed_bytes(replay, from + (begin - to), bytes, end - begin);
	if (copier->text)
		end = begin + text_length(bytes, length);
	if (end - begin > length || end == begin ||
	    memcmp(bytes, now->bytes + (begin - now->address), end - begin) != 0)
		return false;
	origin_narrow_hop(origin, begin, end);
	now->address = from + (begin - to);
	return true;
}

/* From the call on to where the function begins that another one jumped to, before `write`. The
 * stack pointer shows that it is the same call. */
static bool go_to_entry(struct replay *replay, const struct moment *write, struct failure *failure)
{
	const struct moment *now = replay_now(replay);
	const struct resumption on = {"continue", FORWARD, false, -1, 0};
	unsigned long long entry, before, after;
	char name[NAME_MAX_];
	bool ok = false;
	int number;

	if (!where_entry(replay, write->pc, &entry, name, sizeof(name)) ||
	    !accessed_number(replay, "(unsigned long) $sp", &before))
		return false;
	number = temporary_breakpoint_insert_at(replay, entry);
	if (number && resume_run(replay, &on, failure) && position_update(replay, failure))
		ok = stop_kind(replay) == STOP_BREAKPOINT && now->pc == entry &&
		     now->tid == write->tid && position_order(now, write) <= 0 &&
		     accessed_number(replay, "(unsigned long) $sp", &after) && after + 8 == before;
	temporary_breakpoint_delete(replay, number);
	return ok;
}

/* The same for a function that fills memory with one byte: this is the end of the way. */
static bool take_filling(struct origin *origin)
{
	const struct origin_bytes *now = &origin->now;
	unsigned long long to, byte, length;

	if (!accessed_number(origin->replay, "(unsigned long) $rdi", &to) ||
	    !accessed_number(origin->replay, "(unsigned long) $rsi", &byte) ||
	    !accessed_number(origin->replay, "(unsigned long) $rdx", &length) ||
	    now->address < to || length < now->size || now->address - to > length - now->size)
		return false;
	for (unsigned i = 0; i < now->size; i++)
		if (now->bytes[i] != (uint8_t)byte)
			return false;
	origin_finish(origin, ORIGIN_FILLED, "memset, which filled %llu bytes with 0x%02x", length,
	    (unsigned)(uint8_t)byte);
	return true;
}

/* The program stands in a copying function: goes to its call, or to where it begins if another
 * function jumped to it, and takes its arguments. */
static bool find_arguments(struct origin *origin, const char *function, struct failure *failure)
{
	const struct copier *copier = copier_named(function);
	struct replay *replay = origin->replay;
	const struct moment write = *replay_now(replay);
	char called[NAME_MAX_];

	if (back_out(replay, 0, failure) != BACK_DONE || stop_kind(replay) != STOP_STEP ||
	    !position_update(replay, failure))
		return false;
	origin_called(replay, called, sizeof(called));
	if (!(copier ? copier_named(called) != NULL : strcmp(called, function) == 0) &&
	    !go_to_entry(replay, &write, failure))
		return false;
	return copier ? take_arguments(origin, copier) : take_filling(origin);
}

enum origin_copied origin_from_copier(struct origin *origin, struct failure *failure)
{
	struct replay *replay = origin->replay;
	struct return_ticket here;
	char name[NAME_MAX_];
	bool found, back = true;

	origin_function(replay, name, sizeof(name));
	if (strcmp(name, "memset") != 0 && !copier_named(name))
		return ORIGIN_NOT_COPIED;
	here = return_ticket_hold(replay);
	found = find_arguments(origin, name, failure);
	if (!worker_goes_on(replay_worker(replay)))
		return ORIGIN_COPY_FAILED;
	if (!found) {
		failure_forget(failure);
		back = return_ticket_use(replay, &here, failure);
	}
	return_ticket_release(replay, &here);
	return found ? ORIGIN_COPIED : back ? ORIGIN_NOT_COPIED : ORIGIN_COPY_FAILED;
}
