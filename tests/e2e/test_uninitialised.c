/*
 * rr_check_memory {uninitialised} finds each use of memory that was never written, as valgrind does
 * for the same programs, and none where nothing depends on such memory.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/findings.h"
#include "tests/e2e/scene.h"

#define PLAIN	"unwritten"
#define CLASSES "unwritten_cc"
#define CLEAN	"unwritten_clean"
#define ONE	"unwritten 1"
#define EITHER	"unwritten -1"
#define RIGHT	"heap_checked -1"
#define STATIC	"heap_static"
#define RACES	"races"
#define LONG	"tallied 900000000 counter" /* seconds on any machine */
#define PARENT	"unwritten_parent"
#define VECTORS "vector_masks unwritten"

#define BRANCH	"a branch depends on memory that was never written"
#define NOTHING "nothing was found that depends on memory that was never written"

static json_t *check_all(struct scene *scene)
{
	return client_tool(
	    scene->client, "rr_check_memory", "{s:b, s:i}", "uninitialised", 1, "limit", 100);
}

/* What is found, of which memory, in which function; who made it: NULL: nobody, "": that is the
 * optimizer's. */
struct row {
	const char *what, *place, *function, *made;
};

static void expect_rows(json_t *answer, const struct row *rows, size_t count)
{
	expect_findings(answer, count);
	for (size_t i = 0; i < count; i++) {
		const json_t *finding = json_array_get(json_object_get(answer, "findings"), i);
		const struct finding_row row = {rows[i].what, rows[i].function, rows[i].made, ""};

		expect_finding(finding, &row);
		expect_within(finding, "what", rows[i].place);
	}
	json_decref(answer);
}

#define INDEX  "the address of a load or store depends on"
#define OUTPUT "what is written to a file has"
#define LENGTH "how much is written to a file depends on"
#define TARGET "the target of a jump or call depends on"

/* The optimizer copies in other ways: which of the two members is meant, and which byte of a copied
 * block is loaded first, is its. */
START_TEST(each_use_is_found_once)
{
	static const char *const builds[] = {PLAIN, (PLAIN "_O2")};
	static const struct row rows[] = {
	    {BRANCH, "byte 16 of a block of 40 bytes", "in_block", "in_block ("},
	    {BRANCH, "total, a local variable of in_local (", "in_local", NULL},
	    {BRANCH, ".b, a local variable of in_copied_member (", "in_copied_member", NULL},
	    {BRANCH, "byte 0 of a block of 4 bytes", "in_bits", "in_bits ("},
	    {BRANCH, "given[2], a local variable of in_argument (", "judge", NULL},
	    {INDEX, "byte 3 of a block of 16 bytes", "as_index", "as_index ("},
	    {OUTPUT, "byte 30 of a block of 64 bytes", "in_output", "in_output ("},
	    {LENGTH, "length, a local variable of as_length (", "as_length", NULL},
	    {BRANCH, "byte 4000 of a block of 5000 bytes", "in_grown", "in_grown ("},
	    {BRANCH, "count, a local variable of in_thread (", "in_thread", NULL},
	    {BRANCH, "of a block of 300 bytes", "in_copied_block", "in_copied_block ("},
	    {BRANCH, "never written", "in_sum", ""},
	    {BRANCH, "byte 8 of a block of 40 bytes", "in_number", "in_number ("},
	    {BRANCH, "kind, a local variable of in_choice (", "in_choice", NULL},
	    {BRANCH, "wide[300], a local variable of in_wide_frame (", "in_wide_frame", NULL},
	    {TARGET, "byte 24 of a block of 64 bytes", "as_target", "as_target ("},
	    {BRANCH, "on the stack", "in_room", NULL},
	    {BRANCH, "pair.b, a local variable of in_either (", "in_either", NULL},
	};

	for (size_t i = 0; i < 2; i++) {
		cleanup_scene struct scene scene = scene_open(builds[i], NULL);

		expect_rows(check_all(&scene), rows, sizeof(rows) / sizeof(*rows));
	}
}
END_TEST

