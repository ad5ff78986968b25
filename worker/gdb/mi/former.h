#ifndef WORKER_FORMER_H
#define WORKER_FORMER_H
/*
 * What gdb shows of a value on the other side of a write. It has kept the bytes of an object, and
 * reads what its pointers point to only when it prints: the text behind the pointer of a
 * std::string is what lies there now. Pure: text in, text out.
 */
#include <stdbool.h>

/* Which of the two values beside a write this is. */
struct former {
	bool is_now;   /* its bytes are in memory */
	bool is_older; /* the one before the write: what a pointer that the write replaces points
			* to may have been freed before, and used again */
};

/*
 * `value` as gdb prints it, without texts of std::string that it did not have. A short string
 * points into itself, and has the characters among its bytes. `other` is the one on the other side.
 * For the caller to free; NULL: nothing is to be changed.
 */
char *former_value(const char *value, const char *other, struct former former);

#endif
