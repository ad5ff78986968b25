#ifndef WORKER_CAST_H
#define WORKER_CAST_H
/*
 * Casts that gdb answers wrong, in what it evaluates: a function of script/library.py is written
 * instead. For a dynamic_cast to the object's own class gdb (13.1 and before, value_dynamic_cast)
 * gives the address of its vtable. For a conversion of an object to bool it gives the object's
 * first byte, so that a shared_ptr which is not null can be false. Pure: text in, text out.
 */
#include <stdbool.h>
#include <stddef.h>

/* Writes `text` with each dynamic_cast<T>(e) and each conversion to bool as a call of our function;
 * e may hold others. False: it has none, cannot be read, or does not fit, and stays as it is. */
bool cast_rewrite(char *to, size_t size, const char *text);

#endif
