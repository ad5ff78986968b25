/*
 * The output of `rr traceinfo`: complete, cut off, and with bytes that are invalid in JSON; and
 * rr's message when it fails.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/serve/rr_words.h"
#include "worker/trace/trace_info.h"
#include "tests/runner.h"

#define BEGIN                                                                                      \
	"{\n  \"uuid\":[1,2,255,4,5,6,7,8,9,10,11,12,13,14,15,16],\n  \"xcr0\":7,\n"               \
	"  \"bindToCpu\":3,\n  \"ticksSemantics\":\"rcb\",\n  \"cpuidRecords\":[\n"                \
	"    [0,4294967295,13,1752462657,1145913699,1769238117],\n"                                \
	"    [1,4294967295,4242,0,0,0]\n  ],\n  \"chaosMode\":true,\n"

static json_t *parse(const char *text)
{
	return trace_info_parse(text, strlen(text));
}

static const char *text_at(json_t *info, const char *key)
{
	const char *text = json_string_value(json_object_get(info, key));

	return text ? text : "";
}

START_TEST(a_whole_header_is_read)
{
	json_auto_t *info = parse(BEGIN "  \"environ\":[\n    \"A=1\",\n    \"B={}\"\n  ]\n}\n");

	ck_assert_str_eq(text_at(info, "uuid"), "0102ff0405060708090a0b0c0d0e0f10");
	ck_assert_str_eq(text_at(info, "ticks_semantics"), "rcb");
	ck_assert_str_eq(text_at(json_object_get(info, "cpu"), "vendor"), "AuthenticAMD");
	ck_assert(json_is_true(json_object_get(info, "chaos")));
	ck_assert_int_eq(json_array_size(json_object_get(info, "environment")), 2);
}
END_TEST

START_TEST(a_header_that_breaks_off_is_taken_as_far_as_it_goes)
{
	json_t *info = parse(BEGIN);

	ck_assert(json_is_true(json_object_get(info, "chaos")));
	ck_assert_ptr_null(json_object_get(info, "environment"));
	json_decref(info);
	info = parse(BEGIN "  \"environ\":[\n    \"A=1\",\n    \"B");
	ck_assert(json_is_true(json_object_get(info, "chaos")));
	json_decref(info);
}
END_TEST

START_TEST(a_processor_of_elsewhere_is_told)
{
	json_auto_t *info = parse(BEGIN);

	ck_assert(json_is_false(json_object_get(json_object_get(info, "cpu"), "same_as_here")));
}
END_TEST

static bool fits(const char *text)
{
	json_t *info = parse(text), *cpu = json_object_get(info, "cpu");
	bool yes = json_is_true(json_object_get(cpu, "xsave_fits"));

	ck_assert(json_is_boolean(json_object_get(cpu, "xsave_fits")));
	json_decref(info);
	return yes;
}

/* Every processor has more than the x87 state, and no processor has the last bit. */
START_TEST(register_states_that_differ_from_this_machines_are_told)
{
	char same[4096];
	unsigned low, high;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	snprintf(
	    same, sizeof(same), "%s  \"xcr0\":%llu}", BEGIN, (unsigned long long)high << 32 | low);
	ck_assert(fits(same));
	ck_assert(!fits(BEGIN "  \"xcr0\":1}"));
	ck_assert(!fits(BEGIN "  \"xcr0\":4611686018427387905}"));
}
END_TEST

struct decision {
	int same, faulting, fits;
	const char *if_bare, *if_hiding, *doubt; /* a part of each text; NULL: none */
};

static void expect_part(const char *text, const char *part)
{
	ck_assert_int_eq(text == NULL, part == NULL);
	if (part)
		ck_assert_ptr_nonnull(strstr(text, part));
}

