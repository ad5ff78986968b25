/*
 * Programs that give up their user, their capabilities or their namespaces while they are recorded:
 * servers that begin as root, and containers. They are recorded and replayed like others, inside
 * the code cache, as root and as an ordinary user.
 */
#include <check.h>
#include <stdio.h>
#include <unistd.h>
#include "tests/e2e/scene.h"
#include "tests/runner.h"

#define TIMEOUT_S 240
#define NOBODY	  65534

static const struct row {
	const char *name, *command; /* for a shell, in which $p is the program */
	bool needs_root;
} rows[] = {
    {"another user", "$p user work exec work", true},
    {"another user's child", "$p user fork work exec work", true},
    {"a user namespace", "$p users work exec work", false},
    {"a user namespace in another", "$p users fork users work exec work", false},
    {"a container", "$p users pids work exec work fork exec work", false},
    {"a container of another user", "$p user exec users pids exec work", true},
    {"not dumpable", "$p undumpable work fork work exec work", false},
    {"not dumpable in a user namespace", "$p users undumpable work fork exec work", false},
    {"unshare", "unshare -Ur $p work", false},
    {"unshare of everything", "unshare -Urmpf --mount-proc $p work", false},
    {"setpriv", "setpriv --reuid=65534 --clear-groups $p work", true},
};
#define ROWS (sizeof(rows) / sizeof(*rows))

/* What user namespaces cannot do here, they cannot do in a recording either. */
static bool is_possible(const struct row *row, const char *program, uid_t uid)
{
	char text[1024];

	if (row->needs_root && (uid != 0 || geteuid() != 0))
		return false;
	snprintf(text, sizeof(text), "p='%s'; %s%s >/dev/null 2>&1", program,
	    uid != geteuid() ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "",
	    row->command);
	return system(text) == 0;
}

static void expect_recorded(const struct row *row, uid_t uid)
{
	cleanup_scratch char *folder = harness_scratch(uid);
	cleanup_free char *program = harness_program("lost_rights");

	if (!is_possible(row, program, uid)) {
		printf("# not possible here for user %u: %s\n", (unsigned)uid, row->name);
		return;
	}
	/* By hand: only there rr may have rights that its program loses. */
	harness_shell("cd '%2$s' || exit 1\n"
		      "export HOME=$PWD p='%3$s'\n"
		      "as_user() { %4$s \"$@\"; }\n"
		      "rr() { as_user '%1$s' --pmu=software rr \"$@\"; }\n"
		      "as_user %5$s >native || exit 1\n"
		      "rr record -o trace %5$s >printed 2>told || { cat told >&2; exit 1; }\n"
		      "cat told >&2\n"
		      "cmp native printed >&2 || exit 1\n"
		      "[ ! -s told ] || exit 1\n"
		      "RR_WARDEN_SOFTPMU_STATS=$PWD/trace/stats rr replay -a trace >replayed 2>told"
		      " || { cat told >&2; exit 1; }\n"
		      "cmp native replayed >&2 || exit 1\n"
		      "stops=$(tail -n 1 trace/stats | sed 's/.* stops=//; s/ .*//')\n"
		      "echo \"$stops stops\" >&2\n"
		      "[ \"$stops\" -lt 30000 ]",
	    harness_server(), folder, program,
	    uid != geteuid() ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "env",
	    row->command);
}

START_TEST(a_program_that_gives_up_rights_is_recorded_in_the_code_cache)
{
	expect_recorded(&rows[_i], geteuid());
}
END_TEST

START_TEST(as_an_ordinary_user_too)
{
	if (geteuid() == 0)
		expect_recorded(&rows[_i], NOBODY);
}
END_TEST

/* The sandbox of a recording lets nobody make namespaces or change the user. */
START_TEST(what_is_not_dumpable_is_recorded_by_the_tool)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("lost_rights");
	json_auto_t *recorded =
	    client_tool(place.client, "rr_record", "{s:[s,s,s,s,s,s,s],s:s}", "command", program,
		"undumpable", "work", "fork", "work", "exec", "work", "trace_dir", place.trace);

	expect_number(recorded, "exit_code", 0);
	ck_assert_ptr_null(answer_at(recorded, "stderr")); /* nothing about the cache */
	free(client_replay(place.client, place.trace));
	expect_all(client_tool(place.client, "rr_continue", NULL), IS("reason", "end"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lost rights");
	TCase *all = tcase_create("lost rights");

	tcase_add_loop_test(
	    all, a_program_that_gives_up_rights_is_recorded_in_the_code_cache, 0, ROWS);
	tcase_add_loop_test(all, as_an_ordinary_user_too, 0, ROWS);
	tcase_add_test(all, what_is_not_dumpable_is_recorded_by_the_tool);
	tcase_set_timeout(all, TIMEOUT_S);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
