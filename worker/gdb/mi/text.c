/*
 * Keeps the beginning of what gdb prints, up to a limit, and silently drops the rest. The text is
 * always a C string.
 */
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/text.h"

bool text_begin(struct text *text, size_t max)
{
	*text = (struct text){.bytes = calloc(1, max + 1), .max = max};
	return text->bytes != NULL;
}

void text_end(struct text *text)
{
	free(text->bytes);
	*text = (struct text){0};
}

void text_append(struct text *text, const char *from)
{
	size_t length = strlen(from), room = text->max - text->length;

	if (length > room)
		length = room;
	memcpy(text->bytes + text->length, from, length);
	text->length += length;
	text->bytes[text->length] = '\0';
}

void text_clear(struct text *text)
{
	text->length = 0;
	text->bytes[0] = '\0';
}
