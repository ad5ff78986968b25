#ifndef WORKER_CAST_H
#define WORKER_CAST_H
/*
 * dynamic_cast in what gdb evaluates. gdb (13.1 and before, value_dynamic_cast) answers a cast to
 * the object's own class with the address of its vtable, so ours is written instead of it: a
 * function of script/library.py. Pure: text in, text out.
 */
#include <stdbool.h>
#include <stddef.h>

/* Writes `text` with each dynamic_cast<T>(e) as a call of our function; e may hold others. False:
 * it has none, cannot be read, or does not fit, and stays as it is. */
bool cast_rewrite(char *to, size_t size, const char *text);

#endif
