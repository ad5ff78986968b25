#ifndef SUPERVISOR_REDACT_REDACTOR_H
#define SUPERVISOR_REDACT_REDACTOR_H
/*
 * Masks secrets in texts: the setting `redact`. What a mask covers is a whole match, and never a
 * part of a character. A mask reads "[redacted: NAME]", or "[redacted]" for a pattern of the
 * user's own.
 */
#include <stdbool.h>
#include <stddef.h>

#define REDACTOR_TEXT_MAX (8u << 20) /* a longer text is masked as a whole */

/* The mask without a name: of a pattern of the user's own, and of what could not be looked at. */
#define REDACTOR_NAMELESS "[redacted]"

struct redactor;

/* Whether an item of the setting is the name of a set or a pattern; else `why`
 * (PATTERN_WHY_MAX bytes). */
bool redactor_check(const char *item, char *why);

/* The patterns of a NULL-terminated list of items, which redactor_check took and which outlives the
 * redactor. NULL with `why`. */
struct redactor *redactor_new(const char *const *items, char *why);
void redactor_free(struct redactor *redactor);

size_t redactor_patterns(const struct redactor *redactor);

/*
 * Finds what is to be masked: for each byte 0, or a number that names the mask. Masks that are in
 * the text already are left alone. If the text is a `piece`, it can end in the middle of a secret.
 * NULL if it cannot be looked at, or takes too long, which the log says once. Valid until the next
 * call.
 */
const unsigned char *redactor_find(
    struct redactor *redactor, const char *text, size_t length, bool piece);

/* How many masks these bytes need. */
size_t redactor_count(const unsigned char *marks, size_t length);

/* The text with its masks, NUL-terminated, to be freed; NULL when out of memory. */
char *redactor_mask(
    const struct redactor *redactor, const char *text, const unsigned char *marks, size_t length);

/* All three: NULL if nothing is to be masked; adds the number of masks to *count. What cannot be
 * looked at is masked as a whole. */
char *redactor_mask_text(struct redactor *redactor, const char *text, size_t *count);

#endif