/* As rr decides it: what it refuses is an obstacle, what it warns of is a doubt. */
START_TEST(what_rr_refuses_here_is_an_obstacle)
{
	static const struct decision rows[] = {
	    {true, false, true, NULL, NULL, NULL},
	    {false, false, true, "another kind of processor", NULL, "another kind of processor"},
	    {true, true, true, "CPUID hidden", NULL, NULL},
	    {true, false, false, NULL, NULL, "register states"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		json_t *info = json_pack("{s:b, s:{s:b, s:b}}", "cpuid_faulting", rows[i].faulting,
		    "cpu", "same_as_here", rows[i].same, "xsave_fits", rows[i].fits);
		expect_part(trace_info_obstacle(info, false), rows[i].if_bare);
		expect_part(trace_info_obstacle(info, true), rows[i].if_hiding);
		expect_part(trace_info_doubt(info), rows[i].doubt);
		json_decref(info);
	}
}
END_TEST

START_TEST(a_header_that_says_nothing_of_a_processor_is_no_obstacle)
{
	json_t *info = json_pack("{s:{}}", "cpu");
	ck_assert_ptr_null(trace_info_obstacle(info, false));
	ck_assert_ptr_null(trace_info_obstacle(NULL, false));
	ck_assert_ptr_null(trace_info_doubt(NULL));
	json_decref(info);
}
END_TEST

START_TEST(an_environment_of_any_bytes_is_read)
{
	json_auto_t *info =
	    parse(BEGIN "  \"environ\":[\n    \"A=\xff\x01\",\n    \"B=a\\\\x41\"\n  ]\n}\n");
	json_t *environment = json_object_get(info, "environment");

	ck_assert_str_eq(json_string_value(json_array_get(environment, 0)), "A=\\xff\\x01");
	ck_assert_str_eq(json_string_value(json_array_get(environment, 1)), "B=a\\x41");
}
END_TEST

START_TEST(a_large_environment_is_bounded_and_counted)
{
	size_t size = 1 << 20, length;
	cleanup_free char *text = malloc(size);

	length = (size_t)snprintf(text, size, "%s  \"environ\":[", BEGIN);
	for (int i = 0; i < 1000; i++)
		length += (size_t)snprintf(
		    text + length, size - length, "%s\n    \"V%d=%0500d\"", i ? "," : "", i, i);
	snprintf(text + length, size - length, "\n  ]\n}\n");
	json_auto_t *info = parse(text);
	size_t kept = json_array_size(json_object_get(info, "environment"));
	ck_assert_uint_gt(kept, 5);
	ck_assert_int_eq(
	    (long long)kept + json_integer_value(json_object_get(info, "environment_more")), 1000);
	ck_assert_uint_lt(json_dumpb(info, NULL, 0, 0), TRACE_INFO_BUDGET + 4096);
}
END_TEST

START_TEST(other_text_is_refused)
{
	ck_assert_ptr_null(parse(""));
	ck_assert_ptr_null(parse("{}"));
	ck_assert_ptr_null(parse("rr: Trace file not found"));
	ck_assert_ptr_null(parse("{\n  \"uuid\":[1"));
	ck_assert_ptr_null(parse("[[[[[[[[[[}"));
}
END_TEST

static struct failure failed_with(const char *words)
{
	struct failure failure = {0};

	rr_words_fail(&failure, "rr record", "status 1", words, strlen(words));
	return failure;
}

START_TEST(a_known_failure_has_a_remedy)
{
	struct failure failure = failed_with(
	    "[FATAL x] Unable to open performance counter with 'perf_event_open'; are ...\n");

	ck_assert_int_eq(failure.code, ERROR_RR_FAILED);
	ck_assert_ptr_nonnull(strstr(failure.message, "Unable to open performance counter"));
	ck_assert_ptr_nonnull(strstr(failure.hint, "--pmu=software"));
}
END_TEST

START_TEST(a_full_disk_is_a_limit)
{
	ck_assert_int_eq(failed_with("write: No space left on device").code, ERROR_LIMIT);
}
END_TEST

START_TEST(words_are_made_visible_and_without_backtrace)
{
	struct failure failure = failed_with("oh \033[31mno\n=== Start rr backtrace:\nrr(_ZN)\n");

	ck_assert_str_eq(failure.message, "rr record failed with status 1: oh \\x1b[31mno");
}
END_TEST

START_TEST(silence_is_said)
{
	ck_assert_str_eq(
	    failed_with("\n").message, "rr record failed with status 1: it printed nothing");
}
END_TEST

START_TEST(long_words_keep_their_end)
{
	char words[5000];

	memset(words, 'a', sizeof(words));
	memcpy(words + sizeof(words) - 8, "the end", 8);
	ck_assert_ptr_nonnull(strstr(failed_with(words).message, "the end"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_whole_header_is_read,
	    a_header_that_breaks_off_is_taken_as_far_as_it_goes,
	    a_processor_of_elsewhere_is_told,
	    register_states_that_differ_from_this_machines_are_told,
	    a_header_that_says_nothing_of_a_processor_is_no_obstacle,
	    what_rr_refuses_here_is_an_obstacle,
	    an_environment_of_any_bytes_is_read,
	    a_large_environment_is_bounded_and_counted,
	    other_text_is_refused,
	    a_known_failure_has_a_remedy,
	    a_full_disk_is_a_limit,
	    words_are_made_visible_and_without_backtrace,
	    silence_is_said,
	    long_words_keep_their_end,
	    NULL,
	};

	return run_tests("trace info", tests, NULL, NULL);
}
