#ifndef TESTS_RUNNER_H
#define TESTS_RUNNER_H
/*
 * What every Check suite ends with. TEST_SCENARIO in the environment names the one test function that runs
 * (`make check ONLY=SUITE:SCENARIO`); Check itself can only choose a whole case.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"

/* Whether the test is to run. */
static inline int runs_scenario(const TTest *test)
{
	const char *scenario = getenv("TEST_SCENARIO");

	return scenario == NULL || *scenario == '\0' || strcmp(scenario, test->name) == 0;
}

/* Every macro of Check that adds a test comes down to this function. */
#define _tcase_add_test(cases, test, ...) \
	(runs_scenario(test) ? (_tcase_add_test)((cases), (test), __VA_ARGS__) : (void)0)

/* Runs the suite; returns main's exit code. */
static inline int run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_ENV);
	if (srunner_ntests_run(runner) == 0)
		printf("No scenario has the name %s: see the START_TEST lines.\n", getenv("TEST_SCENARIO"));
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? 0 : 1;
}

/* A test that runs `times` times: _i counts them from 0. The row {NULL, 0} ends a list. */
struct looped {
	const TTest *test;
	int times;
};

#define TIMES(array) ((int)(sizeof(array) / sizeof(*(array)))) /* once for each row of a table */

/* A case whose tests run each between `before` and `after` (or NULL). */
static inline TCase *new_case(const char *name, void (*before)(void), void (*after)(void))
{
	TCase *cases = tcase_create(name);

	tcase_set_timeout(cases, 120); /* a busy machine is no failure */
	tcase_add_checked_fixture(cases, before, after);
	return cases;
}

/* Runs a suite of this one case; returns main's exit code. */
static inline int run_case(const char *name, TCase *cases)
{
	Suite *suite = suite_create(name);

	suite_add_tcase(suite, cases);
	return run_suite(suite);
}

static inline void add_loops(TCase *cases, const struct looped tests[])
{
	for (const struct looped *row = tests; row->test; row++)
		tcase_add_loop_test(cases, row->test, 0, row->times);
}

/* Runs one suite of one case, and returns main's exit code. */
static inline int run_loops(
    const char *name, const struct looped tests[], void (*before)(void), void (*after)(void))
{
	TCase *cases = new_case(name, before, after);

	add_loops(cases, tests);
	return run_case(name, cases);
}

/* The same for tests that run once each, NULL-terminated. */
static inline int run_tests(
    const char *name, const TTest *const tests[], void (*before)(void), void (*after)(void))
{
	TCase *cases = new_case(name, before, after);

	for (size_t i = 0; tests[i] != NULL; i++)
		tcase_add_test(cases, tests[i]);
	return run_case(name, cases);
}

#endif
