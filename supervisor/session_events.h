#ifndef SUPERVISOR_SESSION_EVENTS_H
#define SUPERVISOR_SESSION_EVENTS_H
/*
 * Shared by session.c and session_events.c only: the table itself.
 */
#include "supervisor/session.h"

struct session_table {
	struct session_ports ports;
	struct session sessions[SESSION_SLOTS];
	struct session *last_used; /* its slot may be free or another's by now */
	unsigned last_number;
};

void session_release(struct session_table *table, struct session *session);

#endif
