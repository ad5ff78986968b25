#ifndef SUPERVISOR_COMPLETION_H
#define SUPERVISOR_COMPLETION_H
/*
 * Completes names of sessions and traces, from what is known already.
 */
#include <jansson.h>

/* As complete of struct mcp_handler; owner is a struct dispatch. */
json_t *completion_find(
    void *owner, const char *reference, const char *argument, const char *value);

#endif
