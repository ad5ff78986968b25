#ifndef SUPERVISOR_DOCTOR_OWN_SERVER_H
#define SUPERVISOR_DOCTOR_OWN_SERVER_H
/*
 * A server of the doctor's own: this very program, started with the same options, and asked over
 * pipes as a client does. So the doctor sees what a client would see, and nothing else.
 */
#include <jansson.h>
#include <stdbool.h>

#define OWN_SERVER_ANSWER_MAX (4 << 20) /* bytes of one answer */
#define OWN_SERVER_WAIT_S     90	/* for one answer */

struct own_server;

/* Starts it with these options (count of them, without the program's name). NULL with errno. */
struct own_server *own_server_start(int count, char *const options[]);

/*
 * Calls a tool; args is stolen. Returns the structured answer, a new reference, with *failed
 * telling whether it is an error {code, message, hint}; NULL with *why when there is no answer at
 * all.
 */
json_t *own_server_call(
    struct own_server *server, const char *tool, json_t *args, bool *failed, const char **why);

/* Repeats on our standard error what it has written to its own. */
void own_server_repeat(const struct own_server *server);

/* Ends it and waits for it. NULL is nothing. */
void own_server_end(struct own_server *server);

#endif
