#ifndef WORKER_PLAIN_H
#define WORKER_PLAIN_H
/*
 * Values of C++ as people write them. gdb runs without its pretty printers, which are scripts, and
 * so prints each base class and each internal member of the standard library: 300 characters for a
 * std::string of five. Pure: text in, text out.
 *
 *	std::string, string_view	"text"
 *	std::map, set, list, ...	{3 elements}
 *	std::unique_ptr			0x5581c0
 *	other classes of the library	their members, without the classes that only wrap them
 *	bases without data		nothing
 *
 * Members of the program's own classes stay as they are. What cannot be read as one of gdb's values
 * stays as it is.
 */
#include <jansson.h>

#define PLAIN_MAX (64 * 1024) /* bytes of a value; a longer one stays as it is */

/* `value` in plain form, for the caller to free; NULL if it is plain already. */
char *plain_value(const char *value);

/* Makes each "value" in a tree of MI results plain. An "old" and a "new" stay, because two
 * different values can have the same plain form. */
void plain_results(json_t *results);

/* Where the program stands: in front of a write, or behind it. */
enum plain_side { PLAIN_BEFORE, PLAIN_BEHIND };

/* The values of the same memory before and behind a write, to be shown beside each other: plain,
 * unless the difference would not show then, and without texts that they did not have, see
 * former.h. */
struct plain_change {
	const char *old, *new; /* borrowed from here or from the caller's texts */
	char *owned[2], *former[2];
};

void plain_change(
    struct plain_change *change, const char *old, const char *new, enum plain_side now);
void plain_change_end(struct plain_change *change);

#endif
