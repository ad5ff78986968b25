#ifndef TESTS_E2E_SCENE_H
#define TESTS_E2E_SCENE_H
/*
 * What most end-to-end tests begin with: traces recorded once for the whole suite, through the
 * server, and for each test a server of its own with a session on one of them.
 */
#include <check.h>
#include "tests/e2e/harness.h"

#define SCENE_TEST_TIMEOUT_S 300 /* for Check: a bound against hanging, not an expectation */

/* The trace of a program of tests/programs, recorded at the first call, in the process that calls
 * scene_prepare's folder; so call it once in an unchecked fixture for each program that is used.
 * Borrowed. */
const char *scene_trace(const char *program);

/* Removes the traces: the unchecked fixture's end. */
void scene_clear(void);

struct scene {
	struct client *client;
	char *session; /* owned */
};

/* A server with these options (NULL: none) and a session at the start of the program's trace. */
struct scene scene_open(const char *program, const struct client_options *options);

/* Moves the session to a breakpoint at `location` (set for this once). */
void scene_run_to(struct scene *scene, const char *location);

/* Ends the server as a client does by EOF, and checks that nothing is left. */
void scene_close(struct scene *scene);

/* A server, and a folder of its own with the name of a trace that is not there yet. */
struct place {
	struct client *client;
	char *folder, *trace;
};

struct place place_open(void);
void place_close(struct place *place);

/* Runs one suite of one test case, `tests` ending with NULL; returns main's exit code. */
int scene_main(const char *name, const TTest *const *tests, const char *const *programs);

/* The same, each test once for each build of its programs: _i counts them. */
int scene_main_builds(
    const char *name, const TTest *const *tests, const char *const *programs, int builds);

/* Checks on answers that say what they got. */
#define expect_text(answer, path, expected)                                                        \
	ck_assert_str_eq(answer_text((answer), (path)), (expected))
#define expect_number(answer, path, expected)                                                      \
	ck_assert_int_eq(answer_number((answer), (path)), (expected))
#define expect_line(answer, path, expected)                                                        \
	ck_assert_int_eq(answer_line((answer), (path)), (expected))

#endif
