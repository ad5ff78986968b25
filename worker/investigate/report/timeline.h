#ifndef WORKER_TIMELINE_H
#define WORKER_TIMELINE_H
/*
 * Draws checked claims on a timeline: the moment and thread of each.
 */
#include <jansson.h>
#include <stdio.h>

/*
 * Writes an SVG with a link to #claim-N for each claim whose moment was reached, or nothing if
 * there is none. `claims` comes from claims_check with in_full. `last` is the last event of the
 * recording; 0: unknown.
 */
void timeline_write(FILE *page, const json_t *claims, long long last);

/* The CSS class of a claim: "held", "not" or "open". */
const char *timeline_class(const json_t *claim);

#endif
