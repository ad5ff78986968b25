#ifndef TESTS_RUNNER_H
#define TESTS_RUNNER_H
/*
 * What every Check suite ends with. TEST_SCENARIO in the environment names the one test function
 * that runs
 * (`make check ONLY=SUITE:SCENARIO`); Check itself can only choose a whole case.
 */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"

/*
 * Of a loop (a test that runs for each build of its program, or each row of a table), `make check`
 * takes TEST_ROWS rows, spread evenly, and `make check-all` those that are left (TEST_REST).
 * Without these, as where somebody runs one suite, every row runs.
 */
static inline bool runs_row(int row, int rows)
{
	const char *wanted = getenv("TEST_ROWS");
	int most = wanted ? atoi(wanted) : 0;
	bool sampled = most == 0 || row == 0 || row * most / rows != (row - 1) * most / rows;

	return most == 0 || sampled == (getenv("TEST_REST") == NULL);
}

static inline bool runs_scenario(const TTest *test)
{
	const char *scenario = getenv("TEST_SCENARIO");

	return scenario == NULL || *scenario == '\0' || strcmp(scenario, test->name) == 0;
}

/* How many tests this program has added so far. */
static inline int *count_of_tests(void)
{
	static int count;

	return &count;
}

/* Stands before Check's own, to which every macro that adds a test comes down. */
static inline void add_chosen(
    TCase *cases, const TTest *test, int signal, int exit_code, int start, int end)
{
	for (int row = start; row < end; row++)
		if (runs_scenario(test) && runs_row(row - start, end - start)) {
			++*count_of_tests();
			_tcase_add_test(cases, test, signal, exit_code, row, row + 1);
		}
}
#define _tcase_add_test add_chosen

/* Runs the suite; returns main's exit code. */
static inline int run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	if (*count_of_tests() == 0 && getenv("TEST_REST")) {
		puts("nothing is left"); /* and nothing to prepare; tests/run.sh knows the words */
		return 0;
	}
	if (*count_of_tests() == 0 && getenv("TEST_SCENARIO"))
		printf("No scenario has the name %s: see the START_TEST lines.\n",
		    getenv("TEST_SCENARIO"));
	srunner_run_all(runner, CK_ENV);
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
