/*
 * The names of moments: what is known of one is in its name, whatever was named before.
 */
#include "session.h"
#include "tests/runner.h"
#include "worker/moment/instant/moment_names.h"

static void expect_name(struct moment moment, const char *expected)
{
	json_auto_t *name = moment_name(replay, &moment);

	ck_assert_str_eq(json_string_value(name), expected);
}

START_TEST(a_name_says_all_that_is_known)
{
	for (int again = 0; again < 2; again++) {
		expect_name((struct moment){20, 500, 7, 0x4010, 0xa, false}, "20:500@4010.a");
		expect_name((struct moment){20, 500, 7, 0x4014, 0, false}, "20:500@4014");
		expect_name((struct moment){20, 500, 7, 0, 0, false}, "20:500");
	}
}
END_TEST

static void begin(void)
{
	session_begin(SCRIPT({0}));
}

int main(void)
{
	const TTest *const tests[] = {a_name_says_all_that_is_known, NULL};

	return run_tests("seen", tests, begin, session_end);
}
