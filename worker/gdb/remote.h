#ifndef WORKER_REMOTE_H
#define WORKER_REMOTE_H
/*
 * The connection from gdb to rr through the worker: gdb connects to a port of ours, and we pass
 * packets on to rr. This part has the sockets; relay.h decides what passes. We open the port and
 * connect rr before the worker is confined. The port accepts a single connection and then closes.
 */
#include <stdbool.h>
#include "worker/gdb/relay.h"

struct remote;

/* Listens on a port of the loopback interface; 0: a free one. NULL with errno. */
struct remote *remote_new(int port);
void remote_free(struct remote *remote);

/* One whose listener (on `port`, not blocking) and connection to rr another process made; takes
 * both descriptors unless it returns NULL. */
struct remote *remote_adopt(int port, int listener, int rr);

/* Where gdb is to connect. */
int remote_port(const struct remote *remote);

/* A port that is free now, to be given to rr, but not `reserved` (0: none), which may be free as
 * well; 0 with errno. */
int remote_free_port(int reserved);

/* Connects to rr's port; to be called once. -1 with errno. */
int remote_reach_rr(struct remote *remote, int port);

/* To be polled for input; they stay the same from remote_reach_rr on. */
int remote_gdb_fd(const struct remote *remote);
int remote_rr_fd(const struct remote *remote);

/* Moves on what has come from an end; false when that end has closed or broken the protocol. */
bool remote_move(struct remote *remote, enum relay_end from);

/* As relay_interrupt and relay_permit, and sent. */
void remote_interrupt(struct remote *remote);
void remote_permit(struct remote *remote);
bool remote_is_running(const struct remote *remote);

/* The relay, for questions that only it can answer; borrowed. */
struct relay *remote_relay(const struct remote *remote);

#endif
