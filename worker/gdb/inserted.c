/*
 * gdb sets one again to change its condition: the packets of a place replace each other.
 */
#include "worker/gdb/inserted.h"

#include <stdlib.h>
#include <string.h>

void inserted_end(struct inserted *inserted)
{
	free(inserted->packets);
	*inserted = (struct inserted){0};
}

void inserted_clear(struct inserted *inserted)
{
	inserted->length = 0;
}

/* "Z0,4f10,1" of a packet that sets one, or removes it. */
static size_t named_length(const char *body, size_t length)
{
	const char *end = memchr(body, ';', length);

	return end ? (size_t)(end - body) : length;
}

/* Whether rr has it. */
static bool forget(struct inserted *inserted, const char *body, size_t named)
{
	for (size_t at = 0, whole; at < inserted->length; at += whole) {
		const char *other = inserted->packets + at;
		const bool has = *other == 'Z';

		whole = strlen(other) + 1;
		if (named_length(other, whole - 1) != named ||
		    memcmp(other + 1, body + 1, named - 1) != 0)
			continue;
		inserted->length -= whole;
		memmove(inserted->packets + at, other + whole, inserted->length - at);
		return has;
	}
	return true;
}

bool inserted_take(struct inserted *inserted, const char *body, size_t length, bool *has)
{
	char *packets;

	*has = forget(inserted, body, named_length(body, length));
	if (*body == 'z')
		return true;
	*has = true;
	packets = realloc(inserted->packets, inserted->length + length + 1);
	if (!packets)
		return false;
	inserted->packets = packets;
	inserted->last = inserted->length;
	memcpy(packets + inserted->length, body, length);
	packets[inserted->length + length] = '\0';
	inserted->length += length + 1;
	inserted->awaited = true;
	return true;
}

void inserted_answer(struct inserted *inserted, bool done)
{
	if (inserted->awaited && !done)
		inserted->length = inserted->last;
	inserted->awaited = false;
}

bool inserted_watches(const struct inserted *inserted)
{
	for (size_t at = 0; at < inserted->length; at += strlen(inserted->packets + at) + 1)
		if (strchr("234", inserted->packets[at + 1]))
			return true;
	return false;
}

void inserted_rewind(struct inserted *inserted)
{
	inserted->next = 0;
}

const char *inserted_next(struct inserted *inserted)
{
	while (inserted->next < inserted->length) {
		const char *packet = inserted->packets + inserted->next;

		inserted->last = inserted->next;
		inserted->next += strlen(packet) + 1;
		if (*packet == 'Z')
			return packet;
	}
	return NULL;
}

void inserted_lose(struct inserted *inserted)
{
	inserted->packets[inserted->last] = 'z';
}
