#ifndef SUPERVISOR_ANSWERS_H
#define SUPERVISOR_ANSWERS_H
/*
 * The form of answers: what is left out of the structure, and the text, which says the same as a
 * debugger prints it. Knows the names of fields, and nothing of the tools that they come from.
 */
#include <jansson.h>

/*
 * Takes out what says nothing: false, null, empty texts, lists and objects, at every level. A list
 * named `main` (may be NULL) is what was asked for, and stays when it is empty. Paths in `at`
 * and in sentences become relative to `directory`, where they lie below it (NULL or "": none).
 */
void answers_trim(json_t *result, const char *main, const char *directory);

/* The text of a trimmed answer, NUL-terminated and to be freed; NULL without memory. What is only
 * for the text (`dump`) is taken out of the structure. */
char *answers_text(json_t *result);

#endif
