#ifndef SUPERVISOR_PAGE_H
#define SUPERVISOR_PAGE_H
/*
 * The page of a report on its way to the host that shows it: the worker sends it in parts, and
 * nothing of it leaves that a report's file could not have.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "supervisor/redact/redactor.h"

struct page { /* starts as zeros */
	char *text;
	size_t length;
};

/* Adds the text of a part. False if that is none, if the page gets too long, or without memory. */
bool page_add(struct page *page, const json_t *part);

/* The whole page, with its secrets masked unless `redactor` is NULL; NULL if there is none, or if
 * it is not as reports are. New reference. */
json_t *page_whole(const struct page *page, struct redactor *redactor);

void page_free(struct page *page);

#endif
