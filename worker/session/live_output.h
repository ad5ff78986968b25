#ifndef WORKER_LIVE_OUTPUT_H
#define WORKER_LIVE_OUTPUT_H
/*
 * The replayed program's output, caught from rr's stdout and stderr. rr marks each write of the
 * program with [rr PID EVENT] (rr -M), which gives it its place in time, see output_timeline.h.
 * Text without a mark is rr's own; we keep it apart to report why rr died.
 */
#include <jansson.h>
#include <stddef.h>

struct live_output;

struct live_output *live_output_new(void);
void live_output_free(struct live_output *output);
void live_output_add(struct live_output *output, const char *bytes, size_t length);

/* What the program writes from one event on and before another, as far as the replay has seen it:
 * marks removed, at most `max` bytes; NULL for nothing. */
json_t *live_output_between(
    const struct live_output *output, long long from, long long to, size_t max);

/* The same from the event of the last take on, before this one, where the session stands now:
 * nothing if it went back. */
json_t *live_output_take(struct live_output *output, long long event, size_t max);

/* The event up to which a take has told it, and how to go on as if it had told it up to another
 * one: for what moves the session, describes stops on the way, and comes back. */
long long live_output_told(const struct live_output *output);
void live_output_tell_from(struct live_output *output, long long event);

/* A new rr prints from here on: words of its own, up to the first mark, and how to connect to it.
 */
void live_output_begin_rr(struct live_output *output);

/* The end of rr's own output, for an error message. */
void live_output_rr_words(const struct live_output *output, char *text, size_t size);

#endif
