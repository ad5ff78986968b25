#ifndef SUPERVISOR_OWN_SERVER_H
#define SUPERVISOR_OWN_SERVER_H
/*
 * The own server of a command such as `doctor` or `explain`: this same program, started with the
 * same options, and called over pipes as by a client. The command therefore sees exactly what a
 * client sees.
 */
#include <jansson.h>
#include <stdbool.h>

#define OWN_SERVER_ANSWER_MAX (4 << 20) /* bytes of one answer */
#define OWN_SERVER_WAIT_S     90	/* for one answer, unless own_server_wait says else */

struct own_server;

/* Starts it with these options (count of them, without the program's name). NULL with errno. */
struct own_server *own_server_start(int count, char *const options[]);

/*
 * Calls a tool; args is stolen. Returns the structured answer, a new reference; *failed says
 * whether it is an error {code, message, hint}. Returns NULL with *why if there is no answer at
 * all.
 */
json_t *own_server_call(
    struct own_server *server, const char *tool, json_t *args, bool *failed, const char **why);

/* Waits so long for each answer from now on. */
void own_server_wait(struct own_server *server, long long seconds);

/* The same, but the whole result of the call: {content, structuredContent, isError}, or a JSON-RPC
 * error. */
json_t *own_server_result(
    struct own_server *server, const char *tool, json_t *args, const char **why);

/* Copies what it has written on standard error to ours. */
void own_server_repeat(const struct own_server *server);

/* Ends it and waits for it. Does nothing for NULL. */
void own_server_end(struct own_server *server);

#endif
