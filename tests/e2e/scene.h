#ifndef TESTS_E2E_SCENE_H
#define TESTS_E2E_SCENE_H
/*
 * The beginning of most end-to-end tests: traces that the server records once for the whole suite,
 * and for each test a server of its own with a session on one of them.
 */
#include <check.h>
#include <string.h>
#include "tests/e2e/harness.h"
#include "tests/runner.h"

#define SCENE_TEST_TIMEOUT_S 300 /* for Check: a bound against hanging, not an expectation */

/* The trace of a program of tests/programs, which the first call records; words behind its name are
 * its arguments. Tests run in child processes, so make the first call in an unchecked fixture, as
 * scene_main does. Borrowed. */
const char *scene_trace(const char *program);

/* Removes the traces: the unchecked fixture's end. */
void scene_clear(void);

struct scene {
	struct client *client;
	char *session; /* owned */
};

/* A server with these options (NULL: none) and a session at the start of the program's trace. */
struct scene scene_open(const char *program, const struct client_options *options);

/* The same without options, run to a breakpoint at `location`. */
struct scene scene_open_at(const char *program, const char *location);

/* The process in the program's trace that ended with the exit code. */
long long scene_process(struct client *client, const char *program, int exit_code);

/* A session of a forked process, from its fork on; takes over the client. */
struct scene scene_of_child(struct client *client, const char *program, long long pid);

/* Moves the session to a breakpoint at `location` (set for this once). */
void scene_run_to(struct scene *scene, const char *location);

void scene_go(struct scene *scene, const char *moment);

/* The session answers, and nothing had to bring it back. */
void expect_alive(struct client *client, const char *session);

/* The two answers are the same. Takes both. */
void expect_same(json_t *one, json_t *other);

/* Asks at the program's end: that is the same then, and once more when it is reached anew. */
void expect_same_end(struct scene *scene, json_t *(*ask)(struct scene *scene));

/* Ends the server as a client does by EOF, and checks that nothing is left. */
void scene_close(struct scene *scene);
#define cleanup_scene __attribute__((cleanup(scene_close)))

/* A server, and a folder of its own with the name of a trace that does not exist yet. */
struct place {
	struct client *client;
	char *folder, *trace;
};

struct place place_open(void);
void place_close(struct place *place);
#define cleanup_place __attribute__((cleanup(place_close)))

/* Records a program of tests/programs there, and opens a session. The words of `command`, which
 * ends with NULL, are the program's name and its arguments. */
struct place place_replay_command(const char *const *command);
#define place_replay(...) place_replay_command((const char *const[]){__VA_ARGS__, NULL})

/* Records a program of tests/programs there, with one argument (NULL: none), and has it reported in
 * a new session, which stays open. */
json_t *place_crash_report(struct place *place, const char *program, const char *argument);

/* Begins to record a long sleep there, and waits until it runs. Returns the call's id. */
long long place_record_sleep(struct place *place);

/* Runs one suite of one test case, `tests` ending with NULL; returns main's exit code. */
int scene_main(const char *name, const TTest *const *tests, const char *const *programs);

/* The same, each test once for each build of its programs: _i counts them. */
int scene_main_builds(
    const char *name, const TTest *const *tests, const char *const *programs, int builds);

/* The same, each test as often as its row says. */
int scene_main_loops(const char *name, const struct looped *tests, const char *const *programs);

/* Checks of answers; they print what they got. */
#define expect_text(answer, path, expected)                                                        \
	ck_assert_str_eq(answer_text((answer), (path)), (expected))
#define expect_number(answer, path, expected)                                                      \
	ck_assert_int_eq(answer_number((answer), (path)), (expected))
#define expect_line(answer, path, expected)                                                        \
	ck_assert_int_eq(answer_line((answer), (path)), (expected))

/* The text at `path` contains `part`. */
#define expect_within(answer, path, part)                                                          \
	do {                                                                                       \
		const char *text_ = answer_text((answer), (path)), *part_ = (part);                \
		ck_assert_msg(strstr(text_, part_) != NULL, "no \"%s\" in \"%s\"", part_, text_);  \
	} while (0)

/* Checks the text at one path of the answer that `call` returns, and releases that answer. */
#define expect_answer(call, path, expected)                                                        \
	do {                                                                                       \
		json_t *answer_ = (call);                                                          \
		expect_text(answer_, (path), (expected));                                          \
		json_decref(answer_);                                                              \
	} while (0)

/* The same for a text that only has to contain `part`. */
#define expect_answer_within(call, path, part)                                                     \
	do {                                                                                       \
		json_t *answer_ = (call);                                                          \
		expect_within(answer_, (path), (part));                                            \
		json_decref(answer_);                                                              \
	} while (0)

/* What an answer must say at a path. NUMBER and LINE as answer_number and answer_line read it. */
struct expected {
	enum {
		EXPECTED_END,
		EXPECTED_TEXT,
		EXPECTED_PART,
		EXPECTED_NUMBER,
		EXPECTED_LINE,
		EXPECTED_COUNT,
		EXPECTED_TRUE,
		EXPECTED_FALSE,
		EXPECTED_PRESENT,
		EXPECTED_ABSENT,
	} kind;
	const char *path, *text;
	long long number;
};

#define IS(path, text)                                                                             \
	{                                                                                          \
		EXPECTED_TEXT, (path), (text), 0                                                   \
	}
#define HAS(path, part)                                                                            \
	{                                                                                          \
		EXPECTED_PART, (path), (part), 0                                                   \
	}
#define NUMBER(path, number)                                                                       \
	{                                                                                          \
		EXPECTED_NUMBER, (path), NULL, (number)                                            \
	}
#define LINE(path, number)                                                                         \
	{                                                                                          \
		EXPECTED_LINE, (path), NULL, (number)                                              \
	}
#define COUNT(path, number)                                                                        \
	{                                                                                          \
		EXPECTED_COUNT, (path), NULL, (long long)(number)                                  \
	}
#define TRUE(path)                                                                                 \
	{                                                                                          \
		EXPECTED_TRUE, (path), NULL, 0                                                     \
	}
#define FALSE(path)                                                                                \
	{                                                                                          \
		EXPECTED_FALSE, (path), NULL, 0                                                    \
	} /* or absent */
#define PRESENT(path)                                                                              \
	{                                                                                          \
		EXPECTED_PRESENT, (path), NULL, 0                                                  \
	}
#define ABSENT(path)                                                                               \
	{                                                                                          \
		EXPECTED_ABSENT, (path), NULL, 0                                                   \
	}

/* The answer that `call` returns says all of this; releases it. */
#define expect_all(call, ...)                                                                      \
	expect_all_of(__FILE__, __LINE__, (call), (const struct expected[]){__VA_ARGS__, {0}})
void expect_all_of(const char *file, int line, json_t *answer, const struct expected *expected);

#define expect_value(client, expression, expected)                                                 \
	expect_answer(client_tool((client), "rr_evaluate", "{s:s}", "expression", (expression)),   \
	    "value", (expected))

#endif
