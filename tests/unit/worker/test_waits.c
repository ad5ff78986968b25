/*
 * Which calls of futex wait: a thread that is killed while it wakes another one waits for nothing.
 */
#include <check.h>
#include <linux/futex.h>
#include <stdlib.h>
#include "worker/investigate/threads/waits.h"
#include "tests/runner.h"

static const struct {
	unsigned long long operation;
	bool waits;
} operations[] = {
    {FUTEX_WAIT, true},
    {FUTEX_WAKE, false},
    {FUTEX_FD, false},
    {FUTEX_REQUEUE, false},
    {FUTEX_CMP_REQUEUE, false},
    {FUTEX_WAKE_OP, false},
    {FUTEX_LOCK_PI, true},
    {FUTEX_UNLOCK_PI, false},
    {FUTEX_TRYLOCK_PI, false},
    {FUTEX_WAIT_BITSET, true},
    {FUTEX_WAKE_BITSET, false},
    {FUTEX_WAIT_REQUEUE_PI, true},
    {FUTEX_CMP_REQUEUE_PI, false},
    {FUTEX_LOCK_PI2, true},
};

START_TEST(only_operations_that_wait_are_waits)
{
	ck_assert_int_eq(waits_futex_waits(operations[_i].operation), operations[_i].waits);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("waits");
	Suite *suite = suite_create("waits");

	tcase_add_loop_test(tcase, only_operations_that_wait_are_waits, 0,
	    (int)(sizeof(operations) / sizeof(*operations)));
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
