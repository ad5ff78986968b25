#ifndef SUPERVISOR_LINKS_H
#define SUPERVISOR_LINKS_H
/*
 * The supervisor's descriptors of workers: launching, packets, death. Turns what happens on them
 * into session events, and what sessions want into packets. Believes a worker nothing: whoever
 * floods, closes or garbles its channel is killed.
 */
#include "supervisor/launcher.h"
#include "supervisor/loop.h"
#include "supervisor/paths.h"
#include "supervisor/session.h"

struct links;

/* NULL when out of memory. `launcher` (owned from here on) is launcher_start's; paths are borrowed.
 */
struct links *links_new(
    struct loop *loop, int launcher, const struct policy *policy, const struct paths *paths);

/* The sessions to deliver events to; once, before the loop runs. */
void links_set_table(struct links *links, struct session_table *table);

/* Ports of struct session_ports; owner is the links. */
int links_launch(struct links *links, struct session *session);
enum channel_result links_send(
    struct links *links, struct session *session, uint32_t type, uint32_t id, const json_t *json);
void links_drop(struct links *links, struct session *session);
json_t *links_start_message(struct links *links, struct session *session);

/* A recording ended: replays of the trace may see where its program lies. */
void links_remember_recording(struct links *links, const char *trace_dir, const json_t *args);

/* For the loop's clock: workers whose death was seen, and not yet its cause. */
int64_t links_nearest_deadline(const struct links *links);
void links_expire(struct links *links, int64_t now);

/* How a worker ended, for people; code gets the error code of it. violation: the system call it
 * told of, or -1. */
void links_describe_end(int status, int violation, const char **code, char *why, size_t size);

/* WIRE_OP_START's JSON; report (stolen) is sandbox_report_json's,
 * visible (borrowed, or NULL) start_message_visible's. New reference. */
json_t *start_message_json(const struct policy *policy, const char *softpmu, enum worker_kind kind,
    json_t *report, json_t *visible);

/* {"read_only": [...], "read_write": [...]}. New reference. */
json_t *start_message_visible(const struct visible *visible);

#endif
