#ifndef WORKER_BEGINS_H
#define WORKER_BEGINS_H
/*
 * Finds what a program's text says behind its own words.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* What follows that beginning; NULL: the text begins otherwise, or is NULL. */
static inline const char *behind_beginning(const char *text, const char *beginning)
{
	return text && begins(text, beginning) ? text + strlen(beginning) : NULL;
}

/* What follows the first such mark; NULL: the text has none, or is NULL. */
static inline const char *behind_mark(const char *text, const char *mark)
{
	const char *at = text ? strstr(text, mark) : NULL;

	return at ? at + strlen(mark) : NULL;
}

/* The hexadecimal number, with or without 0x, that follows it; 0: there is no mark. */
static inline unsigned long long hex_behind(const char *text, const char *mark)
{
	const char *at = behind_mark(text, mark);

	return at ? strtoull(at, NULL, 16) : 0;
}

#endif
