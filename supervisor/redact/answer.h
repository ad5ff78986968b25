#ifndef SUPERVISOR_REDACT_ANSWER_H
#define SUPERVISOR_REDACT_ANSWER_H
/*
 * Masks secrets in the structure of an answer. Knows the form of answers: which text is the value
 * of what, which rows are one text, and memory as hex digits.
 */
#include <jansson.h>

#include "supervisor/redact/redactor.h"

/* Masks in place. `about` is the expression that was asked for, or NULL. Returns the number of
 * masks; 0 without a redactor. */
size_t redact_answer(struct redactor *redactor, json_t *answer, const char *about);

#endif
