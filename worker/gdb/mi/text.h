#ifndef WORKER_TEXT_H
#define WORKER_TEXT_H
/*
 * Text that grows up to a bound.
 */
#include <stdbool.h>
#include <stddef.h>

struct text {
	char *bytes;	    /* ends with a NUL */
	size_t length, max; /* without the NUL */
};

/* False: out of memory. text_end frees what there is in either case. */
bool text_begin(struct text *text, size_t max);
void text_end(struct text *text);

/* What goes beyond `max` bytes is dropped. */
void text_append(struct text *text, const char *from);
void text_clear(struct text *text);

#endif
