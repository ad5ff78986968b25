#ifndef SUPERVISOR_BROKER_SOURCES_H
#define SUPERVISOR_BROKER_SOURCES_H
/*
 * The broker's requests about sources: opening one, and keeping the ledger that says which may be
 * opened.
 */
#include <stdbool.h>

#include "sandbox/wire/broker.h"

struct broker;

/* Before the process confines itself: finds the ledger, as its task needs it. */
void broker_sources_prepare(struct broker *broker);

/* Opens the source that the debug information calls `name`. Returns the descriptor, or -1 with the
 * reply's error. *missing: there is no file of that name; only the audit may know. */
int broker_open_source(
    struct broker *broker, const char *name, bool *missing, struct broker_reply *reply);

/* Notes the sources of a trace that the worker has recorded. */
void broker_note_recording(struct broker *broker, const char *trace, struct broker_reply *reply);

/* Forgets the sources of the trace that the call has removed. */
void broker_forget_recording(struct broker *broker, struct broker_reply *reply);

#endif
