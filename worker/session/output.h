#ifndef WORKER_OUTPUT_H
#define WORKER_OUTPUT_H
/*
 * The replayed program's output, caught from rr's stdout and stderr: its bounded head and tail
 * since the last take. rr marks each write of the program with [rr PID EVENT] (rr -M). Text without
 * a mark is rr's own; we keep it apart to report why rr died.
 */
#include <jansson.h>
#include <stddef.h>

struct output;

struct output *output_new(void);
void output_free(struct output *output);
void output_add(struct output *output, const char *bytes, size_t length);

/* What the program wrote since the last take, marks removed, at most `max` bytes; NULL for nothing.
 */
json_t *output_take(struct output *output, size_t max);

/* The same, but without taking it. */
json_t *output_peek(const struct output *output, size_t max);

/* The end of rr's own output, for an error message. */
void output_rr_words(const struct output *output, char *text, size_t size);

#endif
