#ifndef TESTS_ATTACKS_STAGE_H
#define TESTS_ATTACKS_STAGE_H
/*
 * What an attack is played on: a home with secrets and a project in it, and a server in the
 * project; as ourselves and, where we are root, as an ordinary user, with a home that is a
 * directory and one that is a link, with namespaces and without.
 */
#include <stdbool.h>
#include <sys/types.h>
#include "tests/e2e/scene.h"

#define STAGE_PROGRAM "reach"
#define SECRET	      "THE-SECRET-OF-THIS-TEST"
#define NOBODY	      65534
#define TEXT	      4096
#define WORKER	      "rr-warden-worke" /* as comm cuts it */

/* How a test is played: bit 0 an ordinary user, bit 1 a home that is a link, bit 2 no namespaces.
 */
enum { AS_USER = 1, LINKED_HOME = 2, NO_NAMESPACES = 4, PLAYS = 8 };

/* A home with secrets and a project in it, and a server in the project. */
struct stage {
	char *folder, *home, *project, *program, *trace;
	uid_t uid;
	struct client *client;
	char *session; /* NULL: none yet */
};

/* Whether this machine and this user can play it. */
bool stage_can_play(int play);

/* `args` and `env` are the server's, NULL-terminated or NULL. */
struct stage stage_open(int play, const char *const *args, const char *const *env);
void stage_close(struct stage *stage);

/* Another server in the project. */
struct client *stage_client(
    const struct stage *stage, int play, const char *const *args, const char *const *env);

/* The server of such a copy of the built tree (harness_tree), in the project; raw as in struct
 * client_options. */
struct client *stage_tree_client(
    const struct stage *stage, int play, const char *tree, const char *const *args, bool raw);

/* Records the program; a new reference to the answer. */
json_t *stage_record(struct stage *stage);

/* Records it, and opens a session at its main. */
void stage_replay(struct stage *stage);

/* What a function of the program gets in the replay; -1 too when the call is its end. */
long long stage_tried(struct stage *stage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void expect_refused(const char *what, long long result);

/* A socket of the user's in the project, as tmux or an agent has one. Returns its descriptor. */
int stage_listen(const struct stage *stage, char path[TEXT]);

/* The same for datagrams, as the system log and service managers have one. */
int stage_listen_for_datagrams(const struct stage *stage, char path[TEXT]);

/* A TCP server on the machine's loopback, on a port that no replay has in its own network
 * namespace. Returns its descriptor.
 */
int stage_serve(int *port);

/* Shared memory that everybody may use, with this key. Returns its number, to be removed. */
int stage_share(int *key);

/* Nobody has connected, or sent anything. Closes it. */
void stage_expect_silence(int fd);

/* A process of the server's user that waits, and keeps the signals that it is sent. */
pid_t stage_bystander(const struct stage *stage);

/* It lives and was sent none. Ends it. */
void stage_bystander_end(pid_t pid);

/* The answer names what the machine gives in this play, nothing less. */
void expect_layers(const json_t *answer, int play);

/* Runs one suite, each of its tests once for each play; `tests` ends with NULL. Returns main's exit
 * code. */
int stage_main(const char *name, const TTest *const *tests);

#endif
