#ifndef WORKER_TEST_CHOICE_H
#define WORKER_TEST_CHOICE_H
/*
 * One test of a test program: the words or the variable with which its framework runs that test.
 */
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include "sandbox/wire/failure.h"

struct test_choice {
	json_t *command, *env; /* the caller's, with what picks the test; owned; env may be NULL */
	json_t *told;	       /* what was added, for the answer; owned, or NULL */
};

/*
 * `test` NULL: all tests, as the command has it. `real` is the program's file, links resolved.
 * False with *failure filled if the framework is not known or the name is none of its names. Call
 * test_choice_free in every case.
 */
bool test_choice_make(struct test_choice *choice, const char *test, json_t *command, json_t *env,
    const char *real, struct failure *failure);
void test_choice_free(struct test_choice *choice);

#endif
