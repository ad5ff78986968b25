#ifndef WORKER_INPUT_H
#define WORKER_INPUT_H
/*
 * What a recorded program gets on its standard input: a bounded buffer before its pipe.
 */
#include <stdbool.h>
#include <stddef.h>

#define INPUT_MAX (64u << 10) /* bytes that wait for the program */

struct input {
	char bytes[INPUT_MAX];
	size_t length, given;
	bool ends; /* nothing comes any more: the pipe is closed behind the rest */
};

/* Begins with this text (NULL: none). */
void input_begin(struct input *input, const char *text, bool ends);

/* False if it would be too much, and then nothing is taken. */
bool input_add(struct input *input, const char *text);

/* Bytes that the program's pipe has not taken yet. */
size_t input_left(const struct input *input);

/* Whether there is anything to do as soon as the pipe has room. */
bool input_waits(const struct input *input);

/* Writes what the pipe takes. Closes it (-1) at the end, or when nobody reads it. */
void input_give(struct input *input, int *fd);

#endif
