#ifndef TESTS_LINT_H
#define TESTS_LINT_H
/*
 * Holds a table of tools to what every client takes: names, lengths, plain schemas, the size of the
 * whole list. Looks at what is sent, not at the tables it was made from.
 */
#include <stddef.h>

#include "mcp/server.h"

#define LINT_NAME_MAX	     40
#define LINT_DESCRIPTION_MAX 4096
#define LINT_LIST_MAX	     40960

/* The same for a list as tools/list answers it, of `size` bytes. */
size_t mcp_lint_list(const json_t *tools, size_t size, void (*tell)(const char *finding));

/* The number of findings; each is told to `tell`, which may be NULL. */
size_t mcp_lint_tools(const struct mcp_handler *handler, void (*tell)(const char *finding));

#endif
