#ifndef WORKER_WARNINGS_H
#define WORKER_WARNINGS_H
/*
 * gdb's warnings, which it prints beside an answer and which may mean that the answer is wrong.
 */
#include <jansson.h>

/* Adds those in what gdb logged to a list of distinct ones, made if *list is NULL. */
void warnings_add(json_t **list, const char *log);

/* Adds one of our own, of what an answer is without. */
void warnings_add_own(json_t **list, const char *text);

/* Takes those back that have this part, which holds no longer. The list may be NULL. */
void warnings_forget(json_t *list, const char *part);

#endif
