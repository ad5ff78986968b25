#ifndef SUPERVISOR_DOCTOR_OWN_SERVER_H
#define SUPERVISOR_DOCTOR_OWN_SERVER_H
/*
 * The doctor's own server: this same program, started with the same options, and called over pipes
 * as by a client. The doctor therefore sees exactly what a client sees.
 */
#include <jansson.h>
#include <stdbool.h>

#define OWN_SERVER_ANSWER_MAX (4 << 20) /* bytes of one answer */
#define OWN_SERVER_WAIT_S     90	/* for one answer */

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

/* Copies what it has written on standard error to ours. */
void own_server_repeat(const struct own_server *server);

/* Ends it and waits for it. Does nothing for NULL. */
void own_server_end(struct own_server *server);

#endif
