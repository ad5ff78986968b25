/*
 * Which port rr gets, where there are two.
 */
#include "worker/gdb/remote.h"

#include <sched.h>
#include <unistd.h>
#include "sandbox/ns.h"
#include "tests/runner.h"

#define FIRST  40000
#define TRIALS 50 /* of which the kernel gives out half each, by chance */

/* In a network of its own, which has no other ports to give out. */
static bool has_two_ports(void)
{
	const uid_t uid = geteuid();
	const gid_t gid = getegid();
	FILE *range;
	bool ok;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
		return false;
	ck_assert_int_eq(ns_map_ids(uid, gid), 0);
	ck_assert_int_eq(ns_loopback_up(), 0);
	range = fopen("/proc/sys/net/ipv4/ip_local_port_range", "w");
	ok = range && fprintf(range, "%d %d", FIRST, FIRST + 1) > 0;
	return range && fclose(range) == 0 && ok;
}

/* gdb's has no listener while rr starts again. */
START_TEST(rr_never_gets_the_port_that_is_gdbs)
{
	if (!has_two_ports()) {
		puts("skipped: a network with two ports: this system allows no namespaces");
		return;
	}
	for (int i = 0; i < TRIALS; i++)
		for (int gdbs = FIRST; gdbs <= FIRST + 1; gdbs++)
			ck_assert_int_eq(remote_free_port(gdbs), gdbs == FIRST ? FIRST + 1 : FIRST);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {rr_never_gets_the_port_that_is_gdbs, NULL};

	return run_tests("remote", tests, NULL, NULL);
}