START_TEST(it_is_said_where_the_bytes_were_loaded)
{
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);
	json_auto_t *answer = check_all(&scene);

	expect_within(answer, "findings.4.loaded", "in_argument (tests/programs/unwritten.c:");
	expect_within(answer, "findings.4.callers.0", "in_argument (");
	expect_within(answer, "followed", " loads of heap and stack memory that was never written");
	expect_within(answer, "checked", "calls of glibc's malloc");
}
END_TEST

START_TEST(what_constructors_forget_is_found)
{
	static const char *const builds[] = {CLASSES, (CLASSES "_O2")};
	static const struct row rows[] = {
	    {BRANCH, "one.high, a local variable of in_member", "in_member", NULL},
	    {BRANCH, "byte 28 of a block of 80 bytes", "in_array", "in_array"},
	    {BRANCH, "bytes, which is freed by now", "in_vector", ""},
	    {BRANCH, "byte 8 of a block of 16 bytes", "in_virtual", "in_virtual"},
	    {BRANCH, ": one.high, a local variable of in_parts", "in_parts", NULL},
	    {BRANCH, ": one.list[1].second, a local variable of in_parts", "in_parts", NULL},
	    {BRANCH, ": one.list[1].second.large, a local variable of in_parts", "in_parts", NULL},
	};

	for (size_t i = 0; i < 2; i++) {
		cleanup_scene struct scene scene = scene_open(builds[i], NULL);

		expect_rows(check_all(&scene), rows, sizeof(rows) / sizeof(*rows));
	}
}
END_TEST

static void expect_nothing(const char *program)
{
	cleanup_scene struct scene scene = scene_open(program, NULL);

	expect_all(check_all(&scene), HAS("conclusion", NOTHING), ABSENT("findings"),
	    ABSENT("cut_off"), HAS("followed", " loads of heap and stack memory"));
	expect_alive(scene.client, scene.session);
}

START_TEST(what_is_right_is_no_finding)
{
	static const char *const programs[] = {CLEAN, (CLEAN "_O2"), EITHER, RIGHT, RACES};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		expect_nothing(programs[i]);
}
END_TEST

START_TEST(a_static_program_is_followed)
{
	cleanup_scene struct scene scene = scene_open(STATIC, NULL);

	expect_all(check_all(&scene), HAS("findings.0.what", "a freed block"), COUNT("findings", 3),
	    HAS("followed", " loads of heap"));
}
END_TEST

/* Both passes count their findings for themselves. */
START_TEST(a_limit_and_a_part_are_kept)
{
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);
	json_auto_t *two = client_tool(
	    scene.client, "rr_check_memory", "{s:b, s:i}", "uninitialised", 1, "limit", 2);

	ck_assert_int_eq(json_array_size(json_object_get(two, "findings")), 2);
	expect_within(two, "more", "more uses of memory that was never written behind ");
	expect_all(client_tool(scene.client, "rr_check_memory", "{s:b, s:s, s:i}", "uninitialised",
		       1, "from", answer_text(two, "findings.1.moment"), "limit", 2),
	    IS("findings.0.frame.function", "in_local"),
	    IS("findings.1.frame.function", "in_copied_member"));
	expect_all(client_tool(scene.client, "rr_check_memory", "{s:b, s:s}", "uninitialised", 1,
		       "to", answer_text(two, "findings.1.moment")),
	    IS("findings.0.frame.function", "in_block"));
	client_tool_refused(
	    scene.client, "rr_check_memory", "invalid_argument", "{s:s}", "uninitialised", "yes");
}
END_TEST

START_TEST(without_being_asked_nothing_is_followed)
{
	cleanup_scene struct scene scene = scene_open(ONE, NULL);

	expect_all(client_tool(scene.client, "rr_check_memory", NULL), ABSENT("findings"),
	    ABSENT("followed"), HAS("conclusion", "nothing touched heap memory outside"));
}
END_TEST

