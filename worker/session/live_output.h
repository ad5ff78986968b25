#ifndef WORKER_LIVE_OUTPUT_H
#define WORKER_LIVE_OUTPUT_H
/*
 * The replayed program's output, caught from rr's stdout and stderr: its bounded head and tail
 * since the last take. rr marks each write of the program with [rr PID EVENT] (rr -M). Text without
 * a mark is rr's own; we keep it apart to report why rr died.
 */
#include <jansson.h>
#include <stddef.h>

struct live_output;

struct live_output *live_output_new(void);
void live_output_free(struct live_output *output);
void live_output_add(struct live_output *output, const char *bytes, size_t length);

/* What the program wrote since the last take, marks removed, at most `max` bytes; NULL for nothing.
 */
json_t *live_output_take(struct live_output *output, size_t max);

/* The same, but without taking it. */
json_t *live_output_peek(const struct live_output *output, size_t max);

/* The end of rr's own output, for an error message. */
void live_output_rr_words(const struct live_output *output, char *text, size_t size);

#endif
