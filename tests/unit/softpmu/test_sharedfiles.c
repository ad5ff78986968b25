/*
 * Which files rr creates for the program, and how long another recording's is waited for.
 */
#include <check.h>
#include <fcntl.h>

#include "worker/softpmu/sharedfiles.h"
#include "tests/runner.h"

START_TEST(only_new_files_of_rrs_are_meant)
{
	const int exclusive = O_CREAT | O_EXCL | O_RDWR;

	ck_assert(sharedfiles_creates("/tmp/rr-shared-preload_thread_locals-11-0", exclusive));
	ck_assert(sharedfiles_creates("rr-shared-syscallbuf.11-11-1", exclusive));
	ck_assert(!sharedfiles_creates("/tmp/rr-shared-a-11-0", O_CREAT | O_RDWR));
	ck_assert(!sharedfiles_creates("/tmp/rr-shared-a-11-0", O_EXCL | O_RDWR));
	ck_assert(!sharedfiles_creates("/tmp/rr-shared-a/other", exclusive));
	ck_assert(!sharedfiles_creates("/tmp/not-rr-shared-a", exclusive));
}
END_TEST

START_TEST(the_wait_has_an_end)
{
	ck_assert(sharedfiles_wait(0));
	ck_assert(sharedfiles_wait(999));
	ck_assert(!sharedfiles_wait(1000));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {only_new_files_of_rrs_are_meant, the_wait_has_an_end, NULL};

	return run_tests("softpmu sharedfiles", tests, NULL, NULL);
}
