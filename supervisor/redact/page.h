#ifndef SUPERVISOR_REDACT_PAGE_H
#define SUPERVISOR_REDACT_PAGE_H
/*
 * Masks secrets in a page of HTML, which report_page_is_harmless took.
 */
#include <stddef.h>

#include "supervisor/redact/redactor.h"

/*
 * The page with masks, and a line at its end that says how many, NUL-terminated, to be freed. Tags
 * and styles stay as they are. *masked is its length. NULL when out of memory.
 */
char *redact_page(struct redactor *redactor, const char *page, size_t length, size_t *masked);

#endif
