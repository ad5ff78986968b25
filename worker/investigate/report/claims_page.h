#ifndef WORKER_CLAIMS_PAGE_H
#define WORKER_CLAIMS_PAGE_H
/*
 * The page that rr_report writes: checked claims, for people to read.
 */
#include <jansson.h>

struct claims_page {
	const char *title, *narrative;	 /* as the agent wrote them; narrative may be NULL */
	const char *program, *recording; /* paths; the page shows only the last part */
	const char *directory;		 /* prefix to remove from source paths */
	long long pid, last_event;	 /* last_event 0: not known */
	const json_t *claims;		 /* as claims_check gives them in full */
};

/* The whole page except its first lines, which the monitor writes. Owned by the caller; NULL if out
 * of memory. */
char *claims_page_text(const struct claims_page *page);

#endif
