#ifndef SUPERVISOR_REPORT_PAGE_H
#define SUPERVISOR_REPORT_PAGE_H
/*
 * Checks that a page has only what reports consist of, because some tags make a browser fetch
 * something whatever the page's policy says.
 */
#include <stdbool.h>
#include <stddef.h>

/* Whether all tags and attributes of the page are on the lists, and all its links stay in it. */
bool report_page_is_harmless(const char *page, size_t length);

#endif
