#ifndef SUPERVISOR_CONNECTIONS_H
#define SUPERVISOR_CONNECTIONS_H
/*
 * The supervisor's connections to workers: launching, packets, death. Turns what happens on them
 * into events of their sessions, and requests of sessions into packets. Trusts no worker: one that
 * floods, closes or garbles its channel is killed.
 */
#include <stdbool.h>

#include "supervisor/loop.h"
#include "supervisor/monitor/launcher.h"
#include "supervisor/session.h"

struct connections;
struct connection; /* to one worker, for one session */

/* Adds itself and its clock to the loop. `launcher` (owned from here on) is launcher_start's. NULL
 * when out of memory. */
struct connections *connections_new(struct loop *loop, int launcher);

/* False once the processes that start workers have ended, which also ends the loop. */
bool connections_have_launcher(const struct connections *connections);

/* Asks for a worker; session_launched or session_launch_failed follows. The connection belongs to
 * the session until the session drops it. NULL if there is no launcher. `connections` is a struct
 * connections (see struct session_ports). */
struct connection *connections_launch(
    void *connections, const struct worker_spec *spec, struct session *session);

enum channel_result connection_send(
    struct connection *connection, uint32_t type, uint32_t id, const json_t *json);

/* Kills the worker, if any, and forgets it: no further events come from it. */
void connection_drop(struct connection *connection);

/* How a worker ended. violation: the system call that it reported, or -1. */
void connection_describe_end(struct failure *failure, int status, int violation);

#endif
