#ifndef SANDBOX_REPORT_H
#define SANDBOX_REPORT_H
/*
 * Writes reports; sandbox.h has what reads them.
 */
#include "sandbox/sandbox.h"

/* Notes what the process has of a layer, with the reason, one clause, if that is not all of it. */
void report_layer(struct sandbox_report *report, enum sandbox_layer layer, enum layer_status status,
    const char *why);

#endif
