/*
 * What each AppArmor label asks of rr-warden, and what becomes of the variables that the dynamic
 * linker removes. tests/packages/apparmor.sh shows the profiles themselves, in a virtual machine.
 */
#include "supervisor/apparmor.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/runner.h"

static const struct {
	const char *label;
	enum apparmor_step step;
} labels[] = {
    {"rr-warden (enforce)", APPARMOR_AGAIN},
    {"rr-warden (complain)", APPARMOR_AGAIN},
    {"rr-warden//server (unconfined)", APPARMOR_INSIDE},
    {"rr-warden (unconfined)", APPARMOR_INSIDE}, /* the profile before there were two */
    {"unconfined", APPARMOR_NOTHING},
    {"", APPARMOR_NOTHING},
    {"rr-warden", APPARMOR_NOTHING},
    {"rr-warden-other (enforce)", APPARMOR_NOTHING},
    {"other (enforce)", APPARMOR_NOTHING},
    /* stacked under a profile that may deny them */
    {"rr-warden//&other (enforce)", APPARMOR_NOTHING},
    {"rr-warden//server//&unconfined (unconfined)", APPARMOR_NOTHING},
};

START_TEST(only_the_outer_profile_makes_the_program_execute_itself)
{
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
		ck_assert_msg(
		    apparmor_step_for(labels[i].label) == labels[i].step, "%s", labels[i].label);
}
END_TEST

static bool has(char *const environment[], const char *variable)
{
	for (; *environment; environment++)
		if (strcmp(*environment, variable) == 0)
			return true;
	return false;
}

START_TEST(variables_that_the_linker_removes_have_other_names_on_the_way)
{
	char *environment[] = {(char *)"LD_PRELOAD=/a b.so", (char *)"HOME=/home/u",
	    (char *)"TMPDIR=/t=1", (char *)"GCONV_PATH=/g", (char *)"TMPDIRECTORY=/x", NULL};
	char **kept = apparmor_keep(environment);

	ck_assert_ptr_nonnull(kept);
	ck_assert(has(kept, "RR_WARDEN_KEPT_LD_PRELOAD=/a b.so"));
	ck_assert(has(kept, "RR_WARDEN_KEPT_TMPDIR=/t=1"));
	ck_assert(has(kept, "HOME=/home/u"));
	ck_assert(has(kept, "TMPDIRECTORY=/x"));
	ck_assert(has(kept, "GCONV_PATH=/g")); /* the linker removes it, and it stays away */
	ck_assert(!has(kept, "LD_PRELOAD=/a b.so"));
	ck_assert(has(kept, "RR_WARDEN_AGAIN=1"));
}
END_TEST

START_TEST(they_come_back_for_what_is_recorded)
{
	setenv("RR_WARDEN_KEPT_LD_PRELOAD", "/a b.so", 1);
	setenv("RR_WARDEN_KEPT_TMPDIR", "/t=1", 1);
	apparmor_restore();
	ck_assert_str_eq(getenv("LD_PRELOAD"), "/a b.so");
	ck_assert_str_eq(getenv("TMPDIR"), "/t=1");
	ck_assert_ptr_null(getenv("RR_WARDEN_KEPT_LD_PRELOAD"));
	ck_assert_ptr_null(getenv("RR_WARDEN_KEPT_TMPDIR"));
}
END_TEST

START_TEST(nobody_can_give_others_that_way)
{
	setenv("RR_WARDEN_KEPT_GCONV_PATH", "/g", 1);
	setenv("RR_WARDEN_KEPT_LOCPATH", "/l", 1);
	setenv("RR_WARDEN_KEPT_", "x", 1);
	unsetenv("GCONV_PATH");
	unsetenv("LOCPATH");
	apparmor_restore();
	ck_assert_ptr_null(getenv("GCONV_PATH"));
	ck_assert_ptr_null(getenv("LOCPATH"));
	ck_assert_ptr_null(getenv("RR_WARDEN_KEPT_GCONV_PATH"));
	ck_assert_ptr_null(getenv("RR_WARDEN_KEPT_"));
}
END_TEST

int main(void)
{
	return run_tests("apparmor",
	    (const TTest *const[]){only_the_outer_profile_makes_the_program_execute_itself,
		variables_that_the_linker_removes_have_other_names_on_the_way,
		they_come_back_for_what_is_recorded, nobody_can_give_others_that_way, NULL},
	    NULL, NULL);
}
