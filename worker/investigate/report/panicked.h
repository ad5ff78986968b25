#ifndef WORKER_PANICKED_H
#define WORKER_PANICKED_H
/*
 * A panic of a Rust program, as its runtime prints it before it unwinds (exit status 101) or
 * aborts.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define PANICKED_STATUS 101 /* of a program whose main thread has panicked */

/* "thread 'main' panicked at a.rs:3:48: index out of bounds", from the last panic in `output`, but
 * not from one that another one led to. False if there is none. */
bool panicked_read(const char *output, char *text, size_t size);

/* Adds it to the report's conclusion, if the program aborted. `output` may be NULL. One that
 * unwinds ends with an exit status: see raised.h. */
void panicked_tell(json_t *report, const json_t *output);

#endif