/* It runs with other code in the cache than the replay, and in steps: both end alike. */
START_TEST(a_check_changes_nothing)
{
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);

	expect_same_end(&scene, check_all);
}
END_TEST

/* Its child runs another program, in memory of its own. */
START_TEST(a_program_that_runs_another_is_followed)
{
	cleanup_scene struct scene scene = scene_open(PARENT, NULL);

	expect_all(check_all(&scene), COUNT("findings", 1), HAS("findings.0.what", BRANCH),
	    IS("findings.0.frame.function", "judge_own"));
}
END_TEST

/* What this processor has, the program uses. */
START_TEST(wide_and_masked_vectors_are_followed)
{
	static const struct row rows[] = {
	    {BRANCH, "byte 12 of a block of 64 bytes", "beside_lanes", "use_unwritten ("},
	    {BRANCH, "of a block of 64 bytes", "judge", "use_unwritten ("},
	    {BRANCH, "of a block of 64 bytes", "in_masked_copy", "use_unwritten ("},
	    {BRANCH, "byte 20 of a block of 64 bytes", "beside_masked_store", "use_unwritten ("},
	};
	const bool avx_512 = __builtin_cpu_supports("avx512f") &&
			     __builtin_cpu_supports("avx512bw") &&
			     __builtin_cpu_supports("avx512vl");
	cleanup_scene struct scene scene = scene_open(VECTORS, NULL);

	expect_rows(check_all(&scene), rows,
	    avx_512			    ? sizeof(rows) / sizeof(*rows)
	    : __builtin_cpu_supports("avx") ? 1
					    : 0);
}
END_TEST

static void expect_nothing_ahead(const char *processor)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("reads_ahead");

	expect_all(client_tool(place.client, "rr_record", "{s:[s, s], s:s, s:{s:s}}", "command",
		       program, "70", "trace_dir", place.trace, "env", "GLIBC_TUNABLES", processor),
	    NUMBER("exit_code", 0));
	expect_all(client_tool(place.client, "rr_check_memory", "{s:s, s:b}", "trace_dir",
		       place.trace, "uninitialised", 1),
	    HAS("conclusion", NOTHING), ABSENT("findings"), ABSENT("cut_off"));
}

/* On this processor, and as if it had less. */
START_TEST(what_the_c_library_reads_behind_a_strings_end_is_no_finding)
{
	expect_nothing_ahead("glibc.cpu.hwcaps=");
	expect_nothing_ahead("glibc.cpu.hwcaps=-AVX512VL,-AVX512BW");
	expect_nothing_ahead("glibc.cpu.hwcaps=-AVX512VL,-AVX2");
}
END_TEST

START_TEST(a_check_that_is_cut_off_says_so)
{
	cleanup_scene struct scene scene = scene_open(LONG, NULL);

	json_auto_t *answer = client_tool(
	    scene.client, "rr_check_memory", "{s:b, s:i}", "uninitialised", 1, "deadline", 3);
	expect_within(answer, "cut_off", "the time ");
	expect_within(answer, "uninitialised_unknown", "the check was cut off before");
	ck_assert_ptr_null(strstr(answer_text(answer, "conclusion"), NOTHING));
	expect_alive(scene.client, scene.session);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {each_use_is_found_once,
	    it_is_said_where_the_bytes_were_loaded, what_constructors_forget_is_found,
	    what_is_right_is_no_finding, a_static_program_is_followed, a_limit_and_a_part_are_kept,
	    without_being_asked_nothing_is_followed, a_check_changes_nothing,
	    a_program_that_runs_another_is_followed, wide_and_masked_vectors_are_followed,

	    what_the_c_library_reads_behind_a_strings_end_is_no_finding,
	    a_check_that_is_cut_off_says_so, NULL};

	return scene_main("uninitialised", tests,
	    (const char *const[]){PLAIN, (PLAIN "_O2"), CLASSES, (CLASSES "_O2"), CLEAN,
		(CLEAN "_O2"), ONE, EITHER, RIGHT, STATIC, RACES, LONG, PARENT, VECTORS, NULL});
}
