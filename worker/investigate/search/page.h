#ifndef WORKER_PAGE_H
#define WORKER_PAGE_H
/*
 * Writes HTML. Neither the recorded program nor the agent is trusted: all their text goes through
 * page_text or page_bytes.
 */
#include <stdio.h>

/* The style sheet: for screens (light and dark) and for paper. */
extern const char page_style[];

/* Writes text so that a browser shows it literally, in attributes as well. Control characters and
 * invalid UTF-8 become \xHH. NULL is an empty text. */
void page_text(FILE *page, const char *text);

/* The same of `length` bytes. */
void page_bytes(FILE *page, const char *bytes, size_t length);

#endif
