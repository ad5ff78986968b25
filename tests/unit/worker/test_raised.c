/*
 * What runtimes print of an error before they end the program, among other output.
 */
#include <check.h>
#include <string.h>
#include "tests/runner.h"
#include "worker/investigate/report/raised.h"

static const struct {
	int status;
	const char *output, *text; /* NULL: nothing */
	bool goes_back;
} cases[] = {
    {2, "300\npanic: runtime error: index out of range [-340]\n\ngoroutine 1 [running]:\n",
	"panic: runtime error: index out of range [-340]", true},
    {2, "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\n",
	"fatal error: all goroutines are asleep - deadlock!", true},
    {2, "panic: what a program of C says\n", NULL, false},
    {1, "\nraised CONSTRAINT_ERROR : ledger.adb:32 index check failed\n",
	"raised CONSTRAINT_ERROR : ledger.adb:32 index check failed", false},
    {1, "raised LEDGER.TOO_LATE", "raised LEDGER.TOO_LATE", false},
    {1, "raised the roof : high\n", NULL, false},
    {1, "core.exception.RangeError@a.d(28): caught\nobject.Exception@b.d(3): no row\n---\n",
	"object.Exception@b.d(3): no row", true},
    {1, "write to me@example.org (28): now\n", NULL, false},
    {2, "At line 9 of file a.f90\nFortran runtime error: Index '5' of dimension 1\n",
	"Fortran runtime error: Index '5' of dimension 1", false},
    {101, "thread 'main' (12) panicked at a.rs:1:1:\nno row\n",
	"thread 'main' (12) panicked at a.rs:1:1: no row", true},
    {3, "panic: no\n\ngoroutine 1 [running]:\n", NULL, false},
    {1, "", NULL, false},
};

START_TEST(an_error_is_known_by_its_text_and_the_exit_status)
{
	json_auto_t *report = json_pack("{s:i}", "exit_code", cases[_i].status);
	json_auto_t *output = json_string(cases[_i].output);
	struct raised raised;

	ck_assert_int_eq(raised_find(report, output, &raised), cases[_i].text != NULL);
	if (!cases[_i].text)
		return;
	ck_assert_str_eq(raised.text, cases[_i].text);
	ck_assert_int_eq(raised.places != NULL, cases[_i].goes_back);
}
END_TEST

START_TEST(a_signal_is_no_error_of_a_runtime)
{
	json_auto_t *report = json_pack("{s:s}", "signal", "SIGSEGV");
	json_auto_t *output = json_string(cases[0].output);
	struct raised raised;

	ck_assert(!raised_find(report, output, &raised));
	ck_assert(!raised_find(report, NULL, &raised));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {an_error_is_known_by_its_text_and_the_exit_status, TIMES(cases)},
	    {a_signal_is_no_error_of_a_runtime, 1},
	    {NULL, 0},
	};
	return run_loops("raised", tests, NULL, NULL);
}
