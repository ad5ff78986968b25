#ifndef WORKER_PATTERN_H
#define WORKER_PATTERN_H
/*
 * Regular expressions as people and models write them, for the C library and for gdb.
 */
#include <stddef.h>

enum { PATTERN_LONGEST = 10 }; /* bytes that one of a pattern becomes */

enum pattern_kind {
	PATTERN_EXTENDED, /* as POSIX has it */
	PATTERN_BASIC,	  /* where ( ) | + ? { } are plain unless a backslash precedes them */
};

/* Writes an extended regular expression, which may have \d, \D, \w, \W, \s, \S, \b, \B and \t, as
 * one of that kind. `to` has room for PATTERN_LONGEST times the length, and 1. Returns why it
 * cannot: it would silently be taken for something else; NULL: it is done. */
const char *pattern_translate(const char *pattern, enum pattern_kind kind, char *to);

#endif
