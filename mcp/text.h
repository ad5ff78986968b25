#ifndef MCP_TEXT_H
#define MCP_TEXT_H
/*
 * Text for people: near names, and strings that are safe to put into JSON whatever they hold.
 */
#include <jansson.h>
#include <stddef.h>

#define TEXT_NAME_MAX 64 /* bytes compared of a name, and quoted of a stranger's one */

/* Bytes of `text` (at most `limit`) that end on a UTF-8 boundary; for "%.*s". */
int text_cut(const char *text, size_t limit);

/* A JSON string from any bytes: invalid UTF-8 becomes '?'. NULL only when out of memory. */
json_t *text_json(const char *text);

/* The name nearest to `given`, or NULL if none is near. name_at returns the names in order, and
 * NULL after the last. */
const char *text_nearest(
    const char *given, const char *(*name_at)(const void *names, size_t index), const void *names);

#endif
