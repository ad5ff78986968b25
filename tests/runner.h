#ifndef TESTS_RUNNER_H
#define TESTS_RUNNER_H
/*
 * What every Check suite ends with.
 */
#include <check.h>

/* Runs the suite; returns main's exit code. */
static inline int run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? 0 : 1;
}

/* The same for one case of tests, NULL-terminated, each between `before` and `after` (or NULL). */
static inline int run_tests(
    const char *name, const TTest *const tests[], void (*before)(void), void (*after)(void))
{
	Suite *suite = suite_create(name);
	TCase *cases = tcase_create(name);

	tcase_set_timeout(cases, 60); /* a busy machine is no failure */
	tcase_add_checked_fixture(cases, before, after);
	for (size_t i = 0; tests[i] != NULL; i++)
		tcase_add_test(cases, tests[i]);
	suite_add_tcase(suite, cases);
	return run_suite(suite);
}

#endif
