#ifndef SUPERVISOR_ANSWERS_H
#define SUPERVISOR_ANSWERS_H
/*
 * The form of answers: what the structure leaves out, and the text, which says the same in the way
 * a debugger prints it. Knows the names of fields, but not the tools that they come from.
 */
#include <jansson.h>

/*
 * Escapes what misleads a reader (scrub.h) in every text and name: workers have done so, but one of
 * them may have been forgotten, or taken over. Empties what is nested deeper than any answer is.
 */
void answers_scrub(json_t *result);

/*
 * Removes what carries no information: false, null, empty texts, lists and objects, at every level.
 * A list named `main` (may be NULL) is the one that was asked for, and stays even if it is empty.
 * Paths in `at` and in sentences below `directory` (NULL or "": none) become relative to it.
 */
void answers_trim(json_t *result, const char *main, const char *directory);

/* Of a sandbox that is full, leaves out the list of layers: rr_status has it. */
void answers_shorten_sandbox(json_t *result);

/* The text of a trimmed answer, NUL-terminated, to be freed; NULL when out of memory. Removes from
 * the structure what is only for the text (`dump`). */
char *answers_text(json_t *result);

#endif
