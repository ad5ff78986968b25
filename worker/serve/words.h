#ifndef WORKER_WORDS_H
#define WORKER_WORDS_H
/*
 * Words and quoted texts in an expression or a line of source, found without parsing it.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Of a name of the program. */
static inline bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Of such a name, or one of gdb's. */
static inline bool is_name(char c)
{
	return is_word(c) || c == '$';
}

/* The length of the name that begins there. */
static inline size_t name_at(const char *at)
{
	size_t length = 0;

	while (is_name(at[length]))
		length++;
	return length;
}

/* The length of the text or character that the quotation mark at `at` begins; 0: it has no end. */
static inline size_t quoted_at(const char *at)
{
	size_t length = 1;

	while (at[length] && at[length] != *at)
		length += at[length] == '\\' && at[length + 1] ? 2 : 1;
	return at[length] ? length + 1 : 0;
}

/* Whether the bytes at `at` are one of the words, which end with NULL. */
static inline bool is_one_of(const char *at, size_t length, const char *const words[])
{
	for (; *words; words++)
		if (strlen(*words) == length && strncmp(*words, at, length) == 0)
			return true;
	return false;
}

#endif
