#ifndef SANDBOX_SCRUB_H
#define SANDBOX_SCRUB_H
/*
 * Any bytes → bounded, valid UTF-8 that JSON and a reader can take. What is not valid UTF-8 becomes
 * \xHH; NUL and control characters other than newline and tab do too.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Writes at most size - 1 bytes and a NUL to `to`; never cuts a character or an escape. Returns the
 * number of bytes of `from` that were taken: less than `length` when `to` was full.
 */
size_t scrub_bytes(char *to, size_t size, const char *from, size_t length);

/* The same as a JSON string of at most `max` bytes. *taken (may be NULL) as above. */
json_t *scrub_json(const char *from, size_t length, size_t max, size_t *taken);

/*
 * Reduces progress output to what a terminal would finally show: removes, in place, what backspaces
 * and carriage returns within a line overwrote. Returns the new length.
 */
size_t scrub_overwritten(char *bytes, size_t length);

/*
 * The beginning and the end of a long text: at most `max` bytes in all, with "\n[... N bytes left
 * out ...]\n" between them if something was cut. *cut (may be NULL) is N.
 */
json_t *scrub_json_middle(const char *from, size_t length, size_t max, size_t *cut);

/* Whether it is valid UTF-8, which JSON takes. */
bool scrub_is_text(const char *text);

/* Length of the valid UTF-8 character at `from`, 0 when there is none. RFC 3629: no overlong forms,
 * no surrogates, nothing above U+10FFFF. */
size_t scrub_character_length(const unsigned char *from, size_t left);

#endif
