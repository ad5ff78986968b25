#ifndef WORKER_SHORTEN_H
#define WORKER_SHORTEN_H
/*
 * gdb's values without what says nothing: the types of Rust's options and results, and bases of C++
 * without data. Texts in them stay as they are. Pure.
 *
 *	core::option::Option<i32>::Some(5)			Some(5)
 *	{<Base> = {<No data fields>}, a = 1}			{a = 1}
 *	{<Base> = {b = 1}, <No data fields>}			{<Base> = {b = 1}}
 */
#include <jansson.h>

/* For the caller to free; NULL: there is nothing to shorten. */
char *shorten_value(const char *value);

/* The same with each value in a tree of MI results. */
void shorten_results(json_t *results);

#endif
